import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { causesOf } from '../common/errors/sql-state.js';
import { AppConfig } from '../config/app-config.js';
import { Database, type Statement } from './database.js';
import type { Prisma, PrismaClient } from './generated/client.js';

/** Actions to run after the commit of each open transaction. */
const actionsOf = new WeakMap<Prisma.TransactionClient, (() => void)[]>();

/** Matches a list of parameters. The length of the list varies. */
const LIST = / IN \(\$\d+,/;

/**
 * Prisma on the shared pool, for all code outside the hot paths. Prisma is loaded at the first query, because the library and
 * its model of the schema need more memory than the rest of the service. Requests of donors and walls never load Prisma.
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
   * Runs one transaction. After a temporary conflict, runs it again, so it must have no effect outside the database, except by
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
      // The pool and PostgreSQL have their own limits. Prisma's default limits of two and five seconds would stop a transaction
      // earlier.
      transactionOptions: { maxWait: answerMs, timeout: statementMs + answerMs },
      adapter: new PrismaPg(this.database.pool, {
        // PostgreSQL plans a named statement once per connection and keeps it in memory. Lists of varying length would create
        // many such statements, so statements with lists have no name.
        statementNameGenerator: ({ sql }) =>
          LIST.test(sql) ? '' : `p${createHash('sha1').update(sql).digest('base64url').slice(0, 16)}`,
      }),
    });
  }
}

/** Runs `action` after the commit of a transaction of `PrismaService`, never after a rollback. */
export function afterCommit(tx: Prisma.TransactionClient, action: () => void): void {
  const actions = actionsOf.get(tx);
  if (!actions) throw new Error('This is not an open transaction of PrismaService');
  actions.push(action);
}

/**
 * Takes a lock until the commit: a row lock (`SELECT … FOR UPDATE`) or an advisory lock. Prisma has no method for locks. Read
 * the row after taking the lock, because the row may have changed during the wait.
 */
export async function lock(
  tx: Prisma.TransactionClient,
  { text }: Statement,
  values: readonly unknown[] = [],
): Promise<void> {
  await tx.$executeRawUnsafe(text, ...values);
}

/** True for Prisma's unique violation. */
export const isPrismaConflict = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === 'P2002';

/** True if Prisma reports that the row to update does not exist. */
export const isPrismaMissing = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === 'P2025';

/**
 * True for Prisma's foreign key violation: a referenced row is missing, or a row is still referenced. With `key`, true only for
 * this key.
 */
export const isPrismaForeignKey = (error: unknown, key?: string): boolean =>
  error instanceof Error &&
  (error as { code?: unknown }).code === 'P2003' &&
  (key === undefined ||
    causesOf(error).some(({ constraint }) => (constraint as { index?: unknown } | undefined)?.index === key));
