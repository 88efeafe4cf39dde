import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createEvent } from '../support/fixtures.js';
import { withEvent } from '../support/setup.js';
import { until } from '../support/until.js';
import { WallClient } from '../support/wall-client.js';

interface Row {
  readonly name: string;
  readonly raised: number | null;
}

const evening = withEvent({ each: true });
const { app, admin, event } = evening;
let wall: WallClient;
let teams: { id: string }[];

beforeEach(async () => {
  const { body } = await admin
    .post(`/events/${event.id}/teams/tables`, { count: 25, name: 'Table' })
    .expect(201);
  teams = (body as { data: { id: string }[] }).data;
  wall = await WallClient.connect(app.url);
  await wall.join(event.id);
});
afterEach(() => {
  wall.close();
});

const boards = () => wall.received.filter(({ topic }) => topic === 'board.changed');
const rowsOf = (message: { body: object } | undefined) =>
  (message?.body as { data?: Row[] } | undefined)?.data ?? [];
const give = (donorName: string | undefined, amount = 10_000, table = 0) =>
  admin
    .post('/donations', { eventId: event.id, type: 'cash', amount, donorName, teamId: teams[table]?.id })
    .expect(201);
const exact = async (gifts: number) => {
  await until(async () => {
    const { body } = await admin.get(`/events/${event.id}/teams`).expect(200);
    return (body as { data: { id: string; gifts: number }[] }).data[0]?.gifts === gifts;
  });
};
const rest = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

it('a wall gets the first 20 rows of the public board within two seconds after a donation for a team', async () => {
  for (const name of ['Ada', 'Grace', 'Zoë']) await give(name);
  await wall.until(() => rowsOf(boards().at(-1))[0]?.raised === 30_000, 'the board', 2_500);
  const message = boards().at(-1);
  expect(message?.body).toMatchObject({ eventId: event.id, currency: 'eur', by: 'raised', minGifts: 3 });
  const { body } = await app.http.get(`/events/${event.slug}/board`).expect(200);
  expect(rowsOf(message)).toEqual((body as { data: Row[] }).data.slice(0, 20));
});

it('a wall gets at most one board a second, however many donations arrive', async () => {
  for (let gift = 0; gift < 60; gift++) {
    await give(`Donor ${gift}`, 5_000, gift % 3);
    await rest(40);
  }
  await wall.until(() => rowsOf(boards().at(-1))[2]?.raised === 100_000, 'the last board');
  const times = boards().map(({ at }) => at);
  expect(times.length).toBeGreaterThan(2);
  for (const [index, at] of times.slice(1).entries()) expect(at - (times[index] ?? 0)).toBeGreaterThan(850);
});

it('a donation that the board hides causes no message, so that its moment names no team', async () => {
  for (const name of ['Ada', 'Grace', 'Zoë']) await give(name);
  await wall.until(() => rowsOf(boards().at(-1))[0]?.raised === 30_000, 'the board');
  await rest(3_000);
  const before = boards().length;
  await give(undefined);
  await exact(4);
  await rest(6_000);
  expect(boards()).toHaveLength(before);
});

it('a wall of an event without teams gets no board', async () => {
  const other = await createEvent(app, admin.token);
  const elsewhere = await WallClient.connect(app.url);
  await elsewhere.join(other.id);
  await admin
    .post('/donations', { eventId: other.id, type: 'cash', amount: 5_000, donorName: 'Ada' })
    .expect(201);
  await rest(6_000);
  expect(elsewhere.received.map(({ topic }) => topic)).not.toContain('board.changed');
  elsewhere.close();
});
