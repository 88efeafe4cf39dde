// Many listening clients in one process, as light as can be: websockets that speak just enough Engine.IO. It
// measures when each message arrived at each socket, and checks order and number.
//
// Started with `fork`; takes { kind: 'connect' | 'expect' | 'slow' } and answers by messages.
import { WebSocket } from 'ws';

const now = () => performance.timeOrigin + performance.now();

const sockets = [];
let expected = 0;
/** sequence → [first arrival, last arrival, sum, count] */
let arrivals = new Map();
let complete = 0;
let disorder = 0;
let finish;

function onDonation(socket, donation) {
  const at = now();
  if (donation.sequence !== socket.last + 1) disorder++;
  socket.last = donation.sequence;
  socket.seen++;
  const entry = arrivals.get(donation.sequence) ?? [at, at, 0, 0];
  entry[1] = at;
  entry[2] += at;
  entry[3]++;
  arrivals.set(donation.sequence, entry);
  if (socket.seen === expected && ++complete === sockets.length) finish?.();
}

const PREFIX = '42["donation.created",';
const JOINED = '42["join.answer",';

/** One Socket.IO client in a room; resolves when the server has acknowledged the join. */
function connect(url, event, atConnect) {
  return new Promise((resolve, reject) => {
    const web = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`, {
      perMessageDeflate: false,
    });
    const socket = { web, last: 0, seen: 0 };
    const onAnswer = (answer) => {
      if (!answer.joined) return reject(new Error(JSON.stringify(answer)));
      socket.last = answer.sequence;
      resolve(socket);
    };
    web.on('error', reject);
    web.on('message', (raw) => {
      const text = raw.toString();
      if (text.startsWith(PREFIX)) onDonation(socket, JSON.parse(text.slice(PREFIX.length, -1)));
      else if (text === '2') web.send('3');
      else if (text.startsWith('0')) web.send(atConnect ? `40${JSON.stringify({ joinEvent: event })}` : '40');
      else if (text.startsWith('40')) {
        if (!atConnect) web.send(`420${JSON.stringify(['joinEvent', event])}`);
      } else if (text.startsWith('430')) onAnswer(JSON.parse(text.slice(3))[0]);
      else if (text.startsWith(JOINED)) onAnswer(JSON.parse(text.slice(JOINED.length, -1)));
    });
  });
}

/** The same on a bare websocket server. */
function connectBare(url, event) {
  return new Promise((resolve, reject) => {
    const web = new WebSocket(url.replace('http', 'ws'), { perMessageDeflate: false });
    const socket = { web, last: 0, seen: 0 };
    web.on('error', reject);
    web.on('open', () => web.send(JSON.stringify(['joinEvent', event])));
    web.on('message', (raw) => {
      const text = raw.toString();
      if (text.startsWith(PREFIX)) return onDonation(socket, JSON.parse(text.slice(PREFIX.length, -1)));
      const answer = JSON.parse(text);
      if (answer.error) return reject(new Error(text));
      if (!answer.joined) return;
      socket.last = answer.sequence;
      resolve(socket);
    });
  });
}

process.on('message', async (order) => {
  if (order.kind === 'connect') {
    const one = () =>
      order.way === 'bare'
        ? connectBare(order.url, order.event)
        : connect(order.url, order.event, order.way === 'at connect');
    for (let left = order.count; left > 0; left -= 50)
      sockets.push(...(await Promise.all(Array.from({ length: Math.min(50, left) }, one))));
    process.send({ kind: 'connected', count: sockets.length });
  }
  if (order.kind === 'expect') {
    expected = order.count;
    complete = 0;
    disorder = 0;
    arrivals = new Map();
    for (const socket of sockets) socket.seen = 0;
    const timer = setTimeout(() => finish(), order.timeout);
    finish = () => {
      clearTimeout(timer);
      finish = undefined;
      process.send({ kind: 'heard', complete, sockets: sockets.length, disorder, arrivals: [...arrivals] });
    };
    process.send({ kind: 'listening' });
  }
  if (order.kind === 'sleep') {
    // Takes nothing from the network any more, as a telephone that fell asleep.
    for (const { web } of sockets) web._socket.pause();
    process.send({ kind: 'asleep' });
  }
  if (order.kind === 'count')
    process.send({ kind: 'count', open: sockets.filter(({ web }) => web.readyState === 1).length });
});
process.send({ kind: 'started' });
