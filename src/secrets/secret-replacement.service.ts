import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { KeyRing } from '../common/crypto/key-ring.js';
import { Database, type Transaction } from '../data/database.js';
import { donorText } from '../donations/recording/new-donation.js';
import {
  DONOR_KEY,
  KEEP_DONOR_KEY,
  LOCK_SEALS,
  MADE_BEFORE,
  RECENT_DONORS,
  SEAL_DONOR_KEY,
  SEALED_KINDS,
  type SealedKind,
} from './sealed-rows.sql.js';
import { replacementLine, type Remaining } from './replacement-line.js';

const RETRY_MS = 1_000;

interface KeptDonorKey {
  /** The decrypted donor key; undefined if no value of `PIN_SECRET` decrypts the stored key. */
  readonly key: Buffer | undefined;
  readonly replacedAt: Date | null;
}

/**
 * Reads the donor key before the server listens. While `PIN_SECRET` has two values, encrypts with the first value all data that
 * only the second value decrypts. Another process may run at the same time with the two values in the other order: each process
 * writes a row only if it is unchanged since it was read, and each can decrypt the other's ciphertexts.
 */
@Injectable()
export class SecretReplacement implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Secrets');
  private retry: NodeJS.Timeout | undefined;
  private failed = false;
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
  ) {}

  async onModuleInit(): Promise<void> {
    this.keys.awaitDonorKey();
    await this.attempt();
  }

  onApplicationShutdown(): void {
    this.stopped = true;
    clearTimeout(this.retry);
  }

  /** Repeats until the work succeeds. Otherwise, after a database outage at the start, the service would have no donor key. */
  private async attempt(): Promise<void> {
    try {
      await this.prepare();
    } catch (error) {
      if (!this.failed)
        this.logger.warn(
          `Cannot read the donor key; trying again. Until then, the service cannot count donors: ${String(error)}`,
        );
      this.failed = true;
      if (!this.stopped) this.retry = setTimeout(() => void this.attempt(), RETRY_MS).unref();
    }
  }

  private async prepare(): Promise<void> {
    const { kept, remaining } = await this.database.transaction(async (tx) => {
      await tx.query(LOCK_SEALS);
      const donorKey = await this.keptDonorKey(tx);
      return {
        kept: donorKey,
        remaining: this.keys.hasTwoValues ? await this.remainingAfterSealing(tx, donorKey) : undefined,
      };
    });
    this.keys.useDonorKey(kept.key);
    if (kept.key === undefined)
      this.logger.warn(
        'The donor key was encrypted with another PIN_SECRET, so earlier donors count as new ones. ' +
          'Set PIN_SECRET to the new and the old value; see "Secrets" in docs/operating.md',
      );
    if (remaining) this.logger.log(replacementLine(remaining));
  }

  /** Returns the stored donor key, and encrypts it with the first value. If no key is stored yet, stores the current key. */
  private async keptDonorKey(tx: Transaction): Promise<KeptDonorKey> {
    const [row] = await tx.query<{ sealed: Buffer; replaced_at: Date | null }>(DONOR_KEY);
    if (!row) return await this.keepDonorKey(tx);
    const opened = this.keys.tryOpen('kept-key-seal', row.sealed);
    if (!opened) return { key: undefined, replacedAt: row.replaced_at };
    const key = Buffer.from(opened.text, 'hex');
    if (opened.byFirst) return { key, replacedAt: row.replaced_at };
    const sealed = this.keys.seal('kept-key-seal', opened.text);
    const [again] = await tx.query<{ replaced_at: Date }>(SEAL_DONOR_KEY, [sealed, row.sealed]);
    return { key, replacedAt: again?.replaced_at ?? row.replaced_at };
  }

  /**
   * Selects the donor key to store. If `PIN_SECRET` has two values, selects the value whose key recent donations use; without
   * donations, the first value.
   */
  private async keepDonorKey(tx: Transaction): Promise<KeptDonorKey> {
    const candidates = this.keys.donorKeysByValue();
    const donors = this.keys.hasTwoValues
      ? await tx.query<{ email: string; key: Buffer }>(RECENT_DONORS)
      : [];
    const inUse = candidates.findIndex(({ digest }) =>
      donors.some(({ email, key }) => digest(donorText(email)).equals(key)),
    );
    const key = candidates[Math.max(inUse, 0)]?.bytes;
    if (!key) throw new Error('PIN_SECRET has no value');
    await tx.query(KEEP_DONOR_KEY, [this.keys.seal('kept-key-seal', key.toString('hex')), inUse > 0]);
    return { key, replacedAt: inUse > 0 ? new Date() : null };
  }

  private async remainingAfterSealing(
    tx: Transaction,
    { key, replacedAt }: KeptDonorKey,
  ): Promise<Remaining> {
    const rows: Remaining['rows'][number][] = [];
    for (const kind of SEALED_KINDS) rows.push(await this.sealAgain(tx, kind));
    const [made] = replacedAt
      ? await tx.query<{ terminals: number; accounts: number }>(MADE_BEFORE, [replacedAt])
      : [];
    return {
      rows,
      replacedAt,
      terminals: made?.terminals ?? 0,
      accounts: made?.accounts ?? 0,
      keyOpens: key !== undefined,
    };
  }

  private async sealAgain(tx: Transaction, kind: SealedKind): Promise<Remaining['rows'][number]> {
    const { purpose, one, many } = kind;
    let [bySecond, byNone] = [0, 0];
    for (const { id, sealed } of await tx.query<{ id: string; sealed: Buffer }>(kind.read)) {
      const opened = this.keys.tryOpen(purpose, sealed);
      if (!opened) byNone++;
      if (!opened || opened.byFirst) continue;
      const values: unknown[] = [id, sealed, this.keys.seal(purpose, opened.text)];
      if (purpose === 'pin-seal') values.push(this.keys.digest('pin-digest', opened.text));
      if ((await tx.query(kind.write, values)).length === 0) bySecond++;
    }
    return { one, many, bySecond, byNone };
  }
}
