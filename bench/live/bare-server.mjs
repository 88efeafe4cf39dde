// The minimal program that sends a message to all clients: `ws`, rooms and a loop. As in the live channel, it checks and
// acknowledges a join, and then sends the totals. The totals are in memory.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const EVENT = { id: '019b1f7e-0000-7000-8000-000000000000', slug: 'bench' };
const rooms = new Map([[EVENT.id, new Set()]]);
let sequence = 0;

const http = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    sequence++;
    for (const client of rooms.get(EVENT.id)) client.send(body);
    response.end();
  });
});
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
sockets.on('connection', (socket) => {
  socket.on('message', (raw) => {
    const [name, ref] = JSON.parse(raw.toString());
    if (name !== 'joinEvent' || (ref !== EVENT.slug && ref !== EVENT.id)) {
      socket.send(
        JSON.stringify({ error: { statusCode: 404, message: 'Event not found', error: 'Not Found' } }),
      );
      return;
    }
    rooms.get(EVENT.id).add(socket);
    socket.send(JSON.stringify({ joined: true, eventId: EVENT.id, sequence }));
    socket.send(JSON.stringify(['event.totals', totals()]));
  });
  socket.on('close', () => rooms.get(EVENT.id).delete(socket));
});
http.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${http.address().port}` }));

const totals = () => ({
  eventId: EVENT.id,
  sequence,
  currency: 'eur',
  goalAmount: 10_000_000,
  totalRaised: 2_500 * sequence,
  donorCount: sequence,
  totals: [{ currency: 'eur', totalRaised: 2_500 * sequence, donorCount: sequence }],
});
