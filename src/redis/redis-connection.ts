/**
 * Loads the Redis client, only if Redis is configured. This is a separate file, because in the bundle, an `import()` of the
 * package itself has no named exports.
 */
export { Redis } from 'ioredis';
