/**
 * Waits for work for a limited time. The work itself continues.
 * @throws the result of `late` after the limit
 */
export async function within<Result>(
  milliseconds: number,
  work: Promise<Result>,
  late: () => Error = () => new Error(`No answer within ${milliseconds} ms`),
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
