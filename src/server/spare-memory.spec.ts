import { EventEmitter } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { SpareMemory } from './spare-memory.js';

function watched() {
  const server = new EventEmitter();
  const unanswered = new Set<ServerResponse>();
  let [cpuMs, collections] = [0, 0];
  const memory = new SpareMemory(
    server as Server,
    { all: () => new Map([[{} as Socket, { since: 0, unanswered }]]).entries() },
    {
      lookEveryMs: 1_000_000,
      quietLooks: 3,
      cpuMs: () => cpuMs,
      collect: async () => {
        collections++;
      },
    },
  );
  memory.install();
  /** Looks, each after the process has used the processor for so long. */
  const looks = async (count: number, usedMs = 1_000) => {
    for (let i = 0; i < count; i++) {
      cpuMs += usedMs;
      await memory.look();
    }
    return collections;
  };
  return { server, unanswered, looks };
}
const BUSY_MS = 500_000;

describe('memory at rest', () => {
  it('is collected once when the process was quiet for a while, and again after it was busy', async () => {
    const { looks } = watched();
    expect(await looks(2)).toBe(0);
    expect(await looks(1)).toBe(1);
    expect(await looks(10)).toBe(1);
    expect(await looks(1, BUSY_MS)).toBe(1);
    expect(await looks(2)).toBe(1);
    expect(await looks(1)).toBe(2);
  });

  it('is left alone while the process is busy', async () => {
    const { looks } = watched();
    expect(await looks(20, BUSY_MS)).toBe(0);
  });

  it('is left alone until a request is answered', async () => {
    const { looks, unanswered } = watched();
    const response = {} as ServerResponse;
    unanswered.add(response);
    expect(await looks(10)).toBe(0);
    unanswered.delete(response);
    expect(await looks(1)).toBe(1);
  });

  it('is left alone until the last live page is closed', async () => {
    const { looks, server } = watched();
    const [wall, desk] = [new EventEmitter(), new EventEmitter()];
    for (const socket of [wall, desk]) server.emit('upgrade', {}, socket);
    wall.emit('close');
    expect(await looks(10)).toBe(0);
    desk.emit('close');
    expect(await looks(1)).toBe(1);
  });
});
