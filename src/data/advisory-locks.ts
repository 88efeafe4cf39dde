import type { Statement } from './database.js';

/**
 * All advisory locks of the service. PostgreSQL separates locks with one number from locks with two. A name is
 * hashed into one number by `hashtextextended` with the given seed.
 */

/** Prevents two migrations at once: one number, session lock. */
export const MIGRATION_LOCK = '7236419950178';

/** The same lock of the Prisma tools: one number, session lock. */
export const PRISMA_MIGRATION_LOCK = '72707369';

/** Allows only one active relay per database: two numbers, session lock. */
export const RELAY_LEADER_LOCK = '1096110918, 1';

/** Seed of locks on a payment without a donation, by provider and payment id; transaction lock. */
export const UNKNOWN_PAYMENT_SEED = 7001;

/** Seed of locks on work that only one process may do at a time, by name; session lock. */
export const INSTANCE_SEED = 7002;

/** Serializes changes of the admins who can sign in, so that at least one always remains; transaction lock. */
export const ADMINS_LOCK = '1096110918, 2';

/** For work on encrypted secrets at start-up, and for new PINs while `PIN_SECRET` has two values; transaction lock. */
export const SEALS_LOCK = '1096110918, 3';

/** Takes one of these locks until the end of the transaction. Later statements see the commits of the previous holder. */
export const transactionLock = (lock: string): Statement => ({
  name: `lock ${lock}`,
  text: `SELECT pg_advisory_xact_lock(${lock})`,
});
