import { describe, expect, it } from '@jest/globals';
import { ModerationList, type Waiting } from '../../web/admin/parts/moderation-list.js';

const message = (id: string, text = `words of ${id}`): Waiting => ({
  id,
  part: 'message',
  text,
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
/** What is drawn: in brackets what needs no decision any more, with a star what keys are about. */
const drawn = (list: ModerationList) =>
  list.shown
    .map(({ id, isOpen, mark }) => (isOpen ? id : `(${id})`) + (mark === list.current?.mark ? '*' : ''))
    .join(' ');
const row = (list: ModerationList, wanted: string) => {
  const found = list.shown.find(({ id }) => id === wanted);
  if (!found) throw new Error(`${wanted} is not there`);
  return found;
};

describe('the messages that wait at the desk', () => {
  it('are the oldest first, and the first one is chosen', () => {
    expect(drawn(listOf('b', 'c', 'd'))).toBe('b* c d');
    expect(drawn(listOf())).toBe('');
  });

  it('keep their places when an older one comes, and it comes last', () => {
    const list = listOf('b', 'c');
    renew(list, 'abcd');
    expect(drawn(list)).toBe('b* c a d');
  });

  it('keep their places when somebody else decides, until their reader goes on', () => {
    const list = listOf('b', 'c', 'd', 'e');
    list.choose(row(list, 'd'));
    renew(list, 'de');
    expect(drawn(list)).toBe('(b) (c) d* e');
    list.move(1);
    expect(drawn(list)).toBe('d e*');
  });

  it('stay chosen when somebody else decided about them, so that no key is about another one', () => {
    const list = listOf('b', 'c', 'd');
    list.choose(row(list, 'c'));
    renew(list, 'bd');
    expect(drawn(list)).toBe('b (c)* d');
    list.move(1);
    expect(drawn(list)).toBe('b d*');
  });

  it('are gone through to both ends and no further', () => {
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

  it('are taken off at once when they are decided, and what the server still says changes nothing', () => {
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

  it('are back in their places when a decision fails', () => {
    const list = listOf('b', 'c', 'd');
    const c = row(list, 'c');
    list.decide(c);
    renew(list, 'bcde');
    list.undo(c);
    expect(drawn(list)).toBe('b* c d e');
  });

  it('wait anew when their words change', () => {
    const list = listOf('b', 'c');
    list.decide(row(list, 'b'));
    list.renew([message('b', 'other words'), message('c')], false);
    expect(list.shown.map(({ text }) => text)).toEqual(['words of c', 'other words']);
  });

  it('make room when nothing waits any more', () => {
    const list = listOf('b', 'c');
    renew(list, '');
    expect(drawn(list)).toBe('');
  });

  it('that lie behind the longest answer are not taken for decided', () => {
    const list = listOf('b', 'c', 'd');
    renew(list, 'abc', true);
    expect(drawn(list)).toBe('b* c a');
    renew(list, 'bcd', true);
    expect(drawn(list)).toBe('b* c (a) d');
  });
});
