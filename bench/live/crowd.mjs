// Many sockets in a few processes of their own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROCESSES = 2;

/**
 * @param target a server with the addresses of its processes
 * @param way how they join: `bare` (plain ws), `asked` (`joinEvent`) or `at connect` (named as they connect)
 * @returns processes that are not connected yet
 */
export async function gather(target, count, way, processes = PROCESSES) {
  const children = Array.from({ length: processes }, () =>
    fork(fileURLToPath(new URL('./clients.mjs', import.meta.url))),
  );
  const answerOf = async (child) => (await once(child, 'message'))[0];
  await Promise.all(children.map(answerOf));
  const ask = async (order) =>
    await Promise.all(
      children.map(async (child) => {
        const answer = answerOf(child);
        child.send(order);
        return await answer;
      }),
    );
  const join = async () => {
    await Promise.all(
      children.map(async (child, index) => {
        const answer = answerOf(child);
        const url = target.urls[index % target.urls.length];
        child.send({ kind: 'connect', url, event: target.event.slug, count: count / processes, way });
        await answer;
      }),
    );
  };
  return { children, ask, join, leave: () => children.forEach((child) => child.kill()) };
}

/** As `gather`, joined. */
export async function crowd(...asked) {
  const walls = await gather(...asked);
  await walls.join();
  return walls;
}
