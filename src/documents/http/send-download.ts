import type { Response } from 'express';
import { attachment } from './content-disposition.js';

/**
 * If a client reads no data for this long, the server disconnects the client. Otherwise the client would keep a database
 * connection and delay the shutdown.
 */
const STALLED_MS = 60_000;

export interface Download {
  readonly fileName: string;
  readonly contentType: string;
  readonly body: AsyncGenerator<Buffer, void, undefined>;
}

/**
 * Streams a download at the client's speed. The headers are sent with the first bytes. So an error before the first bytes gives
 * a normal error response, and a later error closes the connection. When the client disconnects, `body` ends without an error
 * and its `finally` runs. A piece of `body` is used only until the next piece is requested.
 */
export async function sendDownload(
  response: Response,
  { fileName, contentType, body }: Download,
): Promise<void> {
  if (response.req.method === 'HEAD') {
    response.status(200).set(downloadHeaders(fileName, contentType)).end();
    return;
  }
  const first = await body.next();
  if (isGone(response)) {
    await body.return();
    return;
  }
  response.status(200).set(downloadHeaders(fileName, contentType));
  response.setTimeout(STALLED_MS, () => response.destroy());
  // Errors of the connection are ignored here, because `isGone` notices the closed connection.
  response.on('error', () => undefined);
  try {
    for (let next = first; !next.done; next = await body.next()) {
      if (isGone(response)) return;
      await written(response, next.value);
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    await body.return();
  }
}

const isGone = (response: Response): boolean => response.destroyed;

/**
 * Resolves when the operating system has the piece, so that the caller can use its memory again. Also resolves when the client
 * disconnects.
 */
async function written(response: Response, piece: Buffer): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off('close', done);
      resolve();
    };
    response.once('close', done);
    response.write(piece, done);
  });
}

export const downloadHeaders = (fileName: string, contentType: string): Record<string, string> => ({
  'Content-Type': contentType,
  'Content-Disposition': attachment(fileName),
  // The file contains names and e-mail addresses, so no cache may store it.
  'Cache-Control': 'no-store',
});
