import { describe, expect, it } from '@jest/globals';
import { readJoinRequest } from './join-request.js';

describe('readJoinRequest()', () => {
  it('accepts an id or slug, alone or with a start position', () => {
    expect(readJoinRequest('gala')).toEqual({ event: 'gala', since: null, snapshot: false });
    expect(readJoinRequest({ eventId: 'gala', since: 0 })).toEqual({
      event: 'gala',
      since: 0,
      snapshot: false,
    });
    expect(readJoinRequest({ eventId: 'gala', since: null, snapshot: true, more: 1 })).toEqual({
      event: 'gala',
      since: null,
      snapshot: true,
    });
  });

  it.each([
    [undefined],
    [null],
    [7],
    [''],
    ['x'.repeat(101)],
    [[]],
    [['gala']],
    [{}],
    [{ eventId: null }],
    [{ eventId: ['gala'] }],
    [{ eventId: 'gala', since: -1 }],
    [{ eventId: 'gala', since: 0.5 }],
    [{ eventId: 'gala', since: Infinity }],
    [{ eventId: 'gala', since: '1' }],
    [{ eventId: 'gala', snapshot: 'true' }],
    [Object.create(null) as object],
  ])('rejects %p', (body) => {
    expect(() => readJoinRequest(body)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
  });
});
