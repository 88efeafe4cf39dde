import { isRehearsal } from '../kit/rehearsal.js';
import type { DonationDto } from '../../src/donations/dto/donation.dto.js';
import { ApiError, ask, NoAnswer } from './api.js';
import type { Queue } from './queue.js';
import type { QueuedRecord } from './records.js';
import type { Sessions } from './sessions.js';
import type { Terminals } from './terminals.js';
import { Value } from './value.js';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const MOST_PATIENCE_MS = 120_000;
const LOCK = 'pos-sender';

/** Status codes of temporary refusals, after which the server may accept the same record later. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Error code: the release of the administrator has ended, or is for another terminal. */
const NOT_RELEASED = 'TERMINAL_NOT_RELEASED';

/** Error code: the release is valid, but does not include the records of this member. */
const TAKER_NOT_SIGNED_IN = 'TAKER_NOT_SIGNED_IN';

type Outcome = 'done' | 'later' | 'not now';

/** Sends the waiting records until the server has answered for each. Sends one record at a time, in one tab at a time. */
export class Sender {
  /** True if the last request reached the server. */
  readonly online = new Value(navigator.onLine);
  readonly sending = new Value(false);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  private notBefore = 0;
  private running = false;
  private again = false;
  /** Keys of records that only their own member can send. They are skipped, so that they do not block other records. */
  private readonly ownersOnly = new Set<string>();

  constructor(
    private readonly queue: Queue,
    private readonly sessions: Sessions,
    private readonly terminals: Terminals,
  ) {
    addEventListener('online', () => this.nudge());
    addEventListener('offline', () => this.online.set(false));
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.nudge();
    });
  }

  /** Sends now, or after the rate limit of the server ends. */
  nudge(): void {
    clearTimeout(this.timer);
    const wait = this.notBefore - performance.now();
    if (wait > 0) this.timer = setTimeout(() => this.nudge(), wait);
    else void this.pass();
  }

  /** Records that the signed-in member may send now. */
  sendable(): QueuedRecord[] {
    return this.queue.waiting.now.filter((record) => record.state === 'waiting' && this.mayGo(record));
  }

  private async pass(): Promise<void> {
    if (this.running) {
      this.again = true;
      return;
    }
    // Without a network, marks no record as sent, so that the member can still undo it locally. `online` is true after a
    // successful heartbeat, which is more reliable than the browser's network state.
    if (!navigator.onLine && !this.online.now) return;
    this.running = true;
    try {
      do {
        this.again = false;
        // Safari before 15.4 has no locks. There two tabs may send one record at the same time. Because of its idempotency
        // key, the server books the record only once.
        // eslint-disable-next-line compat/compat -- asked for on the same line
        await ('locks' in navigator ? navigator.locks.request(LOCK, () => this.drain()) : this.drain());
      } while (this.hasMore());
    } catch {
      // The terminal could not store that the record is being sent, so it did not send the record.
      this.failures += 1;
    } finally {
      this.running = false;
      this.sending.set(false);
    }
    if (this.failures > 0) this.retryLater();
  }

  /** True if there is more to send and the server answers. */
  private hasMore(): boolean {
    return this.again && this.failures === 0;
  }

  /**
   * Sends each sendable record once. If the server cannot be reached, stops. If one record causes a server error,
   * continues with the next record.
   */
  private async drain(): Promise<void> {
    await this.queue.load();
    const tried = new Set<string>();
    for (;;) {
      const next = this.sendable().find(({ key }) => !tried.has(key));
      if (!next) break;
      tried.add(next.key);
      this.sending.set(true);
      const outcome = await this.send(next.key);
      if (outcome === 'later') this.failures += 1;
      if (outcome === 'not now') {
        this.failures += 1;
        return;
      }
    }
    if (![...tried].some((key) => this.sendable().some((record) => record.key === key))) this.failures = 0;
  }

  private async send(key: string): Promise<Outcome> {
    const record = await this.queue.claim(key);
    if (!record) return 'done';
    const token = this.sessions.session.now?.token;
    const device = this.terminals.terminal.now?.deviceToken;
    try {
      if (record.booked) await this.takeBack(record.key, record.booked.id, token, device);
      else await this.book(record, token, device);
      this.online.set(true);
      return 'done';
    } catch (error) {
      return await this.explain(record, token, error);
    }
  }

  private async book(
    record: QueuedRecord,
    token: string | undefined,
    device: string | undefined,
  ): Promise<void> {
    const isOwn = record.owner.id === this.sessions.session.now?.user.id;
    const body = isOwn ? record.body : { ...record.body, takenBy: record.owner.id };
    const booked = await ask<DonationDto>('/donations', {
      method: 'POST',
      body,
      token,
      device,
      key: record.key,
    });
    if (typeof booked.id !== 'string' || booked.amount !== record.body.amount)
      throw new NoAnswer('The answer is not about this record', true);
    await this.queue.settle(record.key, booked);
    // The record is still in the queue, because the member has undone it meanwhile. The next pass sends the
    // undo.
    if (this.queue.waiting.now.some(({ key }) => key === record.key)) this.again = true;
  }

  private async takeBack(
    key: string,
    id: string,
    token: string | undefined,
    device: string | undefined,
  ): Promise<void> {
    try {
      await this.queue.settle(
        key,
        await ask<DonationDto>(`/donations/${id}/undo`, { method: 'POST', token, device }),
      );
    } catch (error) {
      if (!(error instanceof ApiError) || PASSING.has(error.status) || error.status === 401) throw error;
      await this.queue.stands(key);
    }
  }

  private async explain(record: QueuedRecord, token: string | undefined, error: unknown): Promise<Outcome> {
    if (error instanceof NoAnswer) {
      this.online.set(error.reached && navigator.onLine);
      this.bePatient(error.retryAfterMs);
      // An error of one record must not block the next ones.
      return error.reached && error.retryAfterMs === undefined ? 'later' : 'not now';
    }
    if (!(error instanceof ApiError)) throw error;
    this.online.set(true);
    if (error.status === 401) {
      await this.sessions.ended(token);
      return 'not now';
    }
    if (PASSING.has(error.status) || error.code === 'IDEMPOTENCY_KEY_IN_USE') {
      this.bePatient(error.retryAfterMs);
      return 'not now';
    }
    if (error.code === NOT_RELEASED) {
      // Without the release, the record waits again for a sign-in of its own member.
      await this.terminals.withdrawRelease();
      return 'done';
    }
    if (error.code === TAKER_NOT_SIGNED_IN) {
      this.ownersOnly.add(record.key);
      return 'done';
    }
    await this.queue.refuse(record.key, { code: error.code, message: error.message });
    return 'done';
  }

  private bePatient(ms: number | undefined): void {
    // Limits the wait, because a proxy could demand a very long one.
    if (ms !== undefined) this.notBefore = performance.now() + Math.min(ms, MOST_PATIENCE_MS);
  }

  private retryLater(): void {
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(this.failures - 1, 10));
    // A random wait, so that terminals on the same network do not all send at the same time when the network
    // returns.
    const wait = longest * (0.5 + Math.random() / 2);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.nudge(), Math.max(wait, this.notBefore - performance.now()));
  }

  private mayGo({ key, owner, event, body }: QueuedRecord): boolean {
    const session = this.sessions.session.now;
    if (!session || session.ended) return false;
    // The server no longer has the rehearsal, and answers so. The volunteer can then discard the record.
    if (isRehearsal(event.id) && this.terminals.rehearsal.now === null) return true;
    if (session.event.id !== event.id) return false;
    if (owner.id === session.user.id) return true;
    return !this.ownersOnly.has(key) && this.terminals.isReleased(body.recordedAt);
  }
}
