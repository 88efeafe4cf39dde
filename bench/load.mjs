// Many clients on open connections. Each sends its next request right after an answer. The clients use the same two cores as
// the server, so they do minimal work per answer. A client that parses every header would slow the program that sends more
// headers: with autocannon, the client was busier than the server, and answers with twenty headers looked a third slower.
import { connect } from 'node:net';
import { once } from 'node:events';

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const LENGTH = /\r\ncontent-length: (\d+)/i;

/**
 * @param url address of the program
 * @param request `{ method, path, headers, body }`, or `{ next }`, which creates each request
 * @returns number of answers in time, number of 2xx answers, and durations (ms, sorted)
 */
export async function drive(url, request, { seconds, connections }) {
  const { hostname, port, host } = new URL(url);
  const encode = encoder(host);
  const fixed = request.next ? undefined : encode(request);
  const bytesOfNext = () => fixed ?? encode(request.next());
  const took = [];
  const refused = new Map();
  const until = performance.now() + seconds * 1_000;
  await Promise.all(Array.from({ length: connections }, client));
  took.sort((a, b) => a - b);
  return { took, refused };

  async function client() {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    await new Promise((resolve, reject) => {
      let asked;
      let head = Buffer.alloc(0);
      /** Number of bytes of the body that are still missing; undefined while the client reads the head. */
      let missing;
      const ask = () => {
        asked = performance.now();
        if (asked < until) socket.write(bytesOfNext());
        else socket.end(resolve);
      };
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('The connection was closed')));
      const take = (bytes) => {
        if (missing === undefined) {
          head = head.length === 0 ? bytes : Buffer.concat([head, bytes]);
          const end = head.indexOf(END_OF_HEAD);
          if (end < 0) return;
          const text = head.latin1Slice(0, end);
          const length = LENGTH.exec(text)?.[1];
          if (length === undefined) throw new Error(`An answer has no length: ${text}`);
          const status = text.slice(9, 12);
          if (!status.startsWith('2')) refused.set(status, (refused.get(status) ?? 0) + 1);
          missing = Number(length) - (head.length - end - END_OF_HEAD.length);
          head = head.subarray(0, 0);
        } else missing -= bytes.length;
        if (missing > 0) return;
        missing = undefined;
        took.push(performance.now() - asked);
        ask();
      };
      // An error ends the run but not this process, because this process must stop its programs.
      const guarded = (work) => (bytes) => {
        try {
          work(bytes);
        } catch (error) {
          reject(error);
        }
      };
      socket.on('data', guarded(take));
      guarded(ask)();
    });
  }
}

function encoder(host) {
  return ({ method = 'GET', path, headers = {}, body = '' }) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const length = body === '' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
    return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}${length}\r\n${body}`;
  };
}
