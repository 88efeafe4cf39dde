import { hash } from 'node:crypto';
import { OutgoingMessage, type ServerResponse } from 'node:http';
import { SECURITY_HEADERS } from './security-headers.js';

/** An answer that is JSON already: its text goes out as it is. */
export class JsonText<Shape> {
  private kept: string | undefined;

  constructor(readonly text: string) {}

  /** The tag of these bytes, worked out once however often they are sent. */
  get tag(): string {
    return (this.kept ??= strongTag(this.text));
  }

  /** Whoever wants the answer itself reads it again. */
  toJSON(): Shape {
    return JSON.parse(this.text) as Shape;
  }
}

/** The JSON of an answer; undefined for what JSON has nothing for. */
export const jsonOf = (answer: unknown): string | undefined =>
  answer instanceof JsonText ? answer.text : JSON.stringify(answer);

/** What an answer says in lines of its own, beside the headers that are set by name. */
export interface HeaderLines {
  /**
   * Header lines as they go onto the wire, each with its line break; only for values that were checked before, as
   * nothing looks at them again. Headers set one by one cost more than all else that an answer from memory needs.
   */
  lines: string;
  /** As `lines`, of what may be said anew until the answer is sent. */
  lastLines: string;
  /** Whether the answer gets the security headers that nothing else set. */
  isSecured: boolean;
  /** Whether no cache may keep the answer, unless something else set how long. */
  isConfidential: boolean;
  /**
   * First line and header lines of an answer that many get, as bytes. They go before its own lines, in place of Node's first line
   * and of the security headers: text would be put together, and made bytes, for each of them.
   */
  head: Buffer | undefined;
}

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- how Express's types are extended
  namespace Express {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- merged with Express's own
    interface Response extends HeaderLines {}
  }
}

/** Headers as Node hands them on: what was set, by lower-case name, or what `writeHead` was given. */
type Given = Readonly<Record<string, unknown>> | readonly unknown[] | null | undefined;
type StoreHeader = (this: OutgoingMessage, firstLine: string, headers: Given) => void;

/** Node's own, which every answer comes through; it takes the first line as it is. */
const store = Reflect.get(OutgoingMessage.prototype, '_storeHeader') as StoreHeader;

/** To be the `_storeHeader` of a class of responses: puts their lines right behind the status. */
export function storeWithLines(this: ServerResponse & HeaderLines, firstLine: string, headers: Given): void {
  const own = this.lines + this.lastLines;
  if (this.head === undefined) {
    const security = this.isSecured ? securityLines(headers) : '';
    const cache = this.isConfidential && !says(headers, 'cache-control') ? NO_STORE : '';
    store.call(this, firstLine + security + cache + own, headers);
  } else if (this.socket?.writable) {
    // It has its connection when all that was asked for before is answered. `end` holds both pieces until they leave as one.
    this.socket.write(this.head);
    store.call(this, own, headers);
  } else store.call(this, this.head.toString('latin1') + own, headers);
}

export const lineOf = (name: string, value: string): string => `${name}: ${value}\r\n`;

const SECURITY = new Map(SECURITY_HEADERS.map(([name, value]) => [name.toLowerCase(), lineOf(name, value)]));
export const ALL_SECURITY = [...SECURITY.values()].join('');
const NO_STORE = lineOf('Cache-Control', 'no-store');

/** Without those that the answer says itself: a page has its own content policy. */
function securityLines(given: Given): string {
  // Most answers have no header that was set by name.
  if (!given) return ALL_SECURITY;
  const own = namesOf(given).filter((name) => SECURITY.has(name));
  if (own.length === 0) return ALL_SECURITY;
  return [...SECURITY].map(([name, line]) => (own.includes(name) ? '' : line)).join('');
}

/** @param name in lower case */
const says = (given: Given, name: string): boolean => Boolean(given) && namesOf(given).includes(name);

function namesOf(given: Given): string[] {
  if (!given) return [];
  const names: unknown[] = Array.isArray(given) ? given.filter((_, at) => at % 2 === 0) : Object.keys(given);
  return names.map((name) => String(name).toLowerCase());
}

/** Says which bytes these are: others have another tag. */
export const strongTag = (body: string | Buffer): string =>
  `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
