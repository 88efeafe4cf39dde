import { describe, expect, it } from '@jest/globals';
import type { KeyRing } from '../../common/crypto/key-ring.js';
import { correctedTribute, readTribute, tributeColumns } from './tribute-columns.js';

const keys = { donorDigest: (text: string) => Buffer.from(text) } as unknown as KeyRing;
const anna = readTribute({ kind: 'memory', name: 'Anna', notifyEmail: 'Maria@Example.org' });

describe('the columns of a tribute', () => {
  it('the columns of a donation without a tribute are null', () => {
    expect(tributeColumns(keys, 'all', readTribute(undefined))).toEqual({
      tribute: null,
      tribute_state: null,
      notified_key: null,
    });
  });

  it.each([
    ['none', 'visible'],
    ['messages', 'held'],
    ['all', 'held'],
  ] as const)('wait for approval like a message with the moderation %s', (moderate, state) => {
    expect(tributeColumns(keys, moderate, anna)).toMatchObject({
      tribute_state: state,
      notified_key: Buffer.from('maria@example.org'),
    });
  });

  it.each([
    ['the name', { name: 'Berta' }, 'held'],
    ['the message', { message: 'Dear all' }, 'held'],
    ['the kind', { kind: 'honour' }, 'held'],
    ['the address', { notifyEmail: 'otto@example.org' }, 'visible'],
  ] as const)('after a change of %s of an approved tribute: %s', (_what, change, state) => {
    const before = { ...tributeColumns(keys, 'none', anna) };
    const tribute = anna && readTribute({ ...anna, ...change });
    expect(correctedTribute(keys, 'messages', before, tribute)).toMatchObject({ tribute_state: state });
  });

  it('keep a tribute hidden after a correction, and keep the stored key of an unchanged address', () => {
    const kept = Buffer.from('of an earlier secret');
    const before = { tribute: anna, tribute_state: 'hidden' as const, notified_key: kept };
    const tribute = anna && { ...anna, name: 'Berta' };
    expect(correctedTribute(keys, 'none', before, tribute)).toEqual({
      tribute,
      tribute_state: 'hidden',
      notified_key: kept,
    });
    expect(correctedTribute(keys, 'none', before, null)).toEqual({
      tribute: null,
      tribute_state: null,
      notified_key: null,
    });
  });
});
