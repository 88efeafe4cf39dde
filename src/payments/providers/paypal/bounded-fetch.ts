/** The request got no complete answer. `kind` is the reason. */
export class FetchFailure extends Error {
  constructor(
    readonly kind: 'network' | 'timeout' | 'too-large',
    options?: { cause: unknown },
  ) {
    super(`No answer: ${kind}`, options);
    this.name = 'FetchFailure';
  }
}

export interface BoundedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * `fetch` with limits: it stops after `timeoutMs` (including the body) or `maxBytes` of body. It follows no redirect,
 * so that it never sends credentials to another host or trusts the answer of another host.
 * @throws FetchFailure
 */
export async function boundedFetch(
  url: string,
  init: Pick<RequestInit, 'method' | 'headers' | 'body'>,
  limits: { readonly timeoutMs: number; readonly maxBytes: number },
): Promise<BoundedAnswer> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    return {
      status: response.status,
      headers: response.headers,
      text: await readBounded(response, limits.maxBytes),
    };
  } catch (error) {
    if (error instanceof FetchFailure) throw error;
    throw new FetchFailure(signal.aborted ? 'timeout' : 'network', { cause: error });
  }
}

async function readBounded(response: Response, maxBytes: number): Promise<string> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  if (!reader) return '';
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(parts, size).toString('utf8');
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel();
      throw new FetchFailure('too-large');
    }
    parts.push(value);
  }
}
