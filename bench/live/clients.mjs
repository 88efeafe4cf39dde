// Many listening clients in one process, each as light as possible: a WebSocket with minimal Engine.IO, or with only JSON for
// the bare server. `fork` starts this program; it accepts `{ kind: 'join' | 'expect' }`.
import { WebSocket } from 'ws';

const AT_ONCE = 50;
const now = () => performance.timeOrigin + performance.now();

const DONATION = '42["donation.created",';
let sockets = 0;
let reached = 0;

function onDonation() {
  if (++reached === sockets) process.send({ kind: 'reached', at: now() });
}

/** Joins one client to a room. Resolves when the server has acknowledged the join. */
function join({ url, event, isBare }) {
  const address = url.replace('http', 'ws') + (isBare ? '' : '/socket.io/?EIO=4&transport=websocket');
  const request = JSON.stringify(['joinEvent', event]);
  return new Promise((resolve, reject) => {
    const web = new WebSocket(address, { perMessageDeflate: false });
    const onAnswer = (answer) => (answer.joined ? resolve() : reject(new Error(JSON.stringify(answer))));
    web.on('error', reject);
    if (isBare) web.on('open', () => web.send(request));
    web.on('message', (raw) => {
      const text = raw.toString();
      if (text.startsWith(DONATION)) onDonation();
      else if (isBare) {
        if (text.startsWith('{')) onAnswer(JSON.parse(text));
      } else if (text === '2') web.send('3');
      else if (text.startsWith('0')) web.send('40');
      else if (text.startsWith('40')) web.send(`420${request}`);
      else if (text.startsWith('430')) onAnswer(JSON.parse(text.slice(3))[0]);
    });
  });
}

process.on('message', async (order) => {
  if (order.kind === 'expect') {
    reached = 0;
    process.send({ kind: 'ready' });
    return;
  }
  for (let left = order.count; left > 0; left -= AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, left) }, () => join(order)));
  sockets += order.count;
  process.send({ kind: 'joined' });
});
process.send({ kind: 'started' });
