import { describe, expect, it } from '@jest/globals';
import { brokenRule, type Constraint } from './broken-rule.js';

const LINE = '^[^\\u0000-\\u001F]*$';

describe('brokenRule()', () => {
  it.each<[unknown, Constraint, object]>([
    ['', { type: 'string', minLength: 1 }, { rule: 'required' }],
    ['  ', { type: 'string', format: 'email' }, { rule: 'required' }],
    [undefined, { type: 'integer' }, { rule: 'required' }],
    [7, { type: 'string' }, { rule: 'type' }],
    [1.5, { type: 'integer' }, { rule: 'type' }],
    ['red', { type: 'string', enum: ['blue'] }, { rule: 'choice' }],
    ['no', { type: 'string', format: 'email' }, { rule: 'email' }],
    ['no', { type: 'string', format: 'date-time', pattern: '^[0-9]+$' }, { rule: 'date' }],
    ['12', { type: 'string', pattern: '^[0-9]{6}$' }, { rule: 'pattern' }],
    ['a\u0007', { type: 'string', pattern: LINE }, { rule: 'characters' }],
    ['😀😀😀', { type: 'string', maxLength: 2 }, { rule: 'maxLength', limit: 2 }],
    [0, { type: 'integer', minimum: 1, maximum: 9 }, { rule: 'minimum', limit: 1 }],
    [10, { type: 'integer', minimum: 1, maximum: 9 }, { rule: 'maximum', limit: 9 }],
    [[], { type: 'array', minItems: 1 }, { rule: 'minItems', limit: 1 }],
    [[1, 2, 3], { type: 'array', maxItems: 2 }, { rule: 'maxItems', limit: 2 }],
    [[1, 1], { type: 'array', uniqueItems: true }, { rule: 'duplicate' }],
    [[1, 0], { type: 'array', items: { type: 'integer', minimum: 1 } }, { rule: 'minimum', limit: 1 }],
    [['a'], { type: 'array', items: { type: 'string' } }, { rule: 'type' }],
    ['a,b', { maxItems: 2 }, { rule: 'type' }],
    ['x', { oneOf: [{ type: 'integer' }, { type: 'boolean' }] }, { rule: 'type' }],
    [{ a: 1 }, { type: 'object' }, { rule: 'type' }],
    ['no', { type: 'string', format: 'uuid' }, { rule: 'pattern' }],
    ['ok', { type: 'string' }, { rule: 'other' }],
    ['ok', {}, { rule: 'other' }],
  ])('of %j with the schema %j is %j', (value, constraint, rule) => {
    expect(brokenRule(value, constraint)).toEqual(rule);
  });

  it('counts characters and not code units', () => {
    expect(brokenRule('😀😀', { type: 'string', maxLength: 2, enum: ['x'] })).toEqual({ rule: 'choice' });
  });
});
