import { describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import {
  ADMIN_PASSWORD,
  cookiesOf,
  createAdmin,
  createEvent,
  createStaff,
  sql,
} from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';

const WRONG = '9999999999';
const app = withService(() => startApp({ TRUST_PROXY: '1' }));
const admin = withAdmin(app);
let blocks = 0;
/** Returns a new address block for each call, as if it belonged to another internet provider. */
const newBlock = () => `20.${blocks++}`;
const pin = (address: string, code: string, eventId?: string, cookie = '') =>
  app.http
    .post('/auth/staff/login')
    .set('X-Forwarded-For', address)
    .set('Cookie', cookie)
    .send({ code, ...(eventId ? { eventId } : {}) });
const password = (address: string, email: string, secret: string, cookie = '') =>
  app.http
    .post('/auth/login')
    .set('X-Forwarded-For', address)
    .set('Cookie', cookie)
    .send({ email, password: secret });
/** Guesses from new addresses of one block until the service answers 429. Returns the number of guesses before that answer. */
async function guessFrom(block: string, eventId?: string): Promise<number> {
  for (let tried = 0; tried < 100; tried++)
    if ((await pin(`${block}.1.${tried}`, WRONG, eventId)).status === 429) return tried;
  return 100;
}

describe('guessing admin passwords from many addresses', () => {
  it('the trusted device of an admin can sign in during an attack on passwords', async () => {
    const { email } = await createAdmin(app);
    const device = cookiesOf(await password(`${newBlock()}.0.1`, email, ADMIN_PASSWORD).expect(200));
    let refused = 0;
    let over = false;
    const flood = Array.from({ length: 60 }, async (_, guesser) => {
      for (let round = 0; !over; round++) {
        const { status } = await password(`30.0.0.${guesser}`, `nobody-${guesser}-${round}@x.org`, 'wrong');
        if (status === 503) {
          refused++;
          await new Promise((resolve) => setTimeout(resolve, 500));
        }
      }
    });
    while (refused === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const statuses: number[] = [];
    for (let tries = 0; tries < 3; tries++)
      statuses.push((await password(`${newBlock()}.0.1`, email, ADMIN_PASSWORD, device)).status);
    over = true;
    await Promise.all(flood);
    expect(statuses).toEqual([200, 200, 200]);
  });

  it('simultaneous password guesses from one address do not fill the queue for other addresses', async () => {
    const { email } = await createAdmin(app);
    const [one, other] = [newBlock(), newBlock()];
    const flood = Array.from({ length: 60 }, (_, n) => password(`${one}.0.1`, `nobody-${n}@x.org`, 'wrong'));
    const [first] = flood.map((request) => request.then(({ status }) => status));
    await password(`${other}.0.1`, email, ADMIN_PASSWORD).expect(200);
    expect([401, 503]).toContain(await first);
  });

  it('password guesses from all networks of one IPv6 site are counted together', async () => {
    const { email } = await createAdmin(app);
    const from = (site: string, network: number) =>
      password(`2001:db8:${site}:${network.toString(16)}::1`, email, 'wrong');
    for (let network = 0; network < 20; network++) await from('aa', network).expect(401);
    await from('aa', 99).expect(429);
    await from('ab', 0).expect(401);
  });
});

describe('guessing PINs as a stranger', () => {
  it('thirty wrong PINs from one network block strangers there, but no new terminal elsewhere', async () => {
    const event = await createEvent(app, admin.token);
    const { code } = await createStaff(app, admin.token, event.id);
    const attackers = newBlock();
    expect(await guessFrom(attackers, event.id)).toBe(30);
    await pin(`${attackers}.9.9`, code, event.id).expect(429);
    await pin(`${newBlock()}.0.1`, code, event.id).expect(200);
  });

  it('fifteen wrong PINs without an event block no new terminal elsewhere', async () => {
    const event = await createEvent(app, admin.token);
    const { code } = await createStaff(app, admin.token, event.id);
    expect(await guessFrom(newBlock())).toBe(15);
    await pin(`${newBlock()}.0.1`, code).expect(200);
  });

  it('PIN guesses from many networks leave a share of the limit for a network without guesses', async () => {
    const event = await createEvent(app, admin.token);
    const { code } = await createStaff(app, admin.token, event.id);
    for (let networks = 0, tried = 30; tried === 30 && networks < 10; networks++)
      tried = await guessFrom(newBlock(), event.id);
    const another = newBlock();
    await pin(`${another}.0.1`, WRONG, event.id).expect(401);
    await pin(`${another}.0.2`, WRONG, event.id).expect(401);
    await pin(`${another}.0.3`, code, event.id).expect(429);
    await pin(`${newBlock()}.0.1`, code, event.id).expect(200);
  });

  it('PIN guesses do not block a terminal that was signed in at another event', async () => {
    const earned = await createEvent(app, admin.token);
    const attacked = await createEvent(app, admin.token);
    const first = await createStaff(app, admin.token, earned.id);
    const second = await createStaff(app, admin.token, attacked.id);
    const terminal = cookiesOf(await pin(`${newBlock()}.0.1`, first.code, earned.id).expect(200));
    const attackers = newBlock();
    await guessFrom(attackers, attacked.id);
    await pin(`${attackers}.9.9`, second.code, attacked.id).expect(429);
    await pin(`${attackers}.9.9`, second.code, attacked.id, terminal).expect(200);
  });

  it('wrong PINs from a guest at the venue delay new terminals there until an admin unlocks them', async () => {
    const event = await createEvent(app, admin.token);
    const { code, token } = await createStaff(app, admin.token, event.id);
    const venue = `${newBlock()}.0.1`;
    const till = cookiesOf(await pin(venue, code, event.id).expect(200));
    for (let wrong = 1; wrong <= 5; wrong++) await pin(venue, WRONG, event.id).expect(401);
    await pin(venue, code, event.id, till).expect(200);
    await pin(venue, code, event.id).expect(429);
    const unlock = () => app.http.post('/auth/staff/unlock');
    await unlock().expect(401);
    await unlock().auth(token, { type: 'bearer' }).expect(403);
    const { body } = await unlock().auth(admin.token, { type: 'bearer' }).expect(200);
    expect(body).toEqual({ unlocked: true });
    await pin(venue, code, event.id).expect(200);
    const rows = await sql(app, "SELECT actor_kind FROM audit_entry WHERE action = 'staff.unlock'");
    expect(rows).toEqual([{ actor_kind: 'admin' }]);
  });
});

describe('guessing PINs as a staff member', () => {
  it('a correct PIN between the guesses does not reset their count', async () => {
    const event = await createEvent(app, admin.token);
    const { code } = await createStaff(app, admin.token, event.id);
    const address = `${newBlock()}.0.1`;
    let tried = 0;
    for (let attempt = 0; attempt < 40; attempt++) {
      if ((await pin(address, WRONG, event.id)).status === 401) tried++;
      await pin(address, code, event.id);
    }
    // The first five guesses do not wait. In a slow run, one or two of the doubled waiting times may also end.
    expect(tried).toBeLessThan(10);
  });

  it('signing in with new terminals does not allow more guesses', async () => {
    const event = await createEvent(app, admin.token);
    const { code } = await createStaff(app, admin.token, event.id);
    const block = newBlock();
    let tried = 0;
    for (let device = 0; device < 40; device++) {
      const address = `${block}.2.${device}`;
      const signedIn = await pin(address, code, event.id);
      const cookie = signedIn.status === 200 ? cookiesOf(signedIn) : '';
      for (let guess = 0; guess < 6; guess++)
        if ((await pin(address, WRONG, event.id, cookie)).status === 401) tried++;
    }
    // The ten devices make five guesses each. Their network allows thirty guesses of unknown devices.
    expect(tried).toBeLessThanOrEqual(100);
  });

  it('the terminal cookie of a removed staff member allows no additional guesses', async () => {
    const event = await createEvent(app, admin.token);
    const gone = await createStaff(app, admin.token, event.id);
    const { code } = await createStaff(app, admin.token, event.id);
    const terminal = cookiesOf(await pin(`${newBlock()}.0.1`, gone.code, event.id).expect(200));
    const attackers = newBlock();
    await guessFrom(attackers, event.id);
    await pin(`${attackers}.9.1`, WRONG, event.id, terminal).expect(401);
    await admin.delete(`/staff/${gone.id}`).expect(200);
    await pin(`${attackers}.9.2`, code, event.id, terminal).expect(429);
  });
});
