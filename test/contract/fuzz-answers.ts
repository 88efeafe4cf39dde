import { pointerPart, readDescription, type Route, validator } from './described.js';
import { tally } from './fuzz-tally.js';
import type { Shot } from './fuzz-requests.js';

/** A long time, because the machine may be busy. The test reports a slower answer as missing. */
const ANSWER_MS = 20_000;

const problemAt = validator(readDescription(), 'openapi');

/** Returns the problem with the answer to a request, or undefined. */
export async function problemOf(
  base: string,
  { route, url, token, type, body }: Shot,
): Promise<string | undefined> {
  const answer = await fetch(base + url, {
    method: route.method.toUpperCase(),
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MS),
    headers: {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(type ? { 'Content-Type': type } : {}),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  const { status } = answer;
  tally(status);
  if (status >= 500 && status !== 503) return `${status}: ${text}`;
  const described = route.operation.responses[status];
  // A path parameter such as `..` can lead to another route, or to none.
  if (!described)
    return isElsewhere(route, new URL(url, base).pathname, status, text)
      ? undefined
      : `${status} is not described: ${text}`;
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  if (status >= 400 && !isJson) return `${status} without the one body: ${text.slice(0, 200)}`;
  if (!isJson) return undefined;
  const pointer = `/paths/${pointerPart(route.path)}/${route.method}/responses/${status}/content/application~1json/schema`;
  const value: unknown = JSON.parse(text);
  if (status >= 400 && typeof (value as { code?: unknown }).code !== 'string') return `no code: ${text}`;
  if (!described.content?.['application/json']) return undefined;
  const problem = problemAt(pointer, value);
  return problem === undefined
    ? undefined
    : `${status} does not match its schema: ${problem}; ${text.slice(0, 300)}`;
}

function isElsewhere(route: Route, path: string, status: number, text: string): boolean {
  const shape = new RegExp(`^${route.path.replace(/\{[^}]+\}/g, '[^/]+')}$`);
  return !shape.test(path) && status === 404 && text.includes('"code"');
}
