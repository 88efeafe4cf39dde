import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from './faults.js';

/** A completely received request. */
export interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
  /** Values of the `:name` parts of the route's pattern. */
  params: Record<string, string>;
  /** A fault that the route's handler must apply: decline, pending, or a stored 500. */
  fault?: Fault | undefined;
}

export interface Reply {
  status: number;
  /** Sent as JSON, unless `text` is set. */
  body?: unknown;
  text?: string;
  contentType?: string;
  headers?: Record<string, string>;
}

export interface Route {
  /** Name of the operation for faults, such as `payment_intents.create`. */
  operation: string;
  handler: (call: Call) => Reply | Promise<Reply>;
}

interface Entry extends Route {
  method: string;
  pattern: RegExp;
  names: string[];
}

/** Routes by method and path; `:name` matches one segment. */
export class Router {
  private readonly entries: Entry[] = [];

  add(method: string, path: string, operation: string, handler: Route['handler']): void {
    const names = [...path.matchAll(/:([a-z]+)/gi)].map((match) => match[1] ?? '');
    const pattern = new RegExp(`^${path.replace(/\./g, '\\.').replace(/:[a-z]+/gi, '([^/]+)')}/?$`, 'i');
    this.entries.push({ method, pattern, names, operation, handler });
  }

  match(method: string, path: string): { route: Route; params: Record<string, string> } | undefined {
    for (const entry of this.entries) {
      const found = entry.method === method ? entry.pattern.exec(path) : null;
      if (!found) continue;
      const values = entry.names.map((name, index) => [name, decodeSegment(found[index + 1] ?? '')]);
      return { route: entry, params: Object.fromEntries(values) as Record<string, string> };
    }
    return undefined;
  }

  operations(): string[] {
    return [...new Set(this.entries.map((entry) => entry.operation))].sort();
  }
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Maximum size of a body, in bytes. The limits of both providers are much smaller. */
const MAXIMUM_BODY = 1024 * 1024;

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAXIMUM_BODY) throw new Error('The request is larger than 1 MB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function send(response: ServerResponse, reply: Reply): void {
  if (response.destroyed) return;
  const text = reply.text ?? (reply.body === undefined ? '' : JSON.stringify(reply.body));
  response.writeHead(reply.status, {
    'content-type': reply.contentType ?? 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    'cache-control': 'no-store',
    ...reply.headers,
  });
  response.end(text);
}

/** Returns the first value of a header, or undefined. */
export function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
