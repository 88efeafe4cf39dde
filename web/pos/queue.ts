import type { DonationDto } from '../../src/donations/dto/donation.dto.js';
import type { Database, Transaction } from './database.js';
import type { LogEntry, QueuedRecord, RecordBody, Refusal, SentRecord } from './records.js';
import { type Tabs, tabs } from './tabs.js';
import { Value } from './value.js';

const HOUR = 3_600_000;
/** Age of the first attempt after which a record is not sent again automatically. The server keeps a key for three days. */
const KEY_GOOD_MS = 60 * HOUR;
const SUMMARIES_KEPT_MS = 36 * HOUR;

type Booked = Pick<DonationDto, 'id' | 'status' | 'createdAt'>;

/**
 * Records on the disk of this terminal that the server has not answered for yet. Each step is one database transaction.
 * So the records stay correct if the browser ends between two steps, or if two tabs are open.
 */
export class Queue {
  readonly waiting = new Value<readonly QueuedRecord[]>([]);
  readonly sent = new Value<readonly SentRecord[]>([]);
  private readonly tabs: Tabs;

  constructor(private readonly database: Database) {
    this.tabs = tabs('pos-queue', () => void this.load().catch(() => undefined));
  }

  async load(): Promise<void> {
    const [waiting, sent] = await this.database.read(['queue', 'sent'], (tx) =>
      Promise.all([tx.all<QueuedRecord>('queue'), tx.all<SentRecord>('sent')]),
    );
    this.waiting.set(waiting.sort(byTime((record) => record.body.recordedAt)));
    this.sent.set(sent.sort(byTime((record) => record.recordedAt)));
  }

  /** @throws StorageError if the record was not stored. Then the volunteer must not take money. */
  async add(record: QueuedRecord): Promise<void> {
    await this.change(['queue'], (tx) => tx.put('queue', record));
  }

  /**
   * Checks if the terminal can store data: writes a few kilobytes and deletes them.
   * @throws StorageError
   */
  async probe(): Promise<void> {
    await this.database.write(['meta'], (tx) => tx.put('meta', 'x'.repeat(4_096), 'probe'));
    await this.database.write(['meta'], (tx) => tx.delete('meta', 'probe'));
  }

  /** Marks a record as sent and returns it. Returns undefined if the record must not be sent any more. */
  async claim(key: string): Promise<QueuedRecord | undefined> {
    return await this.change(['queue'], async (tx) => {
      const record = await tx.get<QueuedRecord>('queue', key);
      if (record?.state !== 'waiting') return undefined;
      const triedAt = record.triedAt ?? Date.now();
      const late = Date.now() - triedAt > KEY_GOOD_MS && record.booked === undefined;
      const claimed: QueuedRecord = { ...record, triedAt, ...(late && { state: 'unsure' }) };
      if (late || record.triedAt === undefined) tx.put('queue', claimed);
      return late ? undefined : claimed;
    });
  }

  /** Call it when the server has booked the record. Removes the record, or keeps it until its pending undo is done. */
  async settle(key: string, booked: Booked): Promise<void> {
    await this.change(['queue', 'sent'], async (tx) => {
      const record = await tx.get<QueuedRecord>('queue', key);
      if (!record) return;
      if (record.undo && booked.status !== 'CANCELLED') {
        tx.put('queue', { ...record, booked } satisfies QueuedRecord);
        return;
      }
      tx.delete('queue', key);
      tx.put('sent', summaryOf(record, booked));
    });
  }

  /**
   * Call it when the server refused the undo. The donation stays on the server, so the record has the state
   * of a sent record.
   */
  async stands(key: string): Promise<void> {
    await this.change(['queue', 'sent'], async (tx) => {
      const record = await tx.get<QueuedRecord>('queue', key);
      if (!record?.booked) return;
      tx.delete('queue', key);
      tx.put('sent', summaryOf(record, record.booked));
    });
  }

  /** Call it when the server refused the record. The record stays here with the reason until the volunteer decides. */
  async refuse(key: string, refusal: Refusal): Promise<void> {
    await this.change(['queue', 'log'], async (tx) => {
      const record = await tx.get<QueuedRecord>('queue', key);
      if (!record) return;
      if (record.undo) this.removed(tx, record, 'taken back', record.owner.name);
      else tx.put('queue', { ...record, state: 'refused', refusal } satisfies QueuedRecord);
    });
  }

  /** @returns true if the record was removed immediately; false if it will be undone after the server has answered */
  async takeBack(key: string, who: string): Promise<boolean> {
    return await this.change(['queue', 'log'], async (tx) => {
      const record = await tx.get<QueuedRecord>('queue', key);
      if (!record) return false;
      if (record.triedAt === undefined) {
        this.removed(tx, record, 'taken back', who);
        return true;
      }
      tx.put('queue', { ...record, undo: true } satisfies QueuedRecord);
      return false;
    });
  }

  /** Replaces a refused record by a corrected record with a new key. */
  async mend(key: string, body: RecordBody, who: string): Promise<void> {
    await this.change(['queue', 'log'], async (tx) => {
      const record = await tx.get<QueuedRecord>('queue', key);
      if (record?.state !== 'refused') return;
      const newKey = crypto.randomUUID();
      this.removed(tx, record, 'mended', who, newKey);
      const { owner, event } = record;
      tx.put('queue', { key: newKey, owner, event, body, state: 'waiting' } satisfies QueuedRecord);
    });
  }

  /** Call it when an administrator has checked that an unsure record is not booked. The record is then sent again. */
  async resend(key: string): Promise<void> {
    await this.change(['queue'], async (tx) => {
      const record = await tx.get<QueuedRecord>('queue', key);
      if (record?.state !== 'unsure') return;
      const { triedAt: _, ...untried } = record;
      tx.put('queue', { ...untried, state: 'waiting' } satisfies QueuedRecord);
    });
  }

  async discard(key: string, who: string): Promise<void> {
    await this.change(['queue', 'log'], async (tx) => {
      const record = await tx.get<QueuedRecord>('queue', key);
      if (record && record.state !== 'waiting') this.removed(tx, record, 'discarded', who);
    });
  }

  /** Stores the new status of a sent record, for example after an undo. */
  async restate(id: string, status: SentRecord['status']): Promise<void> {
    await this.change(['sent'], async (tx) => {
      const record = (await tx.all<SentRecord>('sent')).find((one) => one.id === id);
      if (record) tx.put('sent', { ...record, status } satisfies SentRecord);
    });
  }

  /** Deletes the summaries of a member at the end of the shift, and all summaries older than a day and a half. */
  async forgetSent(ownerId?: string): Promise<void> {
    await this.change(['sent'], async (tx) => {
      const oldest = new Date(Date.now() - SUMMARIES_KEPT_MS).toISOString();
      for (const record of await tx.all<SentRecord>('sent'))
        if (record.ownerId === ownerId || record.recordedAt < oldest) tx.delete('sent', record.key);
    });
  }

  /** Deletes all data of the terminal except the log. First writes the unsent records to the log. */
  async clear(who: string): Promise<void> {
    await this.change(['queue', 'sent', 'log', 'meta'], async (tx) => {
      for (const record of await tx.all<QueuedRecord>('queue')) this.removed(tx, record, 'cleared', who);
      tx.clear('sent');
      tx.clear('meta');
    });
  }

  async log(): Promise<LogEntry[]> {
    return (await this.database.read(['log'], (tx) => tx.all<LogEntry>('log'))).reverse();
  }

  private removed(
    tx: Transaction,
    { key, body, event, refusal }: QueuedRecord,
    action: LogEntry['action'],
    who: string,
    newKey?: string,
  ): void {
    tx.delete('queue', key);
    const { amount, type, recordedAt } = body;
    tx.put('log', {
      at: new Date().toISOString(),
      ...{ who, action, amount, currency: event.currency, type, recordedAt, key },
      ...(newKey !== undefined && { newKey }),
      ...(refusal && { reason: refusal.code }),
    } satisfies LogEntry);
  }

  /** Changes the queue, then updates the screen of this tab and of all other tabs. */
  private async change<T>(
    stores: Parameters<Database['write']>[0],
    work: (tx: Transaction) => Promise<T> | T,
  ): Promise<T> {
    const result = await this.database.write(stores, work);
    this.tabs.announce();
    await this.load();
    return result;
  }
}

const byTime =
  <T>(time: (one: T) => string) =>
  (a: T, b: T): number =>
    time(a) < time(b) ? -1 : 1;

function summaryOf({ key, owner, event, body }: QueuedRecord, { id, status, createdAt }: Booked): SentRecord {
  const { amount, type, recordedAt, paddle, roundId } = body;
  return {
    ...{
      key,
      id,
      ownerId: owner.id,
      eventId: event.id,
      amount,
      currency: event.currency,
      type,
      status,
      recordedAt,
      bookedAt: createdAt,
    },
    ...(paddle !== undefined && { paddle }),
    ...(roundId !== undefined && { roundId }),
  };
}
