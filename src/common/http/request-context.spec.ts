import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { rememberRequest, requestAddress, requestFields } from './request-context.js';

/** Starts a request and returns its log fields when the request ends. */
function begin(id: string) {
  const response = new EventEmitter();
  const known = new Promise<object>((resolve) => {
    const request = { id, ip: '192.0.2.1', headers: {} } as unknown as Request;
    rememberRequest(request, response as unknown as Response, () => {
      const end = new Promise((ended) => response.once('end', ended));
      void end.then(() => {
        resolve({ ...requestFields(), address: requestAddress() });
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
  it('lasts as long as its request, even if other requests end meanwhile', async () => {
    const long = begin('long');
    expect(await begin('short').end()).toEqual({ requestId: 'short', address: '192.0.2.1' });
    expect(await long.end()).toEqual({ requestId: 'long', address: '192.0.2.1' });
    expect(requestFields()).toEqual({});
    expect(await begin('later').end()).toEqual({ requestId: 'later', address: '192.0.2.1' });
  });

  it('outlives the connection of a client that leaves before its answer', async () => {
    const left = begin('left');
    left.abandon();
    expect(await left.end()).toEqual({ requestId: 'left', address: '192.0.2.1' });
  });
});
