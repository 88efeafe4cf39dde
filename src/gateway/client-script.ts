import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

/** The only file that pages load from Socket.IO's own server. */
const NAME = 'socket.io.esm.min.js';
const FILE = createRequire(import.meta.url)
  .resolve('socket.io/package.json')
  .replace(/package\.json$/, `client-dist/${NAME}`);

interface Forms {
  readonly br: Buffer;
  readonly gzip: Buffer;
  readonly identity: Buffer;
}
let forms: Promise<Forms> | undefined;

async function compressOnce(): Promise<Forms> {
  const identity = await readFile(FILE);
  const [br, zipped] = await Promise.all([promisify(brotliCompress)(identity), promisify(gzip)(identity)]);
  return { br, gzip: zipped, identity };
}

/**
 * Engine.IO middleware that serves the client script from memory, compressed once. Socket.IO would compress it for
 * every request, in the threads that hash passwords.
 */
export function serveClientScript(
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
): void {
  const path = request.url?.split('?', 1)[0] ?? '';
  if (!path.endsWith(`/${NAME}`) || !/^(GET|HEAD)$/.test(request.method ?? '')) {
    next();
    return;
  }
  forms ??= compressOnce();
  forms.then((made) => {
    const accepted = request.headers['accept-encoding'] ?? '';
    const encoding = (['br', 'gzip'] as const).find((one) => new RegExp(`\\b${one}\\b`).test(accepted));
    const content = made[encoding ?? 'identity'];
    response.writeHead(200, {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Content-Length': content.length,
      'Cache-Control': 'public, max-age=3600',
      Vary: 'Accept-Encoding',
      ...(encoding ? { 'Content-Encoding': encoding } : {}),
    });
    response.end(request.method === 'HEAD' ? undefined : content);
  }, next);
}
