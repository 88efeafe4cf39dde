import { beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { NO_LIMITS, startApp } from '../support/app.js';
import { as, confirmed, errorBody } from '../support/bearer.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { withEvent, withMade } from '../support/setup.js';
import { enrolTerminal, signInOn } from '../support/terminals.js';

const WRONG = '9999999999';
const {
  app,
  admin: signedIn,
  event,
} = withEvent({ start: () => startApp({ TRUST_PROXY: '1' }), each: true });
const admin = withMade(() => confirmed(app, signedIn.token), beforeAll);

const pin = (address: string, code: string, deviceToken?: string, at = event.id) => {
  const request = supertest(app.url).post('/auth/staff/login').set('X-Forwarded-For', address);
  if (deviceToken !== undefined) void request.set('X-Device-Token', deviceToken);
  return request.send({ code, eventId: at });
};

describe('sign-in on an enrolled terminal', () => {
  it('a terminal signs in while other devices at the same address are rate limited', async () => {
    const { code } = await createStaff(app, signedIn.token, event.id);
    const { deviceToken } = await enrolTerminal(app, signedIn.token);
    let last = 0;
    for (let guess = 0; guess < 10 && last !== 429; guess++) last = (await pin('203.0.113.9', WRONG)).status;
    expect(last).toBe(429);
    // After too many wrong PINs, even the correct PIN must wait, except on the enrolled terminal.
    await pin('203.0.113.9', code).expect(429);
    await pin('203.0.113.9', code, deviceToken).expect(200);
  });

  it('the terminal keeps its own limit at an event that it has never used', async () => {
    const elsewhere = await createEvent(app, signedIn.token);
    const member = await createStaff(app, signedIn.token, elsewhere.id);
    const { deviceToken } = await enrolTerminal(app, signedIn.token, 'Table 4', event.id);
    for (let guess = 0; guess < 40; guess++) await pin(`203.0.${guess}.1`, WRONG, undefined, elsewhere.id);
    await pin('203.0.99.1', member.code, undefined, elsewhere.id).expect(429);
    await pin('203.0.99.1', member.code, deviceToken, elsewhere.id).expect(200);
  });

  it('wrong PINs on one terminal do not limit other terminals', async () => {
    const { code } = await createStaff(app, signedIn.token, event.id);
    const [one, other] = [await enrolTerminal(app, signedIn.token), await enrolTerminal(app, signedIn.token)];
    const statuses: number[] = [];
    for (let guess = 0; guess < 7; guess++)
      statuses.push((await pin(`198.51.100.${guess}`, WRONG, one.deviceToken)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    await pin('198.51.100.1', code, one.deviceToken).expect(429);
    await pin('198.51.100.1', code, other.deviceToken).expect(200);
  });

  it('each terminal has its own limit of sign-ins per minute', async () => {
    const limited = await startApp(
      { TRUST_PROXY: '1' },
      {
        limits: { ...NO_LIMITS, authPerMinute: 2 },
      },
      app.databaseUrl,
    );
    try {
      const { code } = await createStaff(app, signedIn.token, event.id);
      const [one, other] = [
        await enrolTerminal(app, signedIn.token),
        await enrolTerminal(app, signedIn.token),
      ];
      const signIn = (token: string) =>
        supertest(limited.url)
          .post('/auth/staff/login')
          .set('X-Device-Token', token)
          .send({ code, eventId: event.id });
      await signIn(one.deviceToken).expect(200);
      await signIn(one.deviceToken).expect(200);
      await signIn(one.deviceToken).expect(429);
      await signIn(other.deviceToken).expect(200);
      // A forged terminal token does not get its own counter.
      const forged = other.deviceToken.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
      await signIn(forged).expect(200);
      await signIn(forged).expect(200);
      await signIn(`${forged.slice(0, -2)}xx`).expect(429);
    } finally {
      await limited.close();
    }
  });

  it('records name the terminal of the sign-in, and the list names its member', async () => {
    const member = await createStaff(app, signedIn.token, event.id, 'Grace Hopper');
    const terminal = await enrolTerminal(app, signedIn.token);
    const staff = as(app, await signInOn(app, terminal, member.code, event.id));
    const { body } = await staff.post('/donations', { amount: 2500, type: 'cash' }).expect(201);
    expect(body).toMatchObject({ terminalId: terminal.id, staffId: member.id });
    const { data } = (await admin.get('/terminals').expect(200)).body as {
      data: { id: string; staff: object }[];
    };
    expect(data.find(({ id }) => id === terminal.id)?.staff).toEqual({ id: member.id, name: 'Grace Hopper' });
  });
});

describe('auth.enrolledTerminalsOnly', () => {
  const refused = errorBody(403, 'Forbidden', 'TERMINAL_NOT_ENROLLED');
  const only = (value: boolean | null) =>
    admin.patch('/settings/global', { auth: { enrolledTerminalsOnly: value } }).expect(200);

  it('the setting refuses other devices with right and wrong PINs equally', async () => {
    const { code } = await createStaff(app, signedIn.token, event.id);
    const { deviceToken, id } = await enrolTerminal(app, signedIn.token);
    await only(true);
    try {
      expect((await pin('192.0.2.1', code).expect(403)).body).toEqual(refused);
      expect((await pin('192.0.2.1', WRONG).expect(403)).body).toEqual(refused);
      await pin('192.0.2.1', code, deviceToken).expect(200);
      await admin.delete(`/terminals/${id}`).expect(200);
      expect((await pin('192.0.2.1', code, deviceToken).expect(403)).body).toEqual(refused);
    } finally {
      await only(null);
    }
    await pin('192.0.2.1', code).expect(200);
  });

  it('the setting allows PINs of four digits, which are refused without it', async () => {
    const create = (code: string) => admin.post('/staff', { name: 'Ada', code });
    expect((await create('4711').expect(400)).body).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: 'code must be 6 to 10 digits',
    });
    const { deviceToken } = await enrolTerminal(app, signedIn.token);
    await only(true);
    try {
      await create('471').expect(400);
      const { body } = await create('4711').expect(201);
      const { id } = body as { id: string };
      await admin.post(`/events/${event.id}/staff/${id}`).expect(201);
      await pin('192.0.2.7', '4711', deviceToken).expect(200);
    } finally {
      await only(null);
      await sql(app, 'DELETE FROM event_staff WHERE event_id = $1', [event.id]);
    }
  });
});
