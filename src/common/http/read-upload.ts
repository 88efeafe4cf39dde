import type { Request } from 'express';
import { DomainError } from '../errors/domain-errors.js';

const MOST_BYTES = 5 * 1024 * 1024;

/**
 * Reads the bytes of an upload. Called after the sender is authenticated.
 * @throws DomainError 413 `BODY_TOO_LARGE` as soon as more than 5 MB have arrived
 */
export async function readUpload(request: Request): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MOST_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = () =>
  new DomainError(413, 'BODY_TOO_LARGE', 'An uploaded file can have at most 5 MB', undefined, {
    Connection: 'close',
  });
