import bcrypt from 'bcrypt';
import { newId } from '../../src/common/crypto/ids.js';
import type { TestApp } from './app.js';
import { connections } from './database.js';

export const ADMIN_PASSWORD = 'a password for tests only';
// A hash with the lowest cost, because these tests do not check its strength.
const CHEAP_HASH = bcrypt.hashSync(ADMIN_PASSWORD, 4);

/** Runs a statement on the application's database. */
export async function sql<Row extends object>(
  app: Pick<TestApp, 'databaseUrl'>,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return (await connections(app.databaseUrl).query<Row>(text, values)).rows;
}

/** Creates an admin in the database. The password is `ADMIN_PASSWORD`. */
export async function createAdmin(
  app: Pick<TestApp, 'databaseUrl'>,
  email = `admin-${newId()}@example.org`,
  role = 'ADMIN',
): Promise<{ id: string; email: string }> {
  const id = newId();
  await sql(app, 'INSERT INTO admin (id, email, password_hash, role) VALUES ($1, $2, $3, $4::admin_role)', [
    id,
    email,
    CHEAP_HASH,
    role,
  ]);
  return { id, email };
}

/** Returns the access token of a new admin, or of a new account with another role. */
export async function adminToken(app: TestApp, role = 'ADMIN'): Promise<string> {
  const { email } = await createAdmin(app, undefined, role);
  const { body } = await app.http.post('/auth/login').send({ email, password: ADMIN_PASSWORD }).expect(200);
  return (body as { accessToken: string }).accessToken;
}

export interface EventFixture {
  readonly id: string;
  readonly slug: string;
  readonly currency: string;
}

/** Creates an event with the API. The event is active and in euro, unless `fields` say otherwise. */
export async function createEvent(
  app: TestApp,
  token: string,
  fields: Record<string, unknown> = {},
): Promise<EventFixture> {
  const slug = `event-${newId()}`;
  const { body } = await app.http
    .post('/events')
    .auth(token, { type: 'bearer' })
    .send({ name: 'Summer Gala', slug, goalAmount: 1_000_000, ...fields })
    .expect(201);
  return body as EventFixture;
}

export interface StaffFixture {
  /** The access token of the member at the event. */
  readonly token: string;
  readonly id: string;
  readonly name: string;
  /** The PIN. */
  readonly code: string;
}

/**
 * Creates a staff member with the API, assigns the member to the event and signs the member in. `token` belongs to an admin.
 */
export async function createStaff(
  app: TestApp,
  token: string,
  eventId: string,
  name = 'Maria Lopez',
): Promise<StaffFixture> {
  const { body: member } = await app.http
    .post('/staff')
    .auth(token, { type: 'bearer' })
    .send({ name })
    .expect(201);
  const { id, code } = member as { id: string; code: string };
  await app.http.post(`/events/${eventId}/staff/${id}`).auth(token, { type: 'bearer' }).expect(201);
  return { token: await staffToken(app, code, eventId), id, name, code };
}

/** Signs a staff member in again. Returns the access token. */
export async function staffToken(app: TestApp, code: string, eventId: string): Promise<string> {
  const { body } = await app.http.post('/auth/staff/login').send({ code, eventId }).expect(200);
  return (body as { accessToken: string }).accessToken;
}

/** Returns the cookies of an answer in the form in which a client sends them. */
export function cookiesOf(response: { headers: Record<string, unknown> }): string {
  const set = response.headers['set-cookie'];
  return Array.isArray(set) ? set.map((cookie: string) => cookie.split(';', 1)[0]).join('; ') : '';
}
