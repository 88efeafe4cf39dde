import { Injectable } from '@nestjs/common';
import { KeyRing } from '../../common/crypto/key-ring.js';
import type { Prisma } from '../../data/generated/client.js';
import { donorKeyOf } from '../../donations/recording/new-donation.js';
import { WITH_HOLDER } from '../dto/guest.dto.js';
import {
  type Decision,
  GuestPlan,
  type GuestValues,
  IMPORTED_FIELDS,
  type PaddleOfRow,
} from './guest-plan.js';

type Created = Extract<Decision, { outcome: 'created' }>;
type Changed = Extract<Decision, { outcome: 'changed' }>;

/** The values of a guest before the import. */
export type GuestBefore = Partial<GuestValues> & {
  readonly paddle?: string | null;
  readonly sharesPaddleWith?: string | null;
};

/** A row of an import that created or changed a guest. */
export interface ImportedRow {
  readonly number: number;
  readonly guestId: string;
  /** Null for a guest that the import created. */
  readonly before: GuestBefore | null;
  readonly appliedAt: Date;
}

/** Writes the guests of an import. Every function needs the lock of `lockPaddles`. */
@Injectable()
export class GuestImport {
  constructor(private readonly keys: KeyRing) {}

  /** Returns a plan that contains the current guests of an event. */
  async plan(tx: Prisma.TransactionClient, eventId: string): Promise<GuestPlan> {
    const rows = await tx.guest.findMany({
      where: { eventId },
      include: WITH_HOLDER,
      orderBy: { id: 'asc' },
    });
    return new GuestPlan(
      rows.map((row) => ({
        ...(Object.fromEntries(IMPORTED_FIELDS.map((field) => [field, row[field]])) as GuestValues),
        id: row.id,
        importKey: row.importKey && Buffer.from(row.importKey).toString('hex'),
        paddle: row.paddle ?? row.paddleHolder?.paddle ?? null,
        sharesPaddleWith: row.sharesPaddleWith,
      })),
    );
  }

  /**
   * Writes new and changed guests.
   * @param at becomes `updatedAt` of the guests
   * @returns the values before the import for each changed guest
   */
  async write(
    tx: Prisma.TransactionClient,
    eventId: string,
    decisions: readonly (Created | Changed)[],
    at: Date,
  ): Promise<Map<string, GuestBefore>> {
    const created = decisions
      .filter((one) => one.outcome === 'created')
      .map(({ id, key, values: { name, ...values }, lastName, paddle }) => ({
        ...this.columns(values),
        ...paddleColumns(paddle, at),
        id,
        eventId,
        name: name ?? '',
        lastName: lastName ?? null,
        importKey: new Uint8Array(Buffer.from(key, 'hex')),
        updatedAt: at,
      }));
    const changed = decisions.filter((one) => one.outcome === 'changed');
    const before = await this.valuesBefore(tx, changed);
    const newPaddles = changed.filter(({ paddle }) => paddle !== undefined).map(({ id }) => id);
    // Two guests can exchange their paddles, so all old paddles are removed before the first new paddle is
    // set.
    await tx.guest.updateMany({ where: { id: { in: newPaddles } }, data: NO_PADDLE });
    // Guests who share no paddle are created first, because a guest who shares a paddle may come before the
    // holder in the file.
    await tx.guest.createMany({ data: created.filter((row) => row.sharesPaddleWith === null) });
    for (const { id, values, lastName, paddle } of changed) {
      const holder = paddle && 'sharesPaddleWith' in paddle ? paddle.sharesPaddleWith : undefined;
      if (holder !== undefined)
        await tx.guest.updateMany({ where: { sharesPaddleWith: id }, data: { sharesPaddleWith: holder } });
      await tx.guest.update({
        where: { id },
        data: {
          ...this.columns(values),
          ...(lastName !== undefined && { lastName }),
          ...(paddle && paddleColumns(paddle, at)),
          updatedAt: at,
        },
      });
    }
    await tx.guest.createMany({ data: created.filter((row) => row.sharesPaddleWith !== null) });
    return before;
  }

  private async valuesBefore(
    tx: Prisma.TransactionClient,
    changed: readonly Changed[],
  ): Promise<Map<string, GuestBefore>> {
    const rows = await tx.guest.findMany({ where: { id: { in: changed.map(({ id }) => id) } } });
    const stored = new Map(rows.map((row) => [row.id, row]));
    return new Map(
      changed.map(({ id, before, paddle }) => {
        const row = stored.get(id);
        const old = row && { paddle: row.paddle, sharesPaddleWith: row.sharesPaddleWith };
        return [id, { ...before, ...(paddle && old) }];
      }),
    );
  }

  /**
   * Returns the rows of an import that cannot be undone: the guest was changed later, or another guest has
   * the guest's earlier paddle now.
   */
  async changedSince(
    tx: Prisma.TransactionClient,
    eventId: string,
    rows: readonly ImportedRow[],
  ): Promise<{ number: number; name: string }[]> {
    const stored = await tx.guest.findMany({ where: { eventId } });
    const byId = new Map(stored.map((guest) => [guest.id, guest]));
    const holders = new Map(
      stored.flatMap((guest) => (guest.paddle === null ? [] : [[guest.paddle, guest.id]])),
    );
    const imported = new Set(rows.map(({ guestId }) => guestId));
    return rows.flatMap(({ number, guestId, appliedAt, before }) => {
      const guest = byId.get(guestId);
      // A guest who was deleted later stays deleted.
      if (!guest) return [];
      const holder = before?.paddle ? holders.get(before.paddle) : undefined;
      const isTaken = holder !== undefined && !imported.has(holder);
      const isChanged = guest.updatedAt.getTime() !== appliedAt.getTime();
      return isTaken || isChanged ? [{ number, name: guest.name }] : [];
    });
  }

  /** Deletes the guests that an import created, and restores the earlier values of the changed guests. */
  async undo(tx: Prisma.TransactionClient, rows: readonly ImportedRow[]): Promise<void> {
    const created = rows.filter(({ before }) => before === null).map(({ guestId }) => guestId);
    await tx.guest.deleteMany({ where: { id: { in: created } } });
    const changed = rows.filter(({ before }) => before !== null);
    const withPaddle = changed.filter(({ before }) => before?.paddle !== undefined);
    await tx.guest.updateMany({
      where: { id: { in: withPaddle.map(({ guestId }) => guestId) } },
      data: NO_PADDLE,
    });
    for (const { guestId, before } of changed) {
      const { paddle, sharesPaddleWith, ...values } = before ?? {};
      await tx.guest.updateMany({
        where: { id: guestId },
        data: {
          ...this.columns(values),
          ...(paddle ? { paddle, paddleGivenAt: new Date() } : {}),
          ...(sharesPaddleWith ? { sharesPaddleWith } : {}),
        },
      });
    }
  }

  private columns(values: Partial<GuestValues>) {
    const { email, name, isVip, needsHelp, ...texts } = values;
    return {
      ...texts,
      // Null does not change these three fields, because every guest has values for them.
      ...(isGiven(name) && { name }),
      ...(isGiven(isVip) && { isVip }),
      ...(isGiven(needsHelp) && { needsHelp }),
      ...(email === undefined ? {} : { email, donorKey: bytes(donorKeyOf(this.keys, email)) }),
    };
  }
}

const isGiven = <Value>(value: Value): value is NonNullable<Value> => value !== undefined && value !== null;

const bytes = (key: Buffer | null) => key && new Uint8Array(key);

const NO_PADDLE = {
  paddle: null,
  paddleGivenAt: null,
  sharesPaddleWith: null,
  contestedPaddle: null,
} as const;

const paddleColumns = (paddle: PaddleOfRow | undefined, at: Date) => ({
  ...NO_PADDLE,
  ...(paddle && ('paddle' in paddle ? { paddle: paddle.paddle, paddleGivenAt: at } : paddle)),
});
