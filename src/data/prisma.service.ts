import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { causesOf } from '../common/errors/sql-state.js';
import { AppConfig } from '../config/app-config.js';
import { Database, type Statement } from './database.js';
import type { Prisma, PrismaClient } from './generated/client.js';

/** What to do after the commit of each open transaction. */
const actionsOf = new WeakMap<Prisma.TransactionClient, (() => void)[]>();

/** Of values, as many as were asked for. */
const LIST = / IN \(\$\d+,/;

/**
 * Prisma on the shared pool, for everything that is not a hot path. Loaded with its first query: its library and what
 * it works out of the schema take more memory than all of our own code, and donors and walls never need it.
 */
@Injectable()
export class PrismaService implements OnApplicationShutdown {
  private opened: Promise<PrismaClient> | undefined;

  constructor(
    private readonly database: Database,
    private readonly config: AppConfig,
  ) {}

  async client(): Promise<PrismaClient> {
    return await (this.opened ??= this.open());
  }

  /**
   * One transaction, run again after a transient conflict: it must have no effect outside the database but those of
   * `afterCommit`.
   */
  async transaction<Result>(work: (tx: Prisma.TransactionClient) => Promise<Result>): Promise<Result> {
    const client = await this.client();
    let actions: (() => void)[] = [];
    const result = await this.database.retried(() =>
      client.$transaction((tx) => {
        actionsOf.set(tx, (actions = []));
        return work(tx);
      }),
    );
    for (const action of actions) action();
    return result;
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.opened)?.$disconnect();
  }

  private async open(): Promise<PrismaClient> {
    const [{ PrismaPg }, { PrismaClient }] = await Promise.all([
      import('@prisma/adapter-pg'),
      import('./generated/client.js'),
    ]);
    const { statementMs, answerMs } = this.config.databaseTimes;
    return new PrismaClient({
      // The pool and the server have limits of their own; Prisma's, two seconds and five, would come before them.
      transactionOptions: { maxWait: answerMs, timeout: statementMs + answerMs },
      adapter: new PrismaPg(this.database.pool, {
        // Named statements are planned once for each connection, and stay there: one for every length of a list would be too many.
        statementNameGenerator: ({ sql }) =>
          LIST.test(sql) ? '' : `p${createHash('sha1').update(sql).digest('base64url').slice(0, 16)}`,
      }),
    });
  }
}

/** Runs `action` after the commit of a transaction of `PrismaService`, never after a rollback. */
export function afterCommit(tx: Prisma.TransactionClient, action: () => void): void {
  const actions = actionsOf.get(tx);
  if (!actions) throw new Error('This is no open transaction of PrismaService');
  actions.push(action);
}

/**
 * Takes a lock until the commit, which Prisma cannot say: of a row (`SELECT … FOR UPDATE`), or an advisory one. Read
 * after it: a row may have changed while the lock was waited for.
 */
export async function lock(
  tx: Prisma.TransactionClient,
  { text }: Statement,
  values: readonly unknown[] = [],
): Promise<void> {
  await tx.$executeRawUnsafe(text, ...values);
}

/** Whether an error is Prisma's unique violation. */
export const isPrismaConflict = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === 'P2002';

/** Whether an error is Prisma's "a row that was to be changed is not there". */
export const isPrismaMissing = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === 'P2025';

/** Whether an error is Prisma's "a row that this one refers to is not there" (or "this is still referred to"), of one key where given. */
export const isPrismaForeignKey = (error: unknown, key?: string): boolean =>
  error instanceof Error &&
  (error as { code?: unknown }).code === 'P2003' &&
  (key === undefined ||
    causesOf(error).some(({ constraint }) => (constraint as { index?: unknown } | undefined)?.index === key));
