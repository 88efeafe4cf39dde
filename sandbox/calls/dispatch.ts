import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Fault, Faults, Provider } from './faults.js';
import { type Call, type Reply, type Route, send } from './http.js';

/** The common interface of both providers' HTTP APIs. */
export interface ProviderApi {
  match(method: string, path: string): { route: Route; params: Record<string, string> } | undefined;
  unknownRoute(method: string, path: string): Reply;
  /** @param operation the operation of the failed call; some answers contain it */
  failure(status: number, operation?: string): Reply;
  hold(call: Call): () => void;
  operations(): string[];
}

const HUGE = 20 * 1024 * 1024;

/**
 * Answers one API call. A matching fault changes the answer, before or after the API executes the call.
 * @returns the API's own answer; undefined if no route matched, or if a fault prevented the call
 */
export async function dispatch(
  provider: Provider,
  api: ProviderApi,
  faults: Faults,
  call: Call,
  response: ServerResponse,
): Promise<Reply | undefined> {
  const found = api.match(call.method, call.path);
  if (!found) {
    send(response, api.unknownRoute(call.method, call.path));
    return undefined;
  }
  const { operation } = found.route;
  const fault = faults.take(provider, operation);
  const prepared: Call = { ...call, params: found.params, fault };
  const isStruck = (armed: Fault) => strike(armed, operation, api, prepared, response);
  if (fault && fault.after !== true && (await isStruck(fault))) return undefined;
  const reply = await found.route.handler(prepared);
  if (fault?.after === true && (await isStruck(fault))) return reply;
  send(response, fault?.kind === 'wrong_amount' ? withOtherAmount(reply, fault.amount) : reply);
  return reply;
}

/**
 * Applies a fault. Returns true if the API must not answer, because the fault sent an answer or the client must get
 * none.
 */
async function strike(
  fault: Fault,
  operation: string,
  api: ProviderApi,
  call: Call,
  response: ServerResponse,
): Promise<boolean> {
  switch (fault.kind) {
    case 'hang':
      return hang(fault, api, call, response);
    case 'reset':
      response.socket?.resetAndDestroy();
      return true;
    case 'error':
      // A sticky 500 comes from the API itself, because the API stores this answer under the idempotency key.
      if (fault.sticky === true && isKeyed(fault, call)) return false;
      send(response, api.failure(fault.status ?? 500, operation));
      return true;
    case 'html':
      send(response, gatewayPage(fault.status ?? 502));
      return true;
    case 'huge':
      await sendHuge(response, fault.bytes ?? HUGE);
      return true;
    case 'rate_limit':
      send(response, { ...api.failure(429), headers: { ...api.failure(429).headers, 'retry-after': '1' } });
      return true;
    case 'forbidden':
      send(response, api.failure(403, operation));
      return true;
    default:
      return false;
  }
}

function isKeyed(fault: Fault, call: Call): boolean {
  return (
    fault.provider === 'stripe' && call.method === 'POST' && call.headers['idempotency-key'] !== undefined
  );
}

async function hang(fault: Fault, api: ProviderApi, call: Call, response: ServerResponse): Promise<boolean> {
  if (fault.ms === undefined) return true;
  const release = fault.after === true ? () => undefined : api.hold(call);
  await new Promise((resolve) => setTimeout(resolve, fault.ms).unref());
  release();
  return response.destroyed && fault.after === true;
}

function gatewayPage(status: number): Reply {
  const text =
    '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n' +
    '<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n';
  return { status, text, contentType: 'text/html' };
}

/** Sends a JSON body of the given size, until the client closes the connection. */
async function sendHuge(response: ServerResponse, bytes: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  const piece = 'x'.repeat(64 * 1024);
  const pieces = function* () {
    yield '{"id":"huge","padding":"';
    for (let sent = 0; sent < bytes; sent += piece.length) yield piece;
    yield '"}';
  };
  await pipeline(Readable.from(pieces()), response).catch(() => undefined);
}

/** Returns the API's answer with changed amounts: whole numbers for Stripe, decimal text for PayPal. */
function withOtherAmount(reply: Reply, amount: number | undefined): Reply {
  const change = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(change);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, field]): [string, unknown] => {
      if (typeof field === 'number' && /^amount(_received|_captured)?$/.test(name)) {
        return [name, field === 0 ? 0 : (amount ?? field + 1)];
      }
      if (name === 'value' && typeof field === 'string' && 'currency_code' in value) {
        return [name, otherDecimal(field, amount)];
      }
      return [name, change(field)];
    });
    return Object.fromEntries(entries);
  };
  return { ...reply, body: change(reply.body) };
}

function otherDecimal(text: string, amount: number | undefined): string {
  const decimals = text.split('.')[1]?.length ?? 0;
  const factor = 10 ** decimals;
  return ((amount ?? Math.round(Number(text) * factor) + 1) / factor).toFixed(decimals);
}
