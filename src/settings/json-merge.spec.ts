import { describe, expect, it } from '@jest/globals';
import { applyPatch, overlay } from './json-merge.js';

describe('a patch', () => {
  it('merges objects and leaves what it does not name', () => {
    expect(applyPatch({ a: { b: 1, c: 2 }, d: 3 }, { a: { b: 9 } })).toEqual({ a: { b: 9, c: 2 }, d: 3 });
  });

  it('replaces arrays', () => {
    expect(applyPatch({ a: [1, 2, 3] }, { a: [4] })).toEqual({ a: [4] });
  });

  it('deletes with null, at any depth, and leaves no empty object behind', () => {
    expect(applyPatch({ a: { b: { c: 1 } }, d: 2 }, { a: { b: { c: null } } })).toEqual({ d: 2 });
    expect(applyPatch({ a: { b: 1 } }, { a: null })).toEqual({});
    expect(applyPatch({}, { a: { b: null } })).toEqual({});
  });

  it('puts an object where a value was', () => {
    expect(applyPatch({ a: 1 }, { a: { b: 2 } })).toEqual({ a: { b: 2 } });
  });

  it('changes neither argument and no prototype', () => {
    const stored = { a: { b: 1 } };
    const patch = JSON.parse('{"__proto__":{"polluted":true},"a":{"c":2}}') as Record<string, unknown>;
    const merged = applyPatch(stored, patch);
    expect(stored).toEqual({ a: { b: 1 } });
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('an overlay', () => {
  it('lets the upper layer win and merges objects', () => {
    expect(overlay({ a: { b: 1, c: [1] }, d: null }, { a: { c: [2] }, d: 5 })).toEqual({
      a: { b: 1, c: [2] },
      d: 5,
    });
  });
});
