// The least that could tell a message to everybody: `ws` and a loop. What the live channel is measured against.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const http = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    for (const client of sockets.clients) client.send(body);
    response.end();
  });
});
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
http.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${http.address().port}` }));
