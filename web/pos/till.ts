import { showRehearsal } from '../kit/rehearsal.js';
import { serverNow } from '../kit/clock.js';
import { Database } from './database.js';
import { keepDraft } from './kept-draft.js';
import { Guests } from './guests.js';
import { exponentOf } from './model.js';
import { money, shortMoney } from './amounts.js';
import { PreferenceStore } from './preferences.js';
import { Queue } from './queue.js';
import {
  type Donor,
  type Draft,
  EMPTY_DRAFT,
  type Kind,
  type OpenEvent,
  type QueuedRecord,
  trimmed,
} from './records.js';
import { Sender } from './sender.js';
import { Sessions } from './sessions.js';
import { tone, vibrate } from './signals.js';
import { Terminals } from './terminals.js';
import { locale } from './texts.js';
import { Updates } from './updates.js';
import { Value } from './value.js';

export type ScreenName = 'till' | 'records' | 'paddles' | 'guests' | 'shift' | 'more';

/** Input for a record. The till adds the member, the event and the time. */
export interface NewRecord {
  readonly amount: number;
  readonly type: Kind;
  readonly donor?: Donor;
  readonly paddle?: string;
  readonly roundId?: string | undefined;
  readonly teamId?: string | undefined;
  readonly confirmed?: boolean;
}

const BEAT_MS = 30_000;
const BEAT_AGAIN_MS = 5_000;
/** With less free space than these bytes, the browser may refuse the next record. */
const LITTLE_SPACE = 2_000_000;

/** State and actions of the till, without the drawing. */
class Till {
  readonly screen = new Value<ScreenName>('till');
  readonly draft = new Value<Draft>(EMPTY_DRAFT);
  /** Typed table or team. It stays for the next record of the same member, who often stays at a table. */
  readonly team = new Value({ ownerId: '', typed: '' });
  /** Key of the last stored record. The till shows this record until the next one, also after a restart. */
  readonly last = new Value<string | undefined>(undefined);
  readonly storage = new Value<'fine' | 'low' | 'broken'>('fine');
  /** True while the sign-in covers the open screens, so that another member can sign in. */
  readonly signingIn = new Value(false);
  /** True if the sign-in begins with the rehearsal. */
  rehearses = false;
  /** One-time code from the address of the page. */
  readonly enrolCode = new Value<string | undefined>(undefined);
  readonly database = new Database();
  readonly queue = new Queue(this.database);
  readonly sessions = new Sessions(this.database);
  readonly terminals = new Terminals(this.database);
  readonly preferences = new PreferenceStore(this.database);
  readonly guests = new Guests(new Database('pos-guests'), this.sessions, () => this.time());
  readonly sender = new Sender(this.queue, this.sessions, this.terminals);
  readonly updates = new Updates(
    () => this.isAtRest(),
    () => this.queue.waiting.now.length > 0,
  );
  /** Reads the messages of the dashboard. Set while their strip is on the screen. */
  readInbox: (() => void) | undefined;
  private beatTimer: ReturnType<typeof setTimeout> | undefined;

  async start(): Promise<void> {
    await this.preferences.load();
    await this.checkStorage();
    await Promise.all([this.sessions.load(), this.terminals.load(), this.queue.load()]).catch(() =>
      this.storage.set('broken'),
    );
    void this.guests.start();
    keepDraft(this.draft, this.sessions.session);
    this.last.set(this.newestOwn());
    showRehearsal(this.sessions.session.now?.event.id);
    this.sessions.session.onChange(() => {
      showRehearsal(this.sessions.session.now?.event.id);
      this.sender.nudge();
      this.last.set(this.newestOwn());
    });
    this.queue.waiting.onChange(() => this.updates.applyIfIdle());
    this.draft.onChange(() => this.updates.applyIfIdle());
    this.terminals.terminal.onChange(() => this.sender.nudge());
    void this.updates.start().catch(() => undefined);
    void this.queue.forgetSent().catch(() => undefined);
    void this.sessions.refresh();
    this.sender.nudge();
    void this.beat();
    addEventListener('online', () => void this.beat());
  }

  /**
   * Stores a record on the disk, then sends it.
   * @throws StorageError if it could not be stored
   */
  async record(entered: NewRecord): Promise<QueuedRecord> {
    const { amount, type, donor = {}, paddle, roundId, teamId, confirmed } = entered;
    const session = this.sessions.session.now;
    if (!session) throw new Error('No member is signed in');
    const record: QueuedRecord = {
      key: crypto.randomUUID(),
      owner: session.user,
      event: session.event,
      body: {
        amount,
        type,
        eventId: session.event.id,
        recordedAt: this.time().toISOString(),
        ...said(donor),
        ...(confirmed && { confirmed }),
        ...(paddle !== undefined && { paddle }),
        ...(roundId !== undefined && { roundId }),
        ...(teamId !== undefined && { teamId }),
      },
      state: 'waiting',
    };
    try {
      await this.queue.add(record);
    } catch (error) {
      this.storage.set('broken');
      this.signal('problem');
      throw error;
    }
    this.last.set(record.key);
    this.signal('success');
    this.sender.nudge();
    return record;
  }

  /** Asks the browser not to delete the data of this page when the disk is full. */
  keepStorage(): void {
    void storage()
      ?.persist()
      .catch(() => false);
  }

  /** Checks if this terminal can store a record. Call it before the volunteer accepts money. */
  async checkStorage(): Promise<void> {
    try {
      await this.queue.probe();
    } catch {
      this.storage.set('broken');
      return;
    }
    const unknown: StorageEstimate = { quota: undefined, usage: undefined };
    const { quota, usage } =
      (await storage()
        ?.estimate()
        .catch(() => unknown)) ?? unknown;
    const isLow = quota !== undefined && usage !== undefined && quota - usage < LITTLE_SPACE;
    this.storage.set(isLow ? 'low' : 'fine');
  }

  /** Unanswered records: of one member, or of all members. */
  unsent(ownerId?: string): readonly QueuedRecord[] {
    return this.queue.waiting.now.filter(({ owner }) => ownerId === undefined || owner.id === ownerId);
  }

  signal(kind: 'success' | 'problem'): void {
    if (this.preferences.value.now.sound) tone(kind);
    vibrate(kind === 'success' ? 40 : [80, 60, 80]);
  }

  /** Formats an amount in the currency of an event. */
  money(amount: number, { currency }: Pick<OpenEvent, 'currency'>): string {
    return money(amount, currency, exponentOf(currency), locale.now);
  }

  shortMoney(amount: number, { currency }: Pick<OpenEvent, 'currency'>): string {
    return shortMoney(amount, currency, exponentOf(currency), locale.now);
  }

  /** The server's time, if known. */
  time(): Date {
    return new Date(serverNow());
  }

  async beat(): Promise<void> {
    clearTimeout(this.beatTimer);
    const reached = await this.terminals
      .beat(this.queue.waiting.now.length, this.sessions.session.now?.user.id)
      .catch(() => true);
    const wasOffline = !this.sender.online.now;
    this.sender.online.set(reached);
    if (reached) this.readInbox?.();
    if (reached && wasOffline) {
      this.sender.nudge();
      void this.sessions.refresh();
    }
    // A second call may have started another timer meanwhile.
    clearTimeout(this.beatTimer);
    this.beatTimer = setTimeout(() => void this.beat(), reached ? BEAT_MS : BEAT_AGAIN_MS);
  }

  /** The rehearsal that a member can join now. None while a record waits. */
  get offered() {
    return this.queue.waiting.now.length === 0 ? this.terminals.rehearsal.now : null;
  }

  /** True if a restart would interrupt no input. */
  private isAtRest(): boolean {
    return (
      this.draft.now === EMPTY_DRAFT &&
      !['paddles', 'shift'].includes(this.screen.now) &&
      document.querySelector('dialog[open], .busy') === null &&
      // A volunteer may be typing a PIN.
      !document.querySelector<HTMLInputElement>('.pin__input')?.value
    );
  }

  private newestOwn(): string | undefined {
    const { now } = this.sessions.session;
    if (!now) return undefined;
    const own = [
      ...this.queue.waiting.now.map(({ key, owner, body }) => ({ key, id: owner.id, at: body.recordedAt })),
      ...this.queue.sent.now.map(({ key, ownerId, recordedAt }) => ({ key, id: ownerId, at: recordedAt })),
    ].filter(({ id }) => id === now.user.id);
    return own.sort((a, b) => (a.at < b.at ? 1 : -1))[0]?.key;
  }
}

/** Returns only the donor fields that have a value. */
export function said({ donorName, donorEmail, message, isAnonymous, isAmountHidden }: Donor): Donor {
  const [name, email, words] = [trimmed(donorName), trimmed(donorEmail), trimmed(message)];
  return {
    ...(name !== undefined && { donorName: name }),
    ...(email !== undefined && { donorEmail: email }),
    ...(words !== undefined && { message: words }),
    ...(isAnonymous && { isAnonymous }),
    ...(isAmountHidden && { isAmountHidden }),
  };
}

export const till = new Till();

/** Undefined in Safari before 15.2. */
const storage = (): StorageManager | undefined =>
  // eslint-disable-next-line compat/compat -- asked for on the same line
  'storage' in navigator ? navigator.storage : undefined;
