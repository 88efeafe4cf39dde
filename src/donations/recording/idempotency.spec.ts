import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InvalidInputError } from '../../common/errors/domain-errors.js';
import { readIdempotencyKey, scopeOfRecord } from './idempotency.js';

const digest = (request: object) => readIdempotencyKey('k', 'staff:1', request)?.digest.toString('hex');

describe('the request digest', () => {
  it('ignores the order of names, at any depth', () => {
    expect(digest({ amount: 5, type: 'cash', donor: { a: 1, b: [1, { x: 1, y: 2 }] } })).toBe(
      digest({ donor: { b: [1, { y: 2, x: 1 }], a: 1 }, type: 'cash', amount: 5 }),
    );
  });

  it('treats an absent field like undefined, but unlike null', () => {
    expect(digest({ a: 1, b: undefined })).toBe(digest({ a: 1 }));
    expect(digest({ a: 1, b: null })).not.toBe(digest({ a: 1 }));
  });

  it('gives another digest for other types, nesting or list order', () => {
    const different = [
      { a: 1 },
      { a: '1' },
      { a: [1] },
      { a: { b: 1 } },
      { a: [1, 2] },
      { a: [2, 1] },
      { 'a:1': 1 },
      {},
    ];
    expect(new Set(different.map(digest)).size).toBe(different.length);
  });

  it('gives the same digest only for equal JSON', () => {
    const request = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(request, request, (one, other) => {
        const reversed = Object.fromEntries(Object.entries(one).reverse());
        expect(digest(reversed)).toBe(digest(one));
        const equal = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        expect(digest(one) === digest(other)).toBe(equal);
      }),
    );
  });
});

describe('the Idempotency-Key header', () => {
  it('accepts a request without the header', () => {
    expect(readIdempotencyKey(undefined, 'staff:1', {})).toBeUndefined();
  });

  it('accepts 1 to 255 printable ASCII characters', () => {
    for (const key of ['a', '~!@ # x', 'x'.repeat(255)])
      expect(readIdempotencyKey(key, 'staff:1', {})).toMatchObject({ key, scope: 'staff:1' });
    for (const key of ['', ' ', '   ', 'x'.repeat(256), 'käse', 'a\tb', 'a\u0000'])
      expect(() => readIdempotencyKey(key, 'staff:1', {})).toThrow(InvalidInputError);
  });
});

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return Array.isArray(value) ? value.map(sorted) : value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => ({ name, field: sorted(field) }));
}

describe('the idempotency scope of a record', () => {
  const [ada, grace] = [
    { role: 'STAFF', id: 'ada' },
    { role: 'STAFF', id: 'grace' },
  ] as const;

  it('uses the record as scope for a random UUID from any sender', () => {
    for (const key of ['3b241101-e2bb-4255-8caf-4136c566a962', '3B241101-E2BB-4255-8CAF-4136C566A962'])
      for (const caller of [ada, grace]) expect(scopeOfRecord(caller, key)).toBe('record');
  });

  it('uses the sender as scope for every other key', () => {
    for (const key of [undefined, 'till-1-0001', '3b241101-e2bb-1255-8caf-4136c566a962'])
      expect([ada, grace].map((caller) => scopeOfRecord(caller, key))).toEqual(['staff:ada', 'staff:grace']);
    expect(scopeOfRecord({ role: 'ADMIN', id: 'ada' }, 'till')).toBe('admin:ada');
  });
});
