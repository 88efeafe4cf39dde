// Runs the attacks in a separate process, so that they do not delay the timers of the honest clients. The parent process sends
// an attack and its end time. This process returns the service's answers, counted by kind. Every attack ends on time and opens
// a limited number of connections.
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { ask, pause, VENUE } from './service.mjs';

const VICTIM = 'victim@example.org';
const WRONG_PIN = () => String(1_000_000_000 + Math.floor(Math.random() * 8_000_000_000));

/** Runs `places` parallel loops of `work` until the end time. Each loop has a number. */
const loops = (places, until, work) =>
  Promise.all(
    Array.from({ length: places }, async (_, place) => {
      for (let n = 0; Date.now() < until; n++) await work(place, n);
    }),
  );

const raw = (url, text, until) =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    let got = '';
    const end = setTimeout(() => socket.destroy(), Math.max(1, until - Date.now()));
    socket.on('data', (bytes) => {
      got += bytes;
      if (/^HTTP\/1\.1 \d+/.test(got)) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(end);
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(got)?.[1] ?? 0));
    });
  });

/**
 * Opens connections that send a request head, then repeat the same piece without end, and never read. Opens a closed
 * connection again.
 */
const pour = (url, head, piece, until, note) =>
  loops(10, until, async () => {
    const how = await new Promise((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      const end = setTimeout(
        () => {
          resolve('not cut');
          socket.destroy();
        },
        Math.max(1, until - Date.now()),
      );
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearTimeout(end);
        resolve('cut');
      });
      socket.write(head);
      const more = () => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('drain', more);
      more();
    });
    note(how);
    await pause(20);
  });
const WRITE = 65_536;

const ATTACKS = {
  'pings without end': ({ url }, until, note) =>
    pour(
      url,
      'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nX-Forwarded-For: 91.10.0.1\r\n\r\n',
      Buffer.alloc(WRITE - (WRITE % 6), Buffer.from([0x89, 0x80, 0, 0, 0, 0])),
      until,
      note,
    ),
  'requests in one go': ({ url }, until, note) =>
    pour(url, '', 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(1_500), until, note),
  'offers in one go': ({ url }, until, note) =>
    pour(
      url,
      '',
      'GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'.repeat(
        800,
      ),
      until,
      note,
    ),
  'bodies in tiny parts': ({ url }, until, note) =>
    pour(
      url,
      'POST /donations/cardprocessor/webhook HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n',
      '1\r\n \r\n'.repeat(WRITE / 6),
      until,
      note,
    ),
  'client downloads': ({ url }, until, note) =>
    loops(40, until, async (place, n) => {
      const file = ['socket.io.js', 'socket.io.js.map', 'socket.io.esm.min.js'][n % 3];
      note((await ask(`${url}/socket.io/${file}`, { address: `91.1.0.${place}` })).status);
    }),
  'handshake flood': ({ url }, until, note) =>
    loops(50, until, async () => {
      const { status } = await ask(`${url}/socket.io/?EIO=4&transport=polling`, { address: '91.2.0.1' });
      note(status);
    }),
  'snapshot flood': async ({ url, event }, until, note) => {
    await loops(300, until, async (place) => {
      await new Promise((resolve) => {
        const web = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`, {
          headers: { 'X-Forwarded-For': `91.3.0.${place % 20}` },
        });
        const end = setTimeout(() => web.terminate(), Math.max(1, until - Date.now()));
        let answers = 0;
        web.on('error', () => undefined);
        web.on('close', () => {
          clearTimeout(end);
          resolve();
        });
        web.on('message', (message) => {
          const text = message.toString();
          if (text === '2') web.send('3');
          else if (text.startsWith('0')) web.send('40');
          else if (text.startsWith('40'))
            for (let n = 0; n < 20; n++)
              web.send(`42${n}${JSON.stringify(['joinEvent', { eventId: event.id, snapshot: true }])}`);
          else if (/^43\d/.test(text)) {
            note(text.includes('"statusCode":') ? /"statusCode":(\d+)/.exec(text)[1] : 200);
            if (++answers === 20) web.terminate();
          }
        });
      });
      await pause(20);
    });
  },
  'admin sign-in flood': ({ url }, until, note) =>
    loops(60, until, async (place, n) => {
      const body = { email: `nobody-${place}-${n}@example.org`, password: 'wrong' };
      const { status } = await ask(`${url}/auth/login`, { address: `91.4.${place}.1`, body });
      note(status);
      // Pauses after a refusal, because with these pauses the attacker gets more places in the queue.
      if (status >= 429) await pause(500);
    }),
  'wrong PINs of strangers': ({ url, event }, until, note) =>
    loops(30, until, async (place, n) => {
      // One of the attackers is a guest with an address of the venue.
      const address = place === 0 ? `${VENUE}1` : `91.${50 + (place % 10)}.${place}.${n % 250}`;
      const body = { code: WRONG_PIN(), ...(place % 3 ? { eventId: event.id } : {}) };
      const { status } = await ask(`${url}/auth/staff/login`, { address, body });
      note(status);
      if (status >= 429) await pause(100);
    }),
  'PINs guessed by a member': ({ url, event, insider }, until, note) =>
    loops(8, until, async (place, n) => {
      const own = n % 5 === 0;
      const body = { code: own ? insider.code : WRONG_PIN(), eventId: event.id };
      const { status } = await ask(`${url}/auth/staff/login`, {
        address: `91.6.0.${place}`,
        cookie: insider.cookie,
        body,
      });
      note(own ? `own ${status}` : status);
      if (status >= 429) await pause(20);
    }),
  'intents of 152 addresses': ({ url, event }, until, note) =>
    loops(152, until, async (place, n) => {
      const metadata = { eventId: event.id, donorEmail: `a-${place}-${n}@example.org` };
      const { status } = await ask(`${url}/donations/intent`, {
        address: `91.7.${place}.1`,
        body: { amount: 100, metadata },
      });
      note(status);
      if (status >= 429) await pause(250);
    }),
  "intents with a donor's e-mail": ({ url, event }, until, note) =>
    loops(10, until, async (place) => {
      const { status } = await ask(`${url}/donations/intent`, {
        address: `91.8.${place}.1`,
        body: { amount: 100, metadata: { eventId: event.id, donorEmail: VICTIM } },
      });
      note(status);
      if (status >= 429) await pause(50);
    }),
  'upgrade requests': ({ url }, until, note) =>
    loops(40, until, async (place) => {
      const text = `GET /events/public HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 91.9.0.${place}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`;
      note(await raw(url, text, until));
    }),
  'unfinished bodies': ({ url }, until, note) =>
    loops(300, until, async (place) => {
      const text = `POST /donations/intent HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 91.10.0.${place % 250}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"amount":`;
      note((await raw(url, text, until)) || 'held open');
    }),
  'ZIP of unshapeable names': ({ url, other, attackingAdmin }, until, note) =>
    loops(3, until, async (place, n) => {
      const { status, bytes } = await ask(`${url}/export/receipts/zip?eventId=${other.id}`, {
        address: `91.12.${place}.${n & 255}`,
        token: attackingAdmin.accessToken,
      });
      // True if the file contains the end record of a ZIP, so it is complete.
      const whole = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6])) > 0;
      note(status === 200 ? (whole ? 'whole' : 'cut off') : status);
      if (status >= 429) await pause(100);
    }),
  'totals out of range': ({ url, attacking }, until, note) =>
    loops(32, until, async (place, n) => {
      const { status } = await ask(`${url}/donations`, {
        address: `91.11.${place}.${(n >> 6) & 255}`,
        token: attacking.token,
        body: { amount: 1_000_000_000_000, type: 'cash' },
      });
      note(status);
    }),
};

process.on('message', async ({ evening, attack, until }) => {
  if (attack === undefined) {
    process.send({ attacks: Object.keys(ATTACKS), victim: VICTIM });
    return;
  }
  const answers = {};
  await ATTACKS[attack](evening, until, (answer) => (answers[answer] = (answers[answer] ?? 0) + 1));
  process.send({ answers });
});
process.once('disconnect', () => process.exit(0));
