import { afterEach, describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { createTestDatabase } from '../support/database.js';
import { NO_LIMITS, startApp, type TestApp } from '../support/app.js';
import {
  ADMIN_PASSWORD,
  adminToken,
  cookiesOf,
  createAdmin,
  createEvent,
  createStaff,
} from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withOpened } from '../support/setup.js';

const LIMITS = { ...NO_LIMITS, perMinute: 100, authPerMinute: 10 };

const database = withOpened(() => createTestDatabase());
let app: TestApp;
/**
 * Starts the application with the limits of section 8, or with a lower limit per minute. The counters of each start are empty.
 */
const start = async (environment: NodeJS.ProcessEnv = {}, perMinute = LIMITS.perMinute) => {
  const limits = { ...LIMITS, perMinute };
  app = await startApp({ TRUST_PROXY: '1', ...environment }, { limits }, database.url);
};
const from = (address: string, request: Test) => request.set('X-Forwarded-For', address);
const http = () => app.http;
const statuses = async (count: number, request: () => Test): Promise<number[]> => {
  const all: number[] = [];
  for (let done = 0; done < count; done++) all.push((await request()).status);
  return all;
};
const times = (count: number, status: number) => Array<number>(count).fill(status);

afterEach(() => app.close());

describe('default limits per address', () => {
  it('an address may send 100 requests a minute to all routes; then it gets 429', async () => {
    await start();
    const paths = ['/events/public', '/settings/global', '/events/no-such-event', '/no/such/route', '/staff'];
    for (let done = 0; done < 100; done++) {
      const { status } = await from('10.0.0.1', http().get(paths[done % paths.length] ?? ''));
      expect([200, 401, 404]).toContain(status);
    }
    for (const path of paths) {
      const response = await from('10.0.0.1', http().get(path)).expect(429);
      expect(response.body).toEqual({
        statusCode: 429,
        message: 'Too many requests',
        error: 'Too Many Requests',
        code: 'RATE_LIMITED',
      });
      expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(60);
    }
    await from('10.0.0.2', http().get('/events/public')).expect(200);
  });

  it('standard headers show the remaining requests', async () => {
    await start();
    await from('10.0.0.3', http().get('/events/public'));
    const { headers } = await from('10.0.0.3', http().get('/events/public')).expect(200);
    expect(headers['ratelimit-policy']).toBe('"default";q=100;w=60');
    expect(headers.ratelimit).toMatch(/^"default";r=98;t=(60|59)$/);
    expect(headers['ratelimit-limit']).toBe('100');
    expect(headers['ratelimit-remaining']).toBe('98');
    expect(Number(headers['ratelimit-reset'])).toBeGreaterThan(50);
  });

  it('requests with unreadable bodies and pages of the API description are counted', async () => {
    await start({}, 20);
    const broken = () =>
      from('10.0.0.4', http().post('/auth/login').set('Content-Type', 'application/json').send('{"broken'));
    expect(await statuses(19, broken)).toEqual(times(19, 400));
    await from('10.0.0.4', http().get('/docs/openapi.json')).expect(200);
    expect((await broken()).status).toBe(429);
    await from('10.0.0.4', http().get('/docs/openapi.json')).expect(429);
  });

  it('a client cannot set its address by a header without a trusted proxy', async () => {
    await start({ TRUST_PROXY: 'false' }, 20);
    for (let done = 0; done < 20; done++)
      await from(`10.2.0.${done}`, http().get('/events/public')).expect(200);
    await from('10.2.0.200', http().get('/events/public')).expect(429);
  });
});

describe('limits of the authentication routes per address', () => {
  const login = (address: string) =>
    from(
      address,
      http()
        .post('/auth/staff/login')
        .send({ code: '1234', eventId: `e-${Math.random()}` }),
    );

  it('an address may send 10 requests a minute to the authentication routes; then it gets 429', async () => {
    await start();
    await from('10.0.1.1', http().post('/auth/login').send({})).expect(400);
    await from('10.0.1.1', http().post('/auth/refresh')).expect(401);
    expect(await statuses(8, () => login('10.0.1.1'))).toEqual(times(8, 401));
    const { headers } = await login('10.0.1.1').expect(429);
    expect(headers['ratelimit-policy']).toBe('"default";q=100;w=60, "auth";q=10;w=60');
    expect(headers['ratelimit-limit']).toBe('10');
    expect(headers['ratelimit-remaining']).toBe('0');
    await from('10.0.1.1', http().post('/auth/login').send({})).expect(429);
    await from('10.0.1.1', http().get('/events/public')).expect(200);
    await login('10.0.1.2').expect(401);
  });

  it('a valid token does not raise the number of guesses of an address', async () => {
    await start();
    const token = await adminToken(app);
    const all = await statuses(11, () => login('10.0.1.3').auth(token, { type: 'bearer' }));
    expect(all).toEqual([...times(10, 401), 429]);
  });
});

describe('one IPv6 site', () => {
  it('all networks of one IPv6 site are counted together', async () => {
    await start({}, 5);
    let allowed = 0;
    for (let network = 0; network < 50; network++)
      if ((await from(`2001:db8:77:${network}::1`, http().get('/events/public'))).status === 200) allowed++;
    expect(allowed).toBe(40);
    await from('2001:db8:78::1', http().get('/events/public')).expect(200);
  });
});

describe('limits with a token', () => {
  it('a valid token has its own limit, so that a venue behind one address works', async () => {
    await start({}, 20);
    const admin = await adminToken(app);
    const event = await createEvent(app, admin);
    const { token } = await createStaff(app, admin, event.id);
    const venue = '10.0.2.1';
    for (let done = 0; done < 20; done++) await from(venue, http().get('/events/public')).expect(200);
    await from(venue, http().get('/events/public')).expect(429);
    const asStaff = () => from(venue, http().get('/events').auth(token, { type: 'bearer' }));
    expect(await statuses(21, asStaff)).toEqual([...times(20, 200), 429]);
    await from(venue, http().get('/events').auth(admin, { type: 'bearer' })).expect(200);
  });

  it('any number of people at a venue can sign out', async () => {
    await start();
    const admin = await adminToken(app);
    const event = await createEvent(app, admin);
    const venue = '10.0.2.2';
    const { code } = await createStaff(app, admin, event.id);
    for (let terminal = 0; terminal < 12; terminal++) {
      const { body } = await from(
        `10.0.3.${terminal}`,
        http().post('/auth/staff/login').send({ code, eventId: event.id }),
      );
      const { accessToken } = body as { accessToken: string };
      await from(venue, http().post('/auth/logout').auth(accessToken, { type: 'bearer' })).expect(200);
    }
  });

  it('an invalid token has no own limit', async () => {
    await start({}, 20);
    const request = () => from('10.0.2.3', http().get('/events/public').auth('nonsense', { type: 'bearer' }));
    expect(await statuses(21, request)).toEqual([...times(20, 200), 429]);
  });
});

describe('a device with an earlier sign-in', () => {
  const venue = '10.0.5.1';
  /** A staff member signs in at the venue. Then the guests use up the limit of the venue's address. */
  const busyVenue = async () => {
    await start({}, 20);
    const { email } = await createAdmin(app);
    const event = await createEvent(app, await adminToken(app));
    const { code } = await createStaff(app, await adminToken(app), event.id);
    const asAdmin = () => from(venue, http().post('/auth/login').send({ email, password: ADMIN_PASSWORD }));
    const asStaff = () => from(venue, http().post('/auth/staff/login').send({ code, eventId: event.id }));
    const desk = cookiesOf(await asAdmin().expect(200));
    const till = cookiesOf(await asStaff().expect(200));
    while ((await from(venue, http().get('/events/public'))).status !== 429);
    return { asAdmin, asStaff, desk, till };
  };
  const renew = (cookie: string) => from(venue, http().post('/auth/refresh').set('Cookie', cookie));

  it('a known device signs in and renews although guests have used up the limit of the venue', async () => {
    const { asAdmin, asStaff, desk, till } = await busyVenue();
    await asStaff().expect(429);
    await asStaff().set('Cookie', till).expect(200);
    await asAdmin().expect(429);
    await asAdmin().set('Cookie', desk).expect(200);
    await renew('').expect(429);
    await renew(desk).expect(200);
  });

  it('a known device renews at each page load, within the general limit', async () => {
    const { desk } = await busyVenue();
    const all = await statuses(21, () => renew(desk));
    expect(all).toEqual([...times(20, 200), 429]);
  });

  it('a known device can always load the dashboard and the till, because these pages have no limit', async () => {
    await busyVenue();
    for (const path of ['/admin', '/admin/donations', '/pos', '/pos/service-worker.js']) {
      const { headers } = await from(venue, http().get(path)).expect(200);
      expect(headers['ratelimit-limit']).toBeUndefined();
    }
    await from(venue, http().get('/')).expect(429);
  });

  it('a known device still has only ten sign-ins a minute', async () => {
    const { desk } = await busyVenue();
    const wrong = () => from(venue, http().post('/auth/login').set('Cookie', desk).send({}));
    expect(await statuses(11, wrong)).toEqual([...times(10, 400), 429]);
  });
});

describe('the network of a venue', () => {
  it('the page of the evening shows a network that is often refused and not in TRUSTED_NETWORKS', async () => {
    await start({}, 20);
    const admin = await adminToken(app);
    const { id } = await createEvent(app, admin);
    const crowded = async () => {
      const { body } = await from('10.0.6.9', http().get(`/events/${id}/tonight`)).auth(admin, {
        type: 'bearer',
      });
      return (body as { crowdedAddresses: unknown }).crowdedAddresses;
    };
    const open = (hall: string) => from(hall, http().get('/events/public'));
    await statuses(39, () => open('10.0.6.1'));
    expect(await crowded()).toEqual([]);
    await open('10.0.6.1').expect(429);
    await statuses(45, () => open('2001:db8:6::1'));
    expect(await crowded()).toEqual([
      { address: '2001:db8:6:0::/64', refused: 25 },
      { address: '10.0.6.1', refused: 20 },
    ]);
  });

  it('the page of the evening also shows a network with refused donations', async () => {
    // Starts the service with payments, because refused requests use up a budget only with payments.
    app = await startPaymentsApp({ TRUST_PROXY: '1' }, { limits: { ...NO_LIMITS, intentsPerAddress: 2 } });
    const admin = await adminToken(app);
    const { id } = await createEvent(app, admin);
    const give = () =>
      from(
        '10.0.6.2',
        http()
          .post('/donations/intent')
          .send({ amount: 500, metadata: { eventId: id } }),
      );
    const all = await statuses(22, give);
    expect(all.slice(2)).toEqual(times(20, 429));
    const { body } = await http().get(`/events/${id}/tonight`).auth(admin, { type: 'bearer' }).expect(200);
    expect((body as { crowdedAddresses: unknown }).crowdedAddresses).toEqual([
      { address: '10.0.6.2', refused: 20 },
    ]);
  });
});

describe('TRUSTED_NETWORKS', () => {
  it('TRUSTED_NETWORKS raises the limits of a venue', async () => {
    await start({ TRUSTED_NETWORKS: '10.9.0.0/16, 2001:db8::/32' });
    const { headers } = await from('10.9.1.1', http().get('/events/public')).expect(200);
    expect(headers['ratelimit-limit']).toBe('5000');
    const v6 = await from('2001:db8::1', http().get('/events/public')).expect(200);
    expect(v6.headers['ratelimit-limit']).toBe('5000');
    const elsewhere = await from('10.8.1.1', http().get('/events/public')).expect(200);
    expect(elsewhere.headers['ratelimit-limit']).toBe('100');
  });

  it('TRUSTED_NETWORKS does not raise the limit of sign-ins, because that would allow more guesses', async () => {
    await start({ TRUSTED_NETWORKS: '10.9.0.0/16' });
    const login = () => from('10.9.1.2', http().post('/auth/login').send({}));
    expect(await statuses(11, login)).toEqual([...times(10, 400), 429]);
  });

  it('trusted terminals need no TRUSTED_NETWORKS: each has its own limit of sign-ins at any address', async () => {
    await start();
    const admin = await adminToken(app);
    const event = await createEvent(app, admin);
    const { code } = await createStaff(app, admin, event.id);
    const venue = '10.9.1.3';
    const login = () => from(venue, http().post('/auth/staff/login').send({ code, eventId: event.id }));
    const till = cookiesOf(await login().expect(200));
    expect(await statuses(10, login)).toEqual([...times(9, 200), 429]);
    await login().set('Cookie', till).expect(200);
  });
});

describe('routes without a limit', () => {
  it.each(['/donations/cardprocessor/webhook', '/donations/wallet/webhook'])(
    '%s has no limit, because its signature is verified',
    async (path) => {
      await start({}, 20);
      for (let done = 0; done < 30; done++) {
        const { status, headers } = await from('10.0.4.1', http().post(path).send({ id: 'evt' }));
        expect(status).not.toBe(429);
        expect(headers['ratelimit-limit']).toBeUndefined();
      }
    },
  );

  it.each(['/health/live', '/health/ready'])(
    '%s has no limit, because a balancer probes often',
    async (path) => {
      await start({}, 20);
      for (let done = 0; done < 30; done++) await from('10.0.4.2', http().get(path)).expect(200);
    },
  );
});
