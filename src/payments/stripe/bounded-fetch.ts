/** `fetch` that gives up on an answer larger than `limit` bytes instead of reading it into memory. */
export const boundedFetch =
  (limit: number): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (!response.body) return response;
    let received = 0;
    const bounded = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          received += chunk.byteLength;
          if (received > limit) controller.error(new Error(`the answer is larger than ${limit} bytes`));
          else controller.enqueue(chunk);
        },
      }),
    );
    return new Response(bounded, response);
  };
