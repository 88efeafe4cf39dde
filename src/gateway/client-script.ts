import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

/** The only script that pages load from the path of Socket.IO. */
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
 * Engine.IO middleware that sends the client script. The script is in memory and was compressed only once. Socket.IO would
 * compress the script for every request, in the threads that also hash passwords.
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
