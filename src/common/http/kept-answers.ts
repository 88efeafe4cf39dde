import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { boundedCache } from '../caching/bounded-cache.js';
import { mayBeShown, type Reading } from '../caching/fresh-reads.js';
import { lineOf, strongTag } from './answers.js';

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

/** Below this many bytes a text goes out in one piece with its headers; above it, bytes need not be made of it each time. */
const SMALL_BYTES = 4_096;

/** First line of an answer, lines that many answers have, and its own: made bytes once for all who ask from the same place. */
class Head {
  private shared: string | undefined;
  private bytes = Buffer.alloc(0);

  constructor(
    private readonly firstLine: string,
    private readonly own: string,
  ) {}

  with(shared: string): Buffer {
    if (shared !== this.shared) {
      this.shared = shared;
      this.bytes = Buffer.from(this.firstLine + shared + this.own, 'latin1');
    }
    return this.bytes;
  }
}

/** One form of an answer: as it is, or compressed. */
export interface Form {
  readonly body: string | Buffer;
  /** Strong: other bytes have another one. */
  readonly etag: string;
  readonly head: Head;
  /** That of the answer for those who have it. */
  readonly headIfKnown: Head;
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
    const length = Buffer.byteLength(text);
    const answer = {
      route,
      text,
      plain: formOf(length > SMALL_BYTES ? Buffer.from(text) : text, strongTag(text)),
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
    const { reading } = answer;
    if (reading.renewAt <= now) reading.renew();
    return mayBeShown(reading, now) ? answer : undefined;
  }
}

function formOf(body: string | Buffer, etag: string, encoding?: Encoding): Form {
  const tag = lineOf('ETag', etag);
  const coding = encoding === undefined ? '' : lineOf('Content-Encoding', encoding);
  const type = lineOf('Content-Type', 'application/json; charset=utf-8');
  return {
    body,
    etag,
    head: new Head('HTTP/1.1 200 OK\r\n', tag + coding + type),
    headIfKnown: new Head('HTTP/1.1 304 Not Modified\r\n', tag),
  };
}

/** The form that a client accepts; one that is not made yet is made for those who come later. */
export function formFor(answer: KeptAnswer, acceptEncoding: string | undefined): Form {
  if (!answer.isLarge || acceptEncoding === undefined) return answer.plain;
  const encoding = encodingFor(acceptEncoding);
  if (!encoding) return answer.plain;
  const form = answer.compressed[encoding];
  if (form) return form;
  if (++answer.uses === COMPRESSED_AFTER_USES) void compress(answer, encoding);
  return answer.plain;
}

/** Weights are not compared: whoever sends one for these means that he takes them, unless it is zero. */
function encodingFor(accepted: string): Encoding | undefined {
  if (/\bbr\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|\s*$))/.test(accepted)) return 'br';
  if (/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|\s*$))/.test(accepted)) return 'gzip';
  return undefined;
}

async function compress(answer: KeptAnswer, encoding: Encoding): Promise<void> {
  const { etag } = answer.plain;
  const bytes = await COMPRESS[encoding](answer.text).catch(() => undefined);
  // The next client may accept the other one only.
  answer.uses = 0;
  if (bytes) answer.compressed[encoding] = formOf(bytes, `${etag.slice(0, -1)}-${encoding}"`, encoding);
}

/** Whether `If-None-Match` names this tag; a weak one of the same bytes counts (RFC 9110, 13.1.2). */
export const matches = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch === etag ||
  ifNoneMatch === '*' ||
  ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
