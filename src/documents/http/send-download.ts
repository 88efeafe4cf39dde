import type { Response } from 'express';
import { attachment } from './content-disposition.js';

/** A reader that takes nothing for so long is cut off: it holds a database connection, or a process that wants to end. */
const STALLED_MS = 60_000;

export interface Download {
  readonly fileName: string;
  readonly contentType: string;
  readonly body: AsyncGenerator<Buffer, void, undefined>;
}

/**
 * Streams a download at the reader's pace. The head is sent with the first bytes, so a failure before them is
 * an ordinary error answer; one after them cuts the connection. When the reader goes away, `body` is told to
 * stop (its `finally` runs) and that is no error. A piece of `body` is used until the next is asked for, and no longer.
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
  // What goes wrong with the connection shows as its end.
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

/** When the operating system has the piece, whose memory may then be used for others, or the reader is gone. */
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
  // Names and e-mails: nothing on the way keeps a copy.
  'Cache-Control': 'no-store',
});
