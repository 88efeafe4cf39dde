import { describe, expect, it } from '@jest/globals';
import { believedTime, givenAt } from './given-at.js';

const at = (text: string) => new Date(`2026-11-${text}:00Z`);

describe('givenAt()', () => {
  const [taken, arrived, later] = [at('21T19:00'), at('21T23:00'), at('25T12:00')];

  it.each([
    ['recorded before it arrived', { recorded_at: taken, completed_at: arrived }, taken],
    ['recorded without a device time', { recorded_at: null, completed_at: arrived }, arrived],
    ['a pledge paid later', { recorded_at: taken, completed_at: later }, later],
    [
      'a transfer on the day it arrived',
      { type: 'bank_transfer', paid_at: taken, completed_at: later },
      taken,
    ],
    ['a transfer recorded by hand', { type: 'bank_transfer', completed_at: arrived }, arrived],
    ['a pledge never paid', { recorded_at: taken, completed_at: null }, taken],
    ['never paid', { recorded_at: null, completed_at: null }, arrived],
  ])('returns the time at which the donation was given: %s', (_, times, given) => {
    const expected = times.completed_at === null ? arrived : given;
    const row = { recorded_at: null, paid_at: null, type: 'cash', created_at: arrived } as const;
    expect(givenAt({ ...row, ...times } as Parameters<typeof givenAt>[0])).toEqual(expected);
  });
});

describe('believedTime()', () => {
  const [event, arrived] = [at('21T18:00'), at('22T01:00')];

  it.each([
    ['an hour before arrival', at('22T00:00'), at('22T00:00')],
    ['48 hours before the event', at('19T18:00'), at('19T18:00')],
    ['more than 48 hours before the event', at('19T17:59'), null],
    ['two minutes ahead of arrival', at('22T01:02'), arrived],
    ['more than two minutes ahead of arrival', at('22T01:03'), null],
  ])('accepts, corrects or rejects a device time: %s', (_, said, believed) => {
    expect(believedTime(said, arrived, event)).toEqual(believed);
  });

  it('compares a time before the day of the event with the day of arrival', () => {
    expect(believedTime(at('20T01:00'), arrived, at('30T18:00'))).toEqual(at('20T01:00'));
    expect(believedTime(at('20T00:59'), arrived, at('30T18:00'))).toBeNull();
  });
});
