import { Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import type { AdminPrincipal } from '../../common/access/principal.js';
import { DomainError, isServerError } from '../../common/errors/domain-errors.js';
import { AppConfig } from '../../config/app-config.js';
import { Database } from '../../data/database.js';
import { withInstanceLock } from '../../data/instance-lock.js';
import { RecordingService } from '../../donations/recording/recording.service.js';
import { donationById } from '../../donations/store/donation-store.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import type { EventRecord } from '../../events/event-record.js';
import { RoomBroadcaster } from '../../gateway/broadcasts.js';
import { EmailsService } from '../../mail/emails.service.js';
import { IntentsService } from '../../payments/intents/intents.service.js';
import { PaymentProviders } from '../../payments/providers/payment-providers.js';
import type { PaymentProvider } from '../../payments/providers/provider-port.js';
import { CancellationService } from '../../payments/refunds/cancellation.service.js';
import { PledgeRounds } from '../../pledges/pledge-rounds.service.js';
import { REHEARSALS, type RehearsalRow } from '../rehearsal.sql.js';
import { NO_FIGURES, type PlayFigures, type StopReason } from './dto/play.dto.js';
import { END_PLAY, KEEP_ROUND, PLAY_OF, PLAYED, type PlayRow, UNFINISHED } from './play.sql.js';
import { playedGuest } from './played-guest.js';
import { RealEvening } from './real-evening.js';

/** Shortest pause between two groups of guests. */
const PAUSE_MS = 250;
const RAISE = { name: 'Played paddle raise', units: 100 };

/** Acts of one group of guests, and their durations in milliseconds. */
interface Results {
  readonly figures: PlayFigures;
  readonly intentMs: number[];
  readonly recordMs: number[];
  readonly recordedAt: Map<string, number>;
}

/** The place of the players: the twin and its profile. */
interface Stage {
  readonly play: PlayRow;
  readonly event: EventRecord;
  readonly caller: AdminPrincipal;
  readonly mailTo: string | undefined;
  readonly payer: PaymentProvider | undefined;
}

/**
 * Plays the guests of a rehearsal with the services that tills and donors use. One process plays an evening, and stores its
 * progress after each group of guests. Each guest has a fixed idempotency key, so another process can repeat a group after a
 * crash.
 */
@Injectable()
export class EveningPlayer {
  private readonly logger = new Logger(EveningPlayer.name);
  private readonly running = new Map<string, Promise<unknown>>();
  private isStopping = false;
  /** Times of the messages to walls about donations of the played evenings, by donation. */
  private readonly sentAt = new Map<string, number>();

  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly recording: RecordingService,
    private readonly intents: IntentsService,
    private readonly cancellation: CancellationService,
    private readonly rounds: PledgeRounds,
    private readonly emails: EmailsService,
    private readonly providers: PaymentProviders,
    private readonly realEvening: RealEvening,
    rooms: RoomBroadcaster,
  ) {
    rooms.onSent((messages) => {
      if (this.running.size === 0) return;
      for (const [topic, message] of messages)
        if (topic === 'donation.created' && this.running.has(message.eventId))
          this.sentAt.set(message.id, Date.now());
    });
  }

  /** The card provider that takes played payments; undefined without test keys. */
  get payer(): PaymentProvider | undefined {
    return this.providers.all.find(
      (one) => one.type === 'card' && one.isTest === true && 'payWithTestCard' in one,
    );
  }

  /** Continues the evenings of a stopped process. */
  @Cron('*/10 * * * * *')
  async resume(): Promise<void> {
    for (const { event_id } of await this.database.query<{ event_id: string }>(UNFINISHED))
      this.begin(event_id);
  }

  begin(id: string): void {
    if (this.isStopping || this.running.has(id)) return;
    const work = withInstanceLock(this.database.pool, `rehearsal play ${id}`, () => this.run(id))
      .catch((error: unknown) => {
        this.logger.error({ msg: 'Played evening interrupted; it continues soon', event: id, err: error });
      })
      .finally(() => this.running.delete(id));
    this.running.set(id, work);
  }

  /** Waits for the current guests. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.running.values());
  }

  private async run(id: string): Promise<void> {
    /** Records whose message to the walls was not sent yet: the time of the record by donation. */
    const recordedAt = new Map<string, number>();
    try {
      while (!this.isStopping) {
        const startedAt = Date.now();
        const [play] = await this.database.query<PlayRow>(PLAY_OF, [id]);
        const rehearsals = await this.database.query<RehearsalRow>(REHEARSALS);
        const rehearsal = rehearsals.find(({ event_id }) => event_id === id);
        if (!play || play.ended_at || !rehearsal || rehearsal.ended_at) return;
        const { guests, minutes } = play.profile;
        const reason: StopReason | undefined =
          play.done >= guests ? 'finished' : await this.realEvening.reasonToStop(play.started_at);
        if (reason) {
          await this.database.query(END_PLAY, [id, reason]);
          this.logger.log({ msg: 'Played evening ended', event: id, reason, guests: play.done });
          return;
        }
        const perGuestMs = (minutes * this.config.playedMinuteMs) / guests;
        const size = Math.min(guests - play.done, Math.ceil(PAUSE_MS / perGuestMs));
        await this.playNext(play, rehearsal.mail_to[0], size, recordedAt);
        await this.pause(startedAt + size * perGuestMs);
      }
    } finally {
      this.sentAt.clear();
    }
  }

  /** Waits until a time, but not longer than needed for a shutdown. */
  private async pause(until: number): Promise<void> {
    while (!this.isStopping && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, Math.min(PAUSE_MS, until - Date.now())));
  }

  private async playNext(
    play: PlayRow,
    mailTo: string | undefined,
    size: number,
    recordedAt: Map<string, number>,
  ): Promise<void> {
    const { event_id: id, mark, done } = play;
    const stage: Stage = {
      play,
      event: await this.events.get(id),
      // Gifts of the admin are in no volunteer's drawer, so that the team can count its own drawers.
      caller: { role: 'ADMIN', id: play.started_by, email: '' },
      mailTo,
      payer: this.payer,
    };
    const roundId = await this.paddleRaise(stage);
    const results: Results = {
      figures: { ...NO_FIGURES, ...play.figures },
      intentMs: [],
      recordMs: [],
      recordedAt,
    };
    if (done === 0 && mailTo !== undefined)
      results.figures.isMailAccepted = await this.emails.test(stage.caller, { to: mailTo }).then(
        () => true,
        () => false,
      );
    const indexes = Array.from({ length: size }, (_, offset) => done + offset);
    await Promise.all(indexes.map((index) => this.playOrCount(stage, index, roundId, results)));
    await this.database.query(PLAYED, [
      id,
      mark,
      done,
      done + size,
      JSON.stringify(results.figures),
      results.intentMs,
      results.recordMs,
      this.delaysOf(recordedAt),
    ]);
  }

  /** Returns the delays of the messages that were sent, and forgets these. */
  private delaysOf(recordedAt: Map<string, number>): number[] {
    return [...recordedAt].flatMap(([id, time]) => {
      const sentAt = this.sentAt.get(id);
      if (sentAt === undefined) return [];
      recordedAt.delete(id);
      this.sentAt.delete(id);
      // The message can be sent before the answer arrives here.
      return [Math.max(0, sentAt - time)];
    });
  }

  /** Opens the round at half of the evening and closes it at three quarters. Returns the round while it is open. */
  private async paddleRaise({ play, event, caller }: Stage): Promise<string | undefined> {
    const { guests } = play.profile;
    if (play.done < guests / 2) return undefined;
    if (play.done >= (guests * 3) / 4) {
      if (play.round_id !== null) await this.rounds.close(caller, play.round_id);
      return undefined;
    }
    if (play.round_id !== null) return play.round_id;
    // A process may have stopped between the opening and the note of it.
    const { data } = await this.rounds.list(caller, event.id);
    const opened = data.find(({ name, closedAt }) => name === RAISE.name && closedAt === null);
    const { amount } = playedGuest(RAISE.units, play.profile, event.currency);
    const { id } =
      opened ?? (await this.rounds.open(caller, { amount, eventId: event.id, name: RAISE.name }));
    await this.database.query(KEEP_ROUND, [event.id, id]);
    return id;
  }

  private async playOrCount(
    stage: Stage,
    index: number,
    roundId: string | undefined,
    results: Results,
  ): Promise<void> {
    try {
      // A repeat with the same key finds out if a gift without an answer was booked.
      await this.playGuest(stage, index, roundId, results).catch((error: unknown) => {
        if (!isServerError(error)) throw error;
        return this.playGuest(stage, index, roundId, results);
      });
    } catch (error) {
      results.figures.errors++;
      results.figures.lastError = error instanceof DomainError ? error.code : 'INTERNAL_ERROR';
      this.logger.warn({ msg: 'Played guest failed', event: stage.event.id, guest: index, err: error });
    }
  }

  private async playGuest(
    stage: Stage,
    index: number,
    roundId: string | undefined,
    { figures, intentMs, recordMs, recordedAt }: Results,
  ): Promise<void> {
    const { play, event, caller, payer } = stage;
    const guest = playedGuest(index, play.profile, event.currency);
    const { amount, message } = guest;
    const key = `${play.mark}-${index}`;
    // The team gets the receipt of one guest who pays online.
    const donorEmail = index === 1 ? (stage.mailTo ?? null) : null;
    const donorName = donorEmail === null ? guest.donorName : 'Rehearsal';
    const donor = { donorName, donorEmail, message };
    const startedAt = Date.now();
    if (guest.kind === 'online') {
      if (!payer) {
        figures.leftOut++;
        return;
      }
      const metadata = { eventId: event.id, ...donor, source: play.mark };
      const intent = await this.intents.create(
        { amount, method: 'card', provider: payer.name, metadata },
        key,
        // Each guest has an own address, from the range for documentation.
        { ip: `2001:db8:${index.toString(16)}::1` },
      );
      intentMs.push(Date.now() - startedAt);
      const donation = await donationById(this.database, intent.donationId);
      if (donation?.payment_id) await payer.payWithTestCard?.(donation.payment_id, guest.isDeclined);
      figures.online++;
      if (guest.isDeclined) figures.declined++;
      return;
    }
    const isPledge = guest.kind === 'pledge';
    const { id } = await this.recording.record(
      caller,
      {
        eventId: event.id,
        type: guest.kind,
        amount,
        ...donor,
        confirmed: true,
        reference: play.mark,
        ...(isPledge && roundId !== undefined && { roundId }),
      },
      key,
    );
    recordMs.push(Date.now() - startedAt);
    recordedAt.set(id, Date.now());
    if (guest.isRefunded)
      await this.cancellation.cancel(
        caller,
        id,
        { shouldRefund: true, reason: 'Rehearsal' },
        `${key}-refund`,
      );
    figures[isPledge ? 'pledges' : 'cash']++;
    if (guest.isRefunded) figures.refunded++;
  }
}
