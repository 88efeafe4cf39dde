import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import { isRehearsal, newRehearsalId } from '../common/crypto/rehearsal-ids.js';
import { ConflictError, NotFoundError } from '../common/errors/domain-errors.js';
import { Database, isUniqueViolation } from '../data/database.js';
import { EventLookup } from '../events/event-lookup.service.js';
import type { EventRecord } from '../events/event-record.js';
import type { RehearsalDto, StartRehearsal } from './dto/rehearsal.dto.js';
import { RehearsalEndings } from './rehearsal-endings.service.js';
import {
  COPIES,
  COPY_ASSIGNMENTS,
  COPY_GUESTS,
  CREATE_TWIN,
  IDLE_DAYS,
  REHEARSAL_OF,
  type RehearsalRow,
} from './rehearsal.sql.js';
import { FIRST_NAMES, LAST_NAMES } from './sample-names.js';

const SLUG_END = '-rehearsal';
const MOST_OF_SLUG = 100 - SLUG_END.length;

/** Rehearsals: a copy of an event, on which the team plays the evening and which is deleted afterwards. */
@Injectable()
export class Rehearsals {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly endings: RehearsalEndings,
    private readonly audit: Audit,
    private readonly changes: CommittedChanges,
  ) {}

  /** @throws NotFoundError `EVENT_NOT_FOUND`, `REHEARSAL_NOT_FOUND` */
  async get(ref: string): Promise<RehearsalDto> {
    return toRehearsal(await this.of(await this.events.get(ref)));
  }

  /**
   * Copies the event with its settings, assignments, teams, milestones, match pools and guests.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   * @throws ConflictError `REHEARSAL_EXISTS`, `EVENT_SLUG_TAKEN`
   */
  async start(caller: Principal, ref: string, { withNames, mailTo }: StartRehearsal): Promise<RehearsalDto> {
    const real = await this.events.get(ref);
    if (isRehearsal(real.id) || (await this.database.query(REHEARSAL_OF, [real.id])).length > 0)
      throw exists();
    const id = newRehearsalId();
    const slug = real.slug.slice(0, MOST_OF_SLUG).replace(/-$/, '') + SLUG_END;
    const copied = [real.id, id, randomInt(2 ** 48 - 1)];
    const addresses = [...new Set(mailTo.map((address) => address.toLowerCase()))];
    await this.database
      .transaction(async (tx) => {
        await tx.query(CREATE_TWIN, [real.id, id, slug, withNames, addresses]);
        await tx.query(COPY_ASSIGNMENTS, [real.id, id]);
        for (const copy of COPIES) await tx.query(copy, copied);
        await tx.query(COPY_GUESTS, [...copied, withNames, FIRST_NAMES, LAST_NAMES]);
        await this.audit.record(actorOf(caller), 'rehearsal.start', real.id, { withNames }, tx);
        tx.afterCommit(() => {
          this.changes.announce(id);
        });
      })
      .catch(taken);
    return toRehearsal(await this.of(real));
  }

  /**
   * Closes the rehearsal, ends the sign-ins of its team, and starts to delete its rows.
   * @throws NotFoundError `EVENT_NOT_FOUND`, `REHEARSAL_NOT_FOUND`
   */
  async end(caller: Principal, ref: string): Promise<RehearsalDto> {
    const real = await this.events.get(ref);
    await this.endings.close(await this.of(real), actorOf(caller));
    const ending = await this.of(real);
    void this.endings.runOrLog(ending.event_id);
    return toRehearsal(ending);
  }

  private async of({ id }: Pick<EventRecord, 'id'>): Promise<RehearsalRow> {
    const [row] = await this.database.query<RehearsalRow>(REHEARSAL_OF, [id]);
    if (!row) throw new NotFoundError('REHEARSAL_NOT_FOUND', 'The event has no rehearsal');
    return row;
  }
}

const exists = () => new ConflictError('REHEARSAL_EXISTS', 'The event has a rehearsal already, or is one');

function taken(error: unknown): never {
  if (isUniqueViolation(error, 'event_rehearsal_of_key')) throw exists();
  if (isUniqueViolation(error, 'event_slug_key'))
    throw new ConflictError('EVENT_SLUG_TAKEN', 'Another event has this slug');
  throw error;
}

const toRehearsal = (row: RehearsalRow): RehearsalDto => ({
  eventId: row.event_id,
  slug: row.slug,
  withNames: row.with_names,
  mailTo: row.mail_to,
  startedAt: row.started_at.toISOString(),
  lastUsedAt: row.last_used_at.toISOString(),
  endsAt: new Date(row.last_used_at.getTime() + IDLE_DAYS * 86_400_000).toISOString(),
  isEnding: row.ended_at !== null,
});
