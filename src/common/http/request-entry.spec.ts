import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { rememberRequest, requestAddress, requestFields } from './request-entry.js';

/** A request under way; what it knows of itself when it is told to end. */
function begin(id: string) {
  const response = new EventEmitter();
  const known = new Promise<object>((resolve) => {
    const request = { id, ip: '192.0.2.1', headers: {} } as unknown as Request;
    rememberRequest(request, response as unknown as Response, () => {
      const end = new Promise((ended) => response.once('end', ended));
      void end.then(() => {
        resolve({ ...requestFields(), address: requestAddress() });
        response.emit('close');
      });
    });
  });
  return async () => {
    response.emit('end');
    return await known;
  };
}

describe('the context of a request', () => {
  it('lasts as long as the request, whatever else ends meanwhile, and is there again after a rest', async () => {
    const endLong = begin('long');
    expect(await begin('short')()).toEqual({ requestId: 'short', address: '192.0.2.1' });
    await sleep(250);
    expect(await endLong()).toEqual({ requestId: 'long', address: '192.0.2.1' });
    await sleep(250);
    expect(requestFields()).toEqual({});
    expect(await begin('later')()).toEqual({ requestId: 'later', address: '192.0.2.1' });
  });
});
