import { Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { firstIdAt } from '../../common/crypto/ids.js';
import { Database, isUniqueViolation } from '../../data/database.js';
import { withInstanceLock } from '../../data/instance-lock.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { isPublicStatus } from '../../events/event-status.js';
import { Mailer } from '../../mail/mailer.service.js';
import type { Settings } from '../../settings/settings.js';
import { SettingsService } from '../../settings/settings.service.js';
import { dueEmail, LAST_AFTER_DAYS, stepsOf } from './due-step.js';
import { PledgeClock } from './pledge-clock.js';
import {
  ADD_CONTACTS,
  ASKED_AFTER,
  EVENTS_WITH_OPEN_PLEDGES,
  LOCK_PLEDGES,
  OPEN_PLEDGES_OF_EVENT,
  type OpenPledgeRow,
} from './pledge-emails.sql.js';
import { quietMs } from './quiet-hours.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Time after the record in which the team can correct a wrong paddle before the donor gets the thanks. */
const THANKS_AFTER_MS = 60_000;
/** After this time a pledge gets no thanks any more, because the first reminder says the same. */
const THANKS_UNTIL_MS = DAY_MS;
/** Older pledges get no e-mails of the schedule: the last day of the settings, the last e-mail, and a week. */
const OLDEST_MS = (120 + LAST_AFTER_DAYS + 7) * DAY_MS;
/** After a reminder that an admin requested, the schedule waits. */
const AFTER_ASKED_MS = 2 * DAY_MS;

/** An e-mail to queue, with the steps of the pledges that it covers. The first covered pledge is its subject. */
interface Planned {
  readonly kind: 'pledge_thanks' | 'pledge_reminder' | 'pledge_last';
  readonly step: string;
  readonly covered: readonly { readonly pledgeId: string; readonly step: string }[];
}

type Plan = (pledges: readonly OpenPledgeRow[], settings: Settings, now: Date) => Planned | undefined;

/**
 * Queues the e-mails about unpaid pledges. Each step of a pledge is one row with a unique key, written in the transaction that
 * queues the e-mail. So neither two processes nor a crash queue a step twice (decision 87).
 */
@Injectable()
export class PledgeSchedule {
  private readonly logger = new Logger(PledgeSchedule.name);

  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly mailer: Mailer,
    private readonly clock: PledgeClock,
  ) {}

  /** Queues the thanks for new pledges, at any time of the day. Returns the number of queued e-mails. */
  @Cron('*/20 * * * * *')
  async thank(): Promise<number> {
    return await this.run('pledge-thanks', THANKS_UNTIL_MS, thanksOf);
  }

  /** Queues the reminders that are due, outside of the quiet hours. Returns the number of queued e-mails. */
  @Cron('30 */10 * * * *')
  async remind(): Promise<number> {
    return await this.run('pledge-reminders', OLDEST_MS, reminderOf);
  }

  private async run(lock: string, periodMs: number, plan: Plan): Promise<number> {
    if (!this.mailer.isOn) return 0;
    return (await withInstanceLock(this.database.pool, lock, () => this.queueAll(periodMs, plan))) ?? 0;
  }

  private async queueAll(periodMs: number, plan: Plan): Promise<number> {
    const now = this.clock.now();
    const since = firstIdAt(new Date(now.getTime() - periodMs));
    let queued = 0;
    const found = await this.database.query<{ event_id: string }>(EVENTS_WITH_OPEN_PLEDGES, [since]);
    for (const { event_id: eventId } of found) {
      const event = await this.events.find(eventId);
      if (!event || !isPublicStatus(event.status)) continue;
      const settings = await this.settings.effective(event.overrides);
      if (!settings.pledges.emails) continue;
      const rows = await this.database.query<OpenPledgeRow>(OPEN_PLEDGES_OF_EVENT, [eventId, since]);
      for (const pledges of byDonor(rows)) {
        const planned = plan(pledges, settings, now);
        if (planned && (await this.queue(planned, now))) queued++;
      }
    }
    return queued;
  }

  /** @returns false if another process has queued the step, or an admin has just requested a reminder */
  private async queue({ kind, step, covered }: Planned, now: Date): Promise<boolean> {
    const [first] = covered;
    if (!first) return false;
    try {
      return await this.database.transaction(async (tx) => {
        const ids = covered.map(({ pledgeId }) => pledgeId);
        if (kind !== 'pledge_thanks') {
          // A request of an admin holds the same locks, so the donor cannot get two reminders at the same time.
          await tx.query(LOCK_PLEDGES, [ids]);
          const since = new Date(now.getTime() - AFTER_ASKED_MS);
          if ((await tx.query(ASKED_AFTER, [ids, since])).length > 0) return false;
        }
        const emailId = await this.mailer.enqueuePledgeStep(tx, kind, first.pledgeId, step);
        await tx.query(ADD_CONTACTS, [emailId, ids, covered.map((one) => one.step)]);
        return true;
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      this.logger.log({ msg: 'Step of a pledge was queued already', pledge: first.pledgeId, step });
      return false;
    }
  }
}

function byDonor(rows: readonly OpenPledgeRow[]): OpenPledgeRow[][] {
  const donors = new Map<string, OpenPledgeRow[]>();
  for (const row of rows) {
    const pledges = donors.get(row.donor);
    if (pledges) pledges.push(row);
    else donors.set(row.donor, [row]);
  }
  return [...donors.values()];
}

/** Plans the thanks for the pledges of a donor without one, a minute after the first of them arrived. */
const thanksOf: Plan = (pledges, _settings, now) => {
  const fresh = pledges.filter(({ steps }) => !steps.includes('thanks'));
  const [first] = fresh;
  if (!first || now.getTime() - first.created_at.getTime() < THANKS_AFTER_MS) return undefined;
  const covered = fresh.map(({ id }) => ({ pledgeId: id, step: 'thanks' }));
  return { kind: 'pledge_thanks', step: 'thanks', covered };
};

const reminderOf: Plan = (pledges, { pledges: { reminderDays }, timezone }, now) => {
  if (quietMs(now, timezone) > 0) return undefined;
  const asked = Math.max(0, ...pledges.map(({ asked_at }) => asked_at?.getTime() ?? 0));
  if (now.getTime() - asked < AFTER_ASKED_MS) return undefined;
  const open = pledges.map(({ id, pledged_at: pledgedAt, steps }) => ({ id, pledgedAt, steps }));
  return dueEmail(open, stepsOf(reminderDays), now, timezone);
};
