// Runs many sockets in a few separate processes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROCESSES = 2;
const now = () => performance.timeOrigin + performance.now();

/** @returns processes whose sockets are not connected yet */
export async function gather(sockets) {
  const children = Array.from({ length: PROCESSES }, () =>
    fork(fileURLToPath(new URL('./clients.mjs', import.meta.url))),
  );
  const answerOf = async (child) => (await once(child, 'message'))[0];
  await Promise.all(children.map(answerOf));
  const ask = (order) =>
    Promise.all(
      children.map((child) => {
        const answer = answerOf(child);
        child.send(order);
        return answer;
      }),
    );
  return {
    /**
     * Joins all sockets.
     * @returns the duration in ms
     */
    async join({ url, event, isBare }) {
      const began = now();
      await ask({ kind: 'join', url, event, isBare, count: sockets / PROCESSES });
      return now() - began;
    },
    /** @returns time in ms until one donation reached the last socket */
    async reach(give) {
      await ask({ kind: 'expect' });
      const reached = Promise.all(children.map(answerOf));
      const began = now();
      await give();
      return Math.max(...(await reached).map(({ at }) => at)) - began;
    },
    leave: () => children.forEach((child) => child.kill()),
  };
}
