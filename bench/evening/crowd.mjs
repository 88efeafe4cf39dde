// Runs the walls in separate processes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cpuOf } from '../measure.mjs';

const PROCESSES = 2;

export class Crowd {
  #children;

  /** @param walls number of walls, divided between the addresses of the service */
  static async join(walls, { urls, eventId }) {
    const crowd = new Crowd();
    crowd.#children = Array.from({ length: PROCESSES }, () =>
      fork(fileURLToPath(new URL('walls.mjs', import.meta.url))),
    );
    await Promise.all(crowd.#children.map((child) => once(child, 'message')));
    const indexes = Array.from({ length: walls }, (_, index) => index);
    await crowd.#ask((child) => ({
      kind: 'join',
      urls,
      eventId,
      // Each process here gets pairs of walls, so that it connects to both processes of the service.
      indexes: indexes.filter((index) => (index >> 1) % PROCESSES === child),
    }));
    return crowd;
  }

  /** Returns the problems of the walls, which should be at the feed position `sequence` with the total `raised`. */
  async check(sequence, raised) {
    const answers = await this.#ask(() => ({ kind: 'check', sequence, raised }));
    return {
      walls: answers.reduce((sum, { walls }) => sum + walls, 0),
      faults: answers.flatMap(({ faults }) => faults),
    };
  }

  /** Ends the walls, and adds their joins and errors to the figures. */
  async leave(figures) {
    const answers = await this.#ask(() => ({ kind: 'left' }));
    for (const child of this.#children) child.disconnect();
    for (const { joins, errors } of answers) {
      for (const join of joins) figures.wait(...join);
      for (const error of errors) figures.error(...error);
    }
    const last = new Map();
    for (const { arrivals } of answers)
      for (const [sequence, [at]] of arrivals) last.set(sequence, Math.max(at, last.get(sequence) ?? 0));
    const sum = (name) => answers.reduce((all, answer) => all + answer[name], 0);
    return { last, resynced: sum('resynced'), repeated: sum('repeated') };
  }

  cpu() {
    return this.#children.reduce((sum, { pid }) => sum + cpuOf(pid), 0);
  }

  kill() {
    for (const child of this.#children) child.kill();
  }

  async #ask(order) {
    return await Promise.all(
      this.#children.map(async (child, index) => {
        const answer = once(child, 'message');
        child.send(order(index));
        return (await answer)[0];
      }),
    );
  }
}
