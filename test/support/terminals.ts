import supertest from 'supertest';
import type { TestApp } from './app.js';
import { as } from './bearer.js';

export interface TerminalFixture {
  readonly id: string;
  readonly deviceToken: string;
}

/** Enrols a terminal with a code of an admin. */
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

/** Signs a member in on an enrolled terminal. Returns the access token. */
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
