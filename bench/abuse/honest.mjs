// The honest clients during an attack: an admin, a till, donors and a wall. Each client starts its next task on schedule, even
// if its previous task is still waiting. So long waits become visible.
import { io } from 'socket.io-client';
import { ask, pause, VENUE } from './service.mjs';

const WALL_MS = 5_000;

export function honestPeople(evening) {
  const { url, event, admins, tills, password } = evening;
  const adminOf = (n) => admins[n % admins.length];
  const tillOf = (n) => tills[n % tills.length];
  const samples = [];
  const seen = new Map();
  let donor = 0;
  let donorEmail;
  const started = performance.now();
  const note = (client, at, failure) => samples.push({ client, at, took: performance.now() - at, failure });

  const wall = io(url, {
    transports: ['websocket'],
    extraHeaders: { 'X-Forwarded-For': `${VENUE}2` },
  });
  wall.on('connect', () => wall.emit('joinEvent', { eventId: event.id }));
  wall.on('donation.created', ({ id }) => seen.set(id, performance.now()));

  const request = async (client, path, options, expected = 200) => {
    const at = performance.now();
    const answer = await ask(url + path, options);
    note(client, at, answer.status === expected ? undefined : answer.status);
    return { at, ...answer };
  };

  const works = {
    'admin: list': [
      250,
      (n) =>
        request('admin: list', '/donations?limit=20', {
          address: `81.1.0.${n % 8}`,
          token: adminOf(n).accessToken,
        }),
    ],
    // Admins sign in more often here than at any charity. An even higher rate would use the whole machine for password checks.
    'admin: sign in': [
      3_000,
      (n) =>
        request('admin: sign in', '/auth/login', {
          address: `81.2.${n >> 8}.${n & 255}`,
          cookie: adminOf(n).cookie,
          body: { email: adminOf(n).email, password },
        }),
    ],
    'till: record': [
      200,
      async () => {
        const body = { amount: 2500, type: 'cash', donorName: 'Ada Lovelace' };
        const { status, bytes, at } = await request(
          'till: record',
          '/donations',
          { address: `${VENUE}1`, token: tills[0].token, body },
          201,
        );
        if (status !== 201) return;
        const { id } = JSON.parse(bytes);
        while (!seen.has(id) && performance.now() - at < WALL_MS) await pause(2);
        const arrived = seen.get(id);
        seen.delete(id);
        samples.push({
          client: 'wall: gets message',
          at,
          took: (arrived ?? performance.now()) - at,
          failure: arrived === undefined ? 'nothing' : undefined,
        });
      },
    ],
    'till: sign in': [
      1_000,
      (n) =>
        request('till: sign in', '/auth/staff/login', {
          address: `${VENUE}1`,
          cookie: tillOf(n).cookie,
          body: { code: tillOf(n).code, eventId: event.id },
        }),
    ],
    'donor: intent': [
      300,
      () => {
        const who = donor++;
        const metadata = { eventId: event.id, donorEmail: donorEmail ?? `donor-${who}@example.org` };
        return request(
          'donor: intent',
          '/donations/intent',
          { address: `82.${who >> 8}.${who & 255}.7`, body: { amount: 500, metadata } },
          201,
        );
      },
    ],
    'wall: opens': [
      500,
      async () => {
        const at = performance.now();
        const socket = io(url, {
          transports: ['websocket'],
          forceNew: true,
          reconnection: false,
          extraHeaders: { 'X-Forwarded-For': `${VENUE}3` },
        });
        try {
          const answer = await new Promise((resolve) => {
            socket.once('connect_error', () => resolve({ error: { statusCode: 0 } }));
            socket
              .timeout(WALL_MS)
              .emit('joinEvent', { eventId: event.id, snapshot: true }, (error, given) =>
                resolve(error ? { error: { statusCode: 0 } } : given),
              );
          });
          note('wall: opens', at, answer.error?.statusCode);
        } finally {
          socket.disconnect();
        }
      },
    ],
  };

  let over = false;
  const running = Object.values(works).map(async ([every, work]) => {
    const open = new Set();
    for (let n = 0; !over; n++) {
      const one = work(n).finally(() => open.delete(one));
      open.add(one);
      await pause(Math.max(0, started + (n + 1) * every - performance.now()));
    }
    await Promise.all(open);
  });
  return {
    clients: [...Object.keys(works), 'wall: gets message'].sort(),
    samples,
    /** Sets the e-mail address of all donors from now on. With undefined, each donor has a different address. */
    donorsSay: (address) => void (donorEmail = address),
    stop: async () => {
      over = true;
      await Promise.all(running);
      wall.disconnect();
    },
  };
}
