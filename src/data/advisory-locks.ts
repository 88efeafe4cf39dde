import type { Statement } from './database.js';

/**
 * All advisory locks of the service. A lock has one number or two numbers. PostgreSQL never confuses the two kinds. For a lock
 * by name, `hashtextextended` turns the name and the given seed into one number.
 */

/** Prevents two concurrent migrations. One number, session lock. */
export const MIGRATION_LOCK = '7236419950178';

/** The lock that the Prisma tools take for a migration. One number, session lock. */
export const PRISMA_MIGRATION_LOCK = '72707369';

/** Allows only one active relay per database. Two numbers, session lock. */
export const RELAY_LEADER_LOCK = '1096110918, 1';

/** Seed of locks on a payment without a donation. The name consists of provider and payment id. Transaction lock. */
export const UNKNOWN_PAYMENT_SEED = 7001;

/** Seed of session locks on work that only one process may do at a time. The name of a lock is the name of the work. */
export const INSTANCE_SEED = 7002;

/** Seed of locks on the paddles of an event. The name is the id of the event. Transaction lock. */
export const PADDLES_SEED = 7003;

/** Changes of the admins who can sign in run one after another, so that at least one admin always remains. Transaction lock. */
export const ADMINS_LOCK = '1096110918, 2';

/**
 * Protects encrypted secrets during work on them at start-up, and new PINs while `PIN_SECRET` has two values. Transaction lock.
 */
export const SEALS_LOCK = '1096110918, 3';

/** Claims of Gift Aid are made one after another. Two numbers, transaction lock. */
export const GIFT_AID_CLAIMS_LOCK = '1096110918, 4';

/** API keys are made one after another, so that there are never too many. Two numbers, transaction lock. */
export const API_KEYS_LOCK = '1096110918, 5';

/**
 * Takes one of these locks until the end of the transaction. Later statements see the commits of the earlier holder of the
 * lock.
 */
export const transactionLock = (lock: string): Statement => ({
  name: `lock ${lock}`,
  text: `SELECT pg_advisory_xact_lock(${lock})`,
});
