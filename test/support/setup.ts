import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { startApp, type TestApp } from './app.js';
import { as, type Caller } from './bearer.js';
import { adminToken, createEvent, createStaff, type EventFixture, type StaffFixture } from './fixtures.js';
import { type RedisProcess, startRedis } from './redis.js';

/** Functions to call after all tests, in reverse order. Jest would call hooks in the order of their definition. */
const closings: (() => unknown)[] = [];

/**
 * Opens something before all tests of this file or `describe`. Closes, stops or drops it after them. A caller can assign the
 * returned object to a constant at once, but use it only in tests and hooks.
 */
export function withOpened<T extends object>(open: () => T | Promise<T>): T {
  const stand = withMade(open, beforeAll, (made) => {
    const { close, stop, drop } = made as Partial<Record<'close' | 'stop' | 'drop', () => unknown>>;
    closings.push(() => (close ?? stop ?? drop)?.call(made));
  });
  afterAll(async () => {
    await closings.pop()?.();
  });
  return stand;
}

/** Starts the service on its own database with `start`. */
export function withService<App extends TestApp = TestApp>(
  start: () => Promise<App> = startApp as () => Promise<App>,
): App {
  return withOpened(start);
}

/** Starts a Redis for the tests below `describeWithRedis`. */
export function withRedis(): RedisProcess {
  return withOpened(async () => {
    const redis = await startRedis();
    if (redis === null) throw new Error('redis-server is not installed');
    return redis;
  });
}

type Admin = Caller & { readonly token: string };

/** Creates an admin, or another role, and signs in. */
export function withAdmin(app: TestApp, role?: string): Admin {
  return withMade(async () => {
    const token = await adminToken(app, role);
    return { ...as(app, token), token };
  }, beforeAll);
}

interface Evening<App extends TestApp = TestApp> {
  readonly app: App;
  readonly admin: Admin;
  readonly event: EventFixture;
}

interface EveningOptions<App extends TestApp> {
  readonly start?: () => Promise<App>;
  /** Fields of the event, if they differ from the defaults. */
  readonly fields?: Record<string, unknown>;
  /** If true, each test gets a new event. */
  readonly each?: boolean;
}

/** Starts the service, and creates an admin and an event. */
export function withEvent<App extends TestApp = TestApp>({
  start,
  fields,
  each = false,
}: EveningOptions<App> = {}): Evening<App> {
  const app = withService(start);
  const admin = withAdmin(app);
  const event = withMade(() => createEvent(app, admin.token, fields), each ? beforeEach : beforeAll);
  return { app, admin, event };
}

/** Creates a staff member of the event and signs the member in. With `each`, for each test, because each has its own event. */
export function withStaff(
  { app, admin, event }: Evening,
  { name, each = false }: { readonly name?: string; readonly each?: boolean } = {},
): Caller & StaffFixture {
  return withMade(
    async () => {
      const member = await createStaff(app, admin.token, event.id, name);
      return { ...as(app, member.token), ...member };
    },
    each ? beforeEach : beforeAll,
  );
}

/**
 * Makes something in a hook. A caller can assign the returned object to a constant at once, but use it only in tests and
 * hooks.
 */
export function withMade<T extends object>(
  make: () => T | Promise<T>,
  hook: typeof beforeAll,
  keep: (made: T) => void = () => undefined,
): T {
  let made: T | undefined;
  hook(async () => {
    made = await make();
    keep(made);
  });
  const current = (): T => {
    if (made === undefined) throw new Error('Used before the hook that makes it');
    return made;
  };
  return new Proxy({} as T, {
    get: (_, name) => {
      const value: unknown = Reflect.get(current(), name);
      return typeof value === 'function' ? (value.bind(made) as unknown) : value;
    },
    set: (_, name, value) => Reflect.set(current(), name, value),
    has: (_, name) => Reflect.has(current(), name),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, name) => {
      const described = Reflect.getOwnPropertyDescriptor(current(), name);
      return described && { ...described, configurable: true };
    },
  });
}
