import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { adminToken, createEvent, createStaff, type EventFixture } from '../support/fixtures.js';
import { WallClient } from '../support/wall-client.js';

describe('sockets that sign in', () => {
  let app: TestApp;
  let admin: string;
  let event: EventFixture;

  beforeAll(async () => {
    app = await startApp();
    admin = await adminToken(app);
    event = await createEvent(app, admin);
  });
  afterAll(async () => {
    await app.close();
  });

  it('are let in with a token, in the handshake or in its header, and without one', async () => {
    for (const options of [
      { auth: { token: admin } },
      { extraHeaders: { authorization: `Bearer ${admin}` } },
      { auth: {} },
      { auth: { token: '' } },
    ]) {
      const wall = await WallClient.connect(app.url, options);
      expect(await wall.join(event.id)).toMatchObject({ joined: true });
      wall.close();
    }
  });

  it('are refused with a token that is not one', async () => {
    for (const token of ['nonsense', `${admin}x`, 7, {}, [admin], true])
      await expect(WallClient.connect(app.url, { auth: { token } })).rejects.toMatchObject({
        message: 'Missing or invalid token',
        data: { statusCode: 401, error: 'Unauthorized', code: 'UNAUTHORIZED' },
      });
  });

  it('are cut when their session ends, and only they', async () => {
    const staff = await createStaff(app, admin, event.id);
    const other = await createStaff(app, admin, event.id, 'Other');
    const mine = await WallClient.connect(app.url, { auth: { token: staff.token } });
    const theirs = await WallClient.connect(app.url, { auth: { token: other.token } });
    const open = await WallClient.connect(app.url);
    const cut = new Promise((resolve) => mine.socket.once('disconnect', resolve));
    await app.http.delete(`/staff/${staff.id}`).auth(admin, { type: 'bearer' }).expect(200);
    expect(await cut).toBe('io server disconnect');
    await expect(WallClient.connect(app.url, { auth: { token: staff.token } })).rejects.toThrow();
    expect([theirs.socket.connected, open.socket.connected]).toEqual([true, true]);
    for (const wall of [theirs, open]) wall.close();
  });

  it('are cut when their event takes them off', async () => {
    const staff = await createStaff(app, admin, event.id);
    const wall = await WallClient.connect(app.url, { auth: { token: staff.token } });
    const cut = new Promise((resolve) => wall.socket.once('disconnect', resolve));
    await app.http
      .delete(`/events/${event.id}/staff/${staff.id}`)
      .auth(admin, { type: 'bearer' })
      .expect(200);
    expect(await cut).toBe('io server disconnect');
  });
});
