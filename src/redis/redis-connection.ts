/**
 * Loaded only if Redis is configured. In a separate file, because an `import()` of the package itself has no named exports in the bundle.
 */
export { Redis } from 'ioredis';
