import type { Response } from 'express';
import { attachment } from './content-disposition.js';

/**
 * A client that reads nothing for this long is disconnected. It would keep a database connection and delay the
 * shutdown.
 */
const STALLED_MS = 60_000;

export interface Download {
  readonly fileName: string;
  readonly contentType: string;
  readonly body: AsyncGenerator<Buffer, void, undefined>;
}

/**
 * Streams a download at the client's speed. The headers are sent with the first bytes: an earlier failure gives a
 * normal error response, a later one closes the connection. A disconnected client ends `body` (its `finally` runs)
 * without an error. A piece of `body` is only used until the next piece is requested.
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
  // Connection errors are handled when the connection closes.
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
 * Resolves when the operating system has the piece, so that its memory can be reused, or when the client disconnects.
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
  // Contains names and e-mail addresses: no cache may store it.
  'Cache-Control': 'no-store',
});
