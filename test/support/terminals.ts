import supertest from 'supertest';
import type { TestApp } from './app.js';
import { as } from './bearer.js';

export interface TerminalFixture {
  readonly id: string;
  readonly deviceToken: string;
}

/** A terminal enrolled with an admin's code. */
export async function enrolTerminal(
  app: TestApp,
  adminToken: string,
  name = 'Table 4',
  eventId?: string,
): Promise<TerminalFixture> {
  const { body: made } = await as(app, adminToken).post('/terminals/codes', { name, eventId }).expect(201);
  const { code } = made as { code: string };
  const { body } = await supertest(app.url).post('/terminals/enrol').send({ code }).expect(201);
  const { terminal, deviceToken } = body as { terminal: { id: string }; deviceToken: string };
  return { id: terminal.id, deviceToken };
}

/** The access token of a sign-in on an enrolled terminal. */
export async function signInOn(
  app: TestApp,
  { deviceToken }: TerminalFixture,
  code: string,
  eventId: string,
): Promise<string> {
  const { body } = await supertest(app.url)
    .post('/auth/staff/login')
    .set('X-Device-Token', deviceToken)
    .send({ code, eventId })
    .expect(200);
  return (body as { accessToken: string }).accessToken;
}
