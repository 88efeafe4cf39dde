import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import { createHash } from 'node:crypto';
import { Database, retried } from './database.js';
import { type Prisma, PrismaClient } from './generated/client.js';

/** Prisma on the shared pool, for everything that is not a hot path. */
@Injectable()
export class PrismaService extends PrismaClient implements OnApplicationShutdown {
  constructor(database: Database) {
    super({
      adapter: new PrismaPg(database.pool, {
        // Named statements are planned once for each connection.
        statementNameGenerator: ({ sql }) =>
          `p${createHash('sha1').update(sql).digest('base64url').slice(0, 16)}`,
      }),
    });
  }

  /** One transaction, run again after a transient conflict: it must have no effect outside the database. */
  async transaction<Result>(work: (tx: Prisma.TransactionClient) => Promise<Result>): Promise<Result> {
    return await retried(() => this.$transaction(work));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.$disconnect();
  }
}

/** Whether an error is Prisma's unique violation. */
export const isPrismaConflict = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === 'P2002';

/** Whether an error is Prisma's "a row that was to be changed is not there". */
export const isPrismaMissing = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === 'P2025';

/** Whether an error is Prisma's "a row that this one refers to is not there". */
export const isPrismaForeignKey = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === 'P2003';
