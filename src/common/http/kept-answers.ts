import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { boundedCache } from '../bounded-cache.js';
import type { Reading } from '../fresh-reads.js';

/** From here on an answer is worth compressing: it takes more than one packet. */
const LARGE_BYTES = 1_400;
/** What changes with every donation may be gone before it was asked for again. */
const COMPRESSED_AFTER_USES = 3;
const KEPT = 10_000;

export type Encoding = 'br' | 'gzip';
const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
const COMPRESS: Readonly<Record<Encoding, (body: string) => Promise<Buffer>>> = {
  br: (body) =>
    brotli(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 5,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  gzip: (body) => zip(body),
};

/** One form of an answer: as it is, or compressed. */
interface Form {
  readonly body: string | Buffer;
  readonly length: string;
  /** Strong: other bytes have another one. */
  readonly etag: string;
}

/** The bytes of one public address, as long as what they tell may be used. */
export interface KeptAnswer {
  /** Template of the route, for the metrics. */
  readonly route: string;
  readonly plain: Form;
  /** Whether it comes in several forms, by what the client accepts. */
  readonly isLarge: boolean;
  readonly compressed: Partial<Record<Encoding, Form>>;
  reading: Pick<Reading<unknown>, 'usableUntil' | 'renewAt' | 'renew'>;
  uses: number;
}

/** Of what does not change while the process runs. */
export const FOR_GOOD: KeptAnswer['reading'] = {
  usableUntil: Infinity,
  renewAt: Infinity,
  renew: () => undefined,
};

/** The answers of public addresses, rendered once for all who ask. */
@Injectable()
export class KeptAnswers {
  private readonly byPath = boundedCache<KeptAnswer>(KEPT);

  /** Keeps an answer for as long as its reading is usable. The same bytes as before stay as compressed as they were. */
  keep(path: string, route: string, body: string, reading: KeptAnswer['reading']): KeptAnswer {
    const before = this.byPath.peek(path);
    if (before?.plain.body === body) {
      before.reading = reading;
      return before;
    }
    const length = Buffer.byteLength(body);
    const answer = {
      route,
      plain: { body, length: String(length), etag: strongTag(body) },
      isLarge: length > LARGE_BYTES,
      compressed: {},
      reading,
      uses: 0,
    };
    this.byPath.set(path, answer);
    return answer;
  }

  /** The answer of an address as it may be given now. */
  at(path: string): KeptAnswer | undefined {
    const answer = this.byPath.get(path);
    if (!answer) return undefined;
    const now = performance.now();
    if (answer.reading.usableUntil <= now) return undefined;
    if (answer.reading.renewAt <= now) answer.reading.renew();
    return answer;
  }
}

/** Says which bytes these are: others have another tag. */
export const strongTag = (body: string | Buffer): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;

/** The form that a client accepts; one that is not made yet is made for those who come later. */
export function formFor(
  answer: KeptAnswer,
  acceptEncoding: string | undefined,
): [Form, Encoding | undefined] {
  if (!answer.isLarge || acceptEncoding === undefined) return [answer.plain, undefined];
  const encoding = encodingFor(acceptEncoding);
  if (!encoding) return [answer.plain, undefined];
  const form = answer.compressed[encoding];
  if (form) return [form, encoding];
  if (++answer.uses === COMPRESSED_AFTER_USES) void compress(answer, encoding);
  return [answer.plain, undefined];
}

/** Weights are not compared: whoever sends one for these means that he takes them, unless it is zero. */
function encodingFor(accepted: string): Encoding | undefined {
  if (/\bbr\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|\s*$))/.test(accepted)) return 'br';
  if (/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|\s*$))/.test(accepted)) return 'gzip';
  return undefined;
}

async function compress(answer: KeptAnswer, encoding: Encoding): Promise<void> {
  const { body, etag } = answer.plain;
  const bytes = await COMPRESS[encoding](String(body)).catch(() => undefined);
  // The next client may accept the other one only.
  answer.uses = 0;
  if (bytes)
    answer.compressed[encoding] = {
      body: bytes,
      length: String(bytes.length),
      etag: `${etag.slice(0, -1)}-${encoding}"`,
    };
}

/** Whether `If-None-Match` names this tag; a weak one of the same bytes counts (RFC 9110, 13.1.2). */
export const matches = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch === etag ||
  ifNoneMatch === '*' ||
  ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
