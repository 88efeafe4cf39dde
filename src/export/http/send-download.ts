import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
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
 * stop (its `finally` runs) and that is no error.
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
  if (response.destroyed) {
    await body.return();
    return;
  }
  response.status(200).set(downloadHeaders(fileName, contentType));
  response.setTimeout(STALLED_MS, () => response.destroy());
  try {
    await pipeline(
      Readable.from(beginningWith(first, body), { objectMode: false, highWaterMark: 64 * 1024 }),
      response,
    );
  } catch (error) {
    if (!leftByReader(error)) throw error;
  }
}

export const downloadHeaders = (fileName: string, contentType: string): Record<string, string> => ({
  'Content-Type': contentType,
  'Content-Disposition': attachment(fileName),
  // Names and e-mails: nothing on the way keeps a copy.
  'Cache-Control': 'no-store',
});

async function* beginningWith(
  first: IteratorResult<Buffer, void>,
  rest: AsyncGenerator<Buffer, void, undefined>,
) {
  try {
    if (first.done) return;
    yield first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}

const leftByReader = (error: unknown) =>
  error instanceof Error && (error as { code?: unknown }).code === 'ERR_STREAM_PREMATURE_CLOSE';
