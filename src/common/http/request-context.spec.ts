import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { rememberRequest, requestAddress, requestFields } from './request-context.js';

/** A request under way; what it knows of itself when it is told to end. */
function begin(id: string, { method, url } = { method: 'POST', url: '/events' }) {
  const response = Object.assign(new EventEmitter(), { writableFinished: false });
  const known = new Promise<object>((resolve) => {
    const request = { id, ip: '192.0.2.1', headers: {}, method, url } as unknown as Request;
    rememberRequest(request, response as unknown as Response, () => {
      const end = new Promise((ended) => response.once('end', ended));
      void end.then(() => {
        resolve({ ...requestFields(), address: requestAddress() });
        response.writableFinished = true;
        response.emit('close');
      });
    });
  });
  return {
    abandon: () => response.emit('close'),
    end: async () => {
      response.emit('end');
      return await known;
    },
  };
}

describe('the context of a request', () => {
  it('lasts as long as the request, whatever else ends meanwhile, and is there again after a rest', async () => {
    const long = begin('long');
    expect(await begin('short').end()).toEqual({ requestId: 'short', address: '192.0.2.1' });
    await sleep(250);
    expect(await long.end()).toEqual({ requestId: 'long', address: '192.0.2.1' });
    await sleep(250);
    expect(requestFields()).toEqual({});
    expect(await begin('later').end()).toEqual({ requestId: 'later', address: '192.0.2.1' });
  });

  it('is nothing that a crowd of records pays for: up to Node 22 they go without one, and only they', async () => {
    const isDear = Number(process.versions.node.split('.')[0]) < 24;
    const record = await begin('record', { method: 'POST', url: '/donations' }).end();
    expect(record).toEqual(isDear ? {} : { requestId: 'record', address: '192.0.2.1' });
    for (const other of [
      { method: 'GET', url: '/donations' },
      { method: 'POST', url: '/donations/1/undo' },
    ])
      expect(await begin('other', other).end()).toEqual({ requestId: 'other', address: '192.0.2.1' });
  });

  it('outlives the connection: who leaves before his answer is written down with his address', async () => {
    const left = begin('left');
    left.abandon();
    await sleep(250);
    expect(await left.end()).toEqual({ requestId: 'left', address: '192.0.2.1' });
  });
});
