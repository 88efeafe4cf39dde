/** `fetch` that gives up on an answer larger than `maxBytes`, or not whole after `timeoutMs`. */
export const boundedFetch =
  (maxBytes: number, timeoutMs: number): typeof fetch =>
  async (input, init) => {
    // The library's own time-out ends with the headers; a body may stall as well.
    const signals = [AbortSignal.timeout(timeoutMs), ...(init?.signal ? [init.signal] : [])];
    const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
    if (!response.body) return response;
    let received = 0;
    const bounded = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          received += chunk.byteLength;
          if (received > maxBytes) controller.error(new Error(`the answer is larger than ${maxBytes} bytes`));
          else controller.enqueue(chunk);
        },
      }),
    );
    return new Response(bounded, response);
  };
