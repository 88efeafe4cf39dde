import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { boundedCache } from '../caching/bounded-cache.js';
import { KEPT_MS, mayBeShown, type Reading } from '../caching/fresh-reads.js';
import { Metrics } from '../metrics/metrics.js';

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
export interface Form {
  readonly body: string | Buffer;
  /** Strong: other bytes have another one. */
  readonly etag: string;
  /** Undefined where it is not compressed. */
  readonly encoding: Encoding | undefined;
}

/** The bytes of one public address, as long as what they tell may be used. */
export interface KeptAnswer {
  /** Template of the route, for the metrics. */
  readonly route: string;
  readonly text: string;
  readonly plain: Form;
  /** Whether it comes in several forms, by what the client accepts. */
  readonly isLarge: boolean;
  readonly compressed: Partial<Record<Encoding, Form>>;
  reading: Omit<Reading<unknown>, 'value'>;
  uses: number;
}

/** Of what does not change while the process runs. */
export const FOR_GOOD: KeptAnswer['reading'] = {
  askedAt: Infinity,
  usableUntil: Infinity,
  unansweredFrom: Infinity,
  knownUntil: Infinity,
  renewAt: Infinity,
  isInUse: true,
  renew: () => undefined,
};

/** The answers of public addresses, rendered once for all who ask. */
@Injectable()
export class KeptAnswers {
  private readonly byPath = boundedCache<KeptAnswer>(KEPT);

  /** Keeps an answer for as long as its reading may be shown. The same bytes as before stay as compressed as they were. */
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

  /** The answer of an address as it may be given now. */
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

/** The form that a client accepts, of those that are made; the others are made for later clients. */
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
  // The next client may accept the other one only.
  answer.uses = 0;
  if (compressed)
    answer.compressed[encoding] = {
      body: compressed,
      etag: `${etag.slice(0, -1)}-${encoding}"`,
      encoding,
    };
}

/** Says which bytes these are: others have another tag. */
export const strongTag = (body: string | Buffer): string =>
  `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;

/** Says how old a public answer is that is older than such answers are while the database answers (RFC 9111, 5.1). */
@Injectable()
export class AnswerAges {
  constructor(private readonly metrics: Metrics) {}

  /** Counts an answer that is older than usual, and sets its `Age` header. */
  describe(response: Response, { askedAt }: Pick<Reading<unknown>, 'askedAt'>): void {
    const age = performance.now() - askedAt;
    if (age < KEPT_MS) return;
    this.metrics.stalePublicReads.observe(age / 1_000);
    response.setHeader('Age', String(Math.floor(age / 1_000)));
  }
}
