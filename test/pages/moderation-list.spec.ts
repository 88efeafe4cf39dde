import { describe, expect, it } from '@jest/globals';
import { ModerationList, type Waiting } from '../../web/admin/parts/moderation-list.js';

const message = (id: string, text = `words of ${id}`): Waiting => ({
  id,
  message: text,
  donorName: 'Maria',
  at: '2026-11-20T20:00:00.000Z',
});
const listOf = (...ids: string[]) => {
  const list = new ModerationList();
  list.renew(
    ids.map((id) => message(id)),
    false,
  );
  return list;
};
const renew = (list: ModerationList, ids: string, isCut = false) =>
  list.renew(
    [...ids].map((id) => message(id)),
    isCut,
  );
/** Returns the list as text: decided messages in brackets, and a star at the message that the keys affect. */
const drawn = (list: ModerationList) =>
  list.shown
    .map(({ id, isOpen, mark }) => (isOpen ? id : `(${id})`) + (mark === list.current?.mark ? '*' : ''))
    .join(' ');
const row = (list: ModerationList, wanted: string) => {
  const found = list.shown.find(({ id }) => id === wanted);
  if (!found) throw new Error(`${wanted} is not in the list`);
  return found;
};

describe('waiting messages in the dashboard', () => {
  it('the oldest message is first and chosen', () => {
    expect(drawn(listOf('b', 'c', 'd'))).toBe('b* c d');
    expect(drawn(listOf())).toBe('');
  });

  it('messages keep their places when an older one arrives, which is added last', () => {
    const list = listOf('b', 'c');
    renew(list, 'abcd');
    expect(drawn(list)).toBe('b* c a d');
  });

  it('messages that others decide keep their places until the reader selects another message', () => {
    const list = listOf('b', 'c', 'd', 'e');
    list.choose(row(list, 'd'));
    renew(list, 'de');
    expect(drawn(list)).toBe('(b) (c) d* e');
    list.move(1);
    expect(drawn(list)).toBe('d e*');
  });

  it('a chosen message stays chosen when another user decides it, so that no key acts on a different one', () => {
    const list = listOf('b', 'c', 'd');
    list.choose(row(list, 'c'));
    renew(list, 'bd');
    expect(drawn(list)).toBe('b (c)* d');
    list.move(1);
    expect(drawn(list)).toBe('b d*');
  });

  it('the arrow keys stop at both ends of the list', () => {
    const list = listOf('b', 'c');
    list.move(-1);
    expect(drawn(list)).toBe('b* c');
    list.move(1);
    list.move(1);
    expect(drawn(list)).toBe('b c*');
    renew(list, 'b');
    list.move(1);
    expect(drawn(list)).toBe('b*');
  });

  it('a decided message disappears at once, and an older server answer does not restore it', () => {
    const list = listOf('b', 'c', 'd');
    list.decide(row(list, 'b'));
    expect(drawn(list)).toBe('c* d');
    renew(list, 'bcd');
    expect(drawn(list)).toBe('c* d');
    list.decide(row(list, 'd'));
    expect(drawn(list)).toBe('c*');
    list.decide(row(list, 'c'));
    expect(drawn(list)).toBe('');
  });

  it('a message returns to its place when its decision fails', () => {
    const list = listOf('b', 'c', 'd');
    const c = row(list, 'c');
    list.decide(c);
    renew(list, 'bcde');
    list.undo(c);
    expect(drawn(list)).toBe('b* c d e');
  });

  it('a message waits again when its text changes', () => {
    const list = listOf('b', 'c');
    list.decide(row(list, 'b'));
    list.renew([message('b', 'other words'), message('c')], false);
    expect(list.shown.map((one) => one.message)).toEqual(['words of c', 'other words']);
  });

  it('the list is empty when no message waits any more', () => {
    const list = listOf('b', 'c');
    renew(list, '');
    expect(drawn(list)).toBe('');
  });

  it('messages after the end of a full answer are not treated as decided', () => {
    const list = listOf('b', 'c', 'd');
    renew(list, 'abc', true);
    expect(drawn(list)).toBe('b* c a');
    renew(list, 'bcd', true);
    expect(drawn(list)).toBe('b* c (a) d');
  });
});
