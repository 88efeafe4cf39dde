import { describe, expect, it } from '@jest/globals';
import { createStaff } from '../support/fixtures.js';
import { withEvent } from '../support/setup.js';
import { WallClient } from '../support/wall-client.js';

describe('signed-in sockets', () => {
  const { app, admin, event } = withEvent();

  it('sockets connect with a token in the handshake or the header, and without a token', async () => {
    for (const options of [
      { auth: { token: admin.token } },
      { extraHeaders: { authorization: `Bearer ${admin.token}` } },
      { auth: {} },
      { auth: { token: '' } },
    ]) {
      const wall = await WallClient.connect(app.url, options);
      expect(await wall.join(event.id)).toMatchObject({ joined: true });
      wall.close();
    }
  });

  it('sockets with an invalid token are refused', async () => {
    for (const token of ['nonsense', `${admin.token}x`, 7, {}, [admin.token], true])
      await expect(WallClient.connect(app.url, { auth: { token } })).rejects.toMatchObject({
        message: 'Missing or invalid token',
        data: { statusCode: 401, error: 'Unauthorized', code: 'UNAUTHORIZED' },
      });
  });

  it('only the sockets of an ended session are disconnected', async () => {
    const staff = await createStaff(app, admin.token, event.id);
    const other = await createStaff(app, admin.token, event.id, 'Other');
    const mine = await WallClient.connect(app.url, { auth: { token: staff.token } });
    const theirs = await WallClient.connect(app.url, { auth: { token: other.token } });
    const open = await WallClient.connect(app.url);
    const cut = new Promise((resolve) => mine.socket.once('disconnect', resolve));
    await admin.delete(`/staff/${staff.id}`).expect(200);
    expect(await cut).toBe('io server disconnect');
    await expect(WallClient.connect(app.url, { auth: { token: staff.token } })).rejects.toThrow();
    expect([theirs.socket.connected, open.socket.connected]).toEqual([true, true]);
    for (const wall of [theirs, open]) wall.close();
  });

  it('sockets of a staff member are disconnected when the event removes the member', async () => {
    const staff = await createStaff(app, admin.token, event.id);
    const wall = await WallClient.connect(app.url, { auth: { token: staff.token } });
    const cut = new Promise((resolve) => wall.socket.once('disconnect', resolve));
    await admin.delete(`/events/${event.id}/staff/${staff.id}`).expect(200);
    expect(await cut).toBe('io server disconnect');
  });
});
