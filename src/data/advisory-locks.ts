import type { Statement } from './database.js';

/**
 * Every advisory lock of the service. PostgreSQL keeps locks of one number and of two numbers apart; a name is
 * folded into one number by `hashtextextended` with the seed given here.
 */

/** Against two migrations at once: one number, held by a session. */
export const MIGRATION_LOCK = '7236419950178';

/** The one that the Prisma tools take for the same purpose: one number, held by a session. */
export const PRISMA_MIGRATION_LOCK = '72707369';

/** The one relay at work in a database: two numbers, held by a session. */
export const RELAY_LEADER_LOCK = '1096110918, 1';

/** Seed of the locks on a payment that has no donation yet, by provider and payment id; held by a transaction. */
export const UNKNOWN_PAYMENT_SEED = 7001;

/** Seed of the locks on work that only one process does at a time, by name; held by a session. */
export const INSTANCE_SEED = 7002;

/** Changes of who can sign in as an admin, one at a time, so that one is always left; held by a transaction. */
export const ADMINS_LOCK = '1096110918, 2';

/** Work on sealed secrets at a start, and new PINs while `PIN_SECRET` has two values; held by a transaction. */
export const SEALS_LOCK = '1096110918, 3';

/** Takes one of these locks until the end of the transaction. What comes after it sees what the holder before committed. */
export const transactionLock = (lock: string): Statement => ({
  name: `lock ${lock}`,
  text: `SELECT pg_advisory_xact_lock(${lock})`,
});
