import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { boundedCache } from '../caching/bounded-cache.js';
import { KEPT_MS, mayBeShown, type Reading } from '../caching/fresh-reads.js';
import { Metrics } from '../metrics/metrics.js';

/** Minimum size of compressed answers. Larger answers need more than one packet. */
export const LARGE_BYTES = 1_400;
/**
 * Number of uses after which an answer is compressed. An answer that changes with every donation may be outdated before its
 * second use.
 */
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

/** One form of an answer: plain, or with one compression. */
export interface Form {
  readonly body: string | Buffer;
  /** Strong ETag: different bytes have different ETags. */
  readonly etag: string;
  /** Undefined if not compressed. */
  readonly encoding: Encoding | undefined;
}

/** The rendered answer of one public address, and the reading with the data of the answer. */
export interface KeptAnswer {
  /** Template of the route, for the metrics. */
  readonly route: string;
  readonly text: string;
  readonly plain: Form;
  /** True if the answer also has compressed forms. The client's `Accept-Encoding` selects the form. */
  readonly isLarge: boolean;
  readonly compressed: Partial<Record<Encoding, Form>>;
  reading: Omit<Reading<unknown>, 'value'>;
  uses: number;
}

/** Reading for answers that do not change while the process runs. */
export const FOR_GOOD: KeptAnswer['reading'] = {
  askedAt: Infinity,
  usableUntil: Infinity,
  unansweredFrom: Infinity,
  knownUntil: Infinity,
  renewAt: Infinity,
  isInUse: true,
  renew: () => undefined,
};

/** Caches the answers of public addresses. All clients share one rendered answer. */
@Injectable()
export class KeptAnswers {
  private readonly byPath = boundedCache<KeptAnswer>(KEPT);

  /** Caches an answer with its reading. If the text is unchanged, the compressed forms stay. */
  keep(path: string, route: string, text: string, reading: KeptAnswer['reading']): KeptAnswer {
    const before = this.byPath.peek(path);
    if (before?.text === text) {
      before.reading = reading;
      return before;
    }
    const answer = {
      route,
      text,
      plain: { body: text, etag: strongTag(text), encoding: undefined },
      isLarge: Buffer.byteLength(text) > LARGE_BYTES,
      compressed: {},
      reading,
      uses: 0,
    };
    this.byPath.set(path, answer);
    return answer;
  }

  /** Returns the cached answer of an address, if it may be shown now. */
  at(path: string): KeptAnswer | undefined {
    const answer = this.byPath.get(path);
    if (!answer) return undefined;
    const now = performance.now();
    const { reading } = answer;
    reading.isInUse = true;
    if (reading.renewAt <= now) reading.renew();
    return mayBeShown(reading, now) ? answer : undefined;
  }
}

/**
 * Returns the form of the answer to send. If the form that the client prefers does not exist yet, returns the plain form and
 * starts the compression after some uses.
 */
export function formFor(answer: KeptAnswer, request: Request): Form {
  if (!answer.isLarge) return answer.plain;
  const encoding = (['br', 'gzip'] as const).find((one) => request.acceptsEncodings(one));
  if (!encoding) return answer.plain;
  const form = answer.compressed[encoding];
  if (form) return form;
  if (++answer.uses === COMPRESSED_AFTER_USES) void compress(answer, encoding);
  return answer.plain;
}

async function compress(answer: KeptAnswer, encoding: Encoding): Promise<void> {
  const { etag } = answer.plain;
  const compressed = await COMPRESS[encoding](answer.text).catch(() => undefined);
  // Starts a new count, because the next clients may accept only the other encoding.
  answer.uses = 0;
  if (compressed)
    answer.compressed[encoding] = {
      body: compressed,
      etag: `${etag.slice(0, -1)}-${encoding}"`,
      encoding,
    };
}

/** Returns a strong ETag of the bytes. */
export const strongTag = (body: string | Buffer): string =>
  `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;

/** Sends the age of a public answer that is older than usual because of a database outage (RFC 9111, 5.1). */
@Injectable()
export class AnswerAges {
  constructor(private readonly metrics: Metrics) {}

  /** If an answer is older than usual, counts the answer and sets its `Age` header. */
  describe(response: Response, { askedAt }: Pick<Reading<unknown>, 'askedAt'>): void {
    const age = performance.now() - askedAt;
    if (age < KEPT_MS) return;
    this.metrics.stalePublicReads.observe(age / 1_000);
    response.setHeader('Age', String(Math.floor(age / 1_000)));
  }
}
