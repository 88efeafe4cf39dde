import { randomUUID } from 'node:crypto';
import { createStaff, sql, type StaffFixture } from '../support/fixtures.js';
import { shuffled, type World } from './world.js';

interface QueuedRecord {
  readonly key: string;
  readonly body: { readonly amount: number; readonly type: string; readonly donorEmail: string };
  /** Id of the donation in the first answer. */
  donationId?: string;
}

/**
 * A shared terminal without a network. It queues records, each with its own id. It sends each record with the session of the
 * current member until the service answers.
 */
export class TerminalQueue {
  private readonly records: QueuedRecord[] = [];
  private members: Promise<StaffFixture[]> | undefined;

  constructor(private readonly world: World) {}

  add(amount: number, donorEmail: string): void {
    this.records.push({ key: randomUUID(), body: { amount, type: 'cash', donorEmail } });
  }

  /** The sessions of both members send all records at once, each in its own order. */
  async send(random: () => number): Promise<void> {
    if (this.records.length === 0) return;
    const members = await this.signedIn();
    await Promise.all(
      members.map(async ({ token }) => {
        for (const record of shuffled(this.records, random)) await this.sendOne(record, token);
      }),
    );
  }

  /** Checks that each record became one donation with its amount, although both members sent it repeatedly. */
  async check(): Promise<void> {
    if (this.records.length === 0) return;
    const kept = await sql<{ id: string; amount: string }>(
      this.world.app,
      'SELECT id, amount::text FROM donation WHERE staff_id = ANY($1) ORDER BY id',
      [(await this.signedIn()).map(({ id }) => id)],
    );
    const answered = this.records.map(({ donationId: id, body }) => ({ id, amount: String(body.amount) }));
    const byId = (one: { id?: string | undefined }, other: { id?: string | undefined }) =>
      (one.id ?? '') < (other.id ?? '') ? -1 : 1;
    if (JSON.stringify(kept) !== JSON.stringify(answered.sort(byId)))
      throw new Error(`the queue contained ${JSON.stringify(answered)}, recorded is ${JSON.stringify(kept)}`);
  }

  /** Forgets the donations that a restored database no longer has, so that the terminal sends their records again. */
  async forgetLost(): Promise<void> {
    const rows = await sql<{ id: string }>(this.world.app, 'SELECT id FROM donation WHERE event_id = $1', [
      this.world.event.id,
    ]);
    const left = new Set(rows.map(({ id }) => id));
    for (const record of this.records)
      if (record.donationId !== undefined && !left.has(record.donationId)) delete record.donationId;
    // After a restore, new members are missing too. The terminal creates them again when it needs them.
    const members = (await this.members) ?? [];
    const known = await sql(this.world.app, 'SELECT id FROM staff_member WHERE id = ANY($1)', [
      members.map(({ id }) => id),
    ]);
    if (known.length < members.length) this.members = undefined;
  }

  private async sendOne(record: QueuedRecord, token: string): Promise<void> {
    const { status, body } = await this.world.call('POST', '/donations', record.body, {
      authorization: `Bearer ${token}`,
      'idempotency-key': record.key,
    });
    // The key is in use, because the other session sends the same record. That session gets the answer.
    if (status !== 201) return;
    if (record.donationId !== undefined && record.donationId !== body.id)
      throw new Error(`a queued record is both ${record.donationId} and ${String(body.id)}`);
    record.donationId = body.id as string;
  }

  private signedIn(): Promise<StaffFixture[]> {
    const { app, token, event } = this.world;
    this.members ??= Promise.all(
      ['Maria Lopez', 'Alan Turing'].map((name) => createStaff(app, token, event.id, name)),
    );
    return this.members;
  }
}
