/** What is loaded where there is a Redis: a file of its own, as an `import()` of the package itself has no names in the bundle. */
export { Redis } from 'ioredis';
