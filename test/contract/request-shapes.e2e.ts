import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { beforeAll, expect, it } from '@jest/globals';
import { createEvent } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';

const app = withService();
const admin = withAdmin(app);
let slug: string;
let id: string;
/** By route, what was written on a request or its answer that was not there from birth. */
const written = new Map<string, readonly string[]>();

beforeAll(async () => {
  ({ slug, id } = await createEvent(app, admin.token));
  const server: Server = app.app.getHttpServer();
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const atBirth = new Set([...Object.keys(request), ...Object.keys(response)]);
    const { method, url } = request;
    response.once('close', () => {
      const later = [...Object.keys(request), ...Object.keys(response)].filter((name) => !atBirth.has(name));
      written.set(`${String(method)} ${String(url)}`, later);
    });
  });
});

it('requests of every kind have the same properties from birth: to V8 they are one kind of object', async () => {
  const authorization = `Bearer ${admin.token}`;
  const donation = { amount: 500, type: 'cash', eventId: id };
  await Promise.all([
    app.http.get(`/events/${slug}`),
    app.http.get(`/events/${slug}`).set('if-none-match', '*'),
    app.http.get('/settings/payments'),
    app.http.get('/nothing/of/the/kind'),
    app.http.get('/health'),
    app.http.get('/events').set({ authorization }),
    app.http.get(`/donations?eventId=${id}`).set({ authorization }),
    app.http.post('/donations').set({ authorization }).send(donation),
    app.http.post('/donations').set({ authorization }).send({}),
    app.http.post('/auth/login').send({ email: 'nobody@example.org', password: 'wrong-password' }),
    app.http.post('/auth/refresh').set('cookie', 'a=b'),
    app.http.post('/donations/cardprocessor/webhook').send({}),
    app.http.get(`/donate/${slug}`),
    app.http.get('/pos'),
  ]);
  expect(written.size).toBeGreaterThanOrEqual(11);
  // Node counts the listeners of a request once it has some.
  const ours = [...written].map(([route, later]) => [route, later.filter((name) => name !== '_eventsCount')]);
  expect(ours).toEqual([...written.keys()].map((route) => [route, []]));
});
