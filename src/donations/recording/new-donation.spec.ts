import { describe, expect, it } from '@jest/globals';
import {
  donorFields,
  type Moderation,
  moderationStates,
  statesOfCorrected,
  staysUnnamed,
} from './new-donation.js';

const ada = { donorName: 'Ada', isAnonymous: false, message: 'Hello' };
const states = (
  moderate: Moderation,
  donor: Partial<typeof ada> | { donorName: null } | { message: null },
) => {
  const { message_state, name_state } = moderationStates(moderate, { ...ada, ...donor });
  return [message_state, name_state];
};

describe('moderationStates', () => {
  it.each([
    ['none', {}, 'visible', 'visible'],
    ['messages', {}, 'held', 'visible'],
    ['messages', { message: null }, 'visible', 'visible'],
    ['all', {}, 'held', 'held'],
    ['all', { message: null }, 'visible', 'held'],
    ['all', { donorName: null }, 'held', 'visible'],
    ['all', { isAnonymous: true }, 'held', 'visible'],
  ] as const)(
    'holds the texts that live.moderate = %s requires, given %j',
    (moderate, donor, message, name) => {
      expect(states(moderate, donor)).toEqual([message, name]);
    },
  );
});

describe('statesOfCorrected', () => {
  const corrected = (before: 'visible' | 'held' | 'hidden', after: object, moderate: Moderation = 'all') => {
    const shown = { ...ada, message_state: before, name_state: before };
    const { message_state, name_state } = statesOfCorrected(moderate, shown, { ...ada, ...after });
    return [message_state, name_state];
  };

  it('holds a changed message or name for approval', () => {
    expect(corrected('visible', { message: 'Other', donorName: 'Grace' })).toEqual(['held', 'held']);
    expect(corrected('visible', { message: 'Other' })).toEqual(['held', 'visible']);
    expect(corrected('visible', { donorName: 'Grace' })).toEqual(['visible', 'held']);
    expect(corrected('visible', {})).toEqual(['visible', 'visible']);
  });

  it('holds nothing if the settings require no approval', () => {
    expect(corrected('visible', { message: 'Other', donorName: 'Grace' }, 'none')).toEqual([
      'visible',
      'visible',
    ]);
  });

  it.each(['held', 'hidden'] as const)('keeps a message and a name %s under any setting', (before) => {
    const after = { message: 'Other', donorName: 'Grace' };
    expect(corrected(before, after, 'none')).toEqual([before, before]);
    expect(corrected(before, after)).toEqual([before, before]);
  });

  it('holds a name that was anonymous before the correction', () => {
    const before = { ...ada, isAnonymous: true, message_state: 'visible', name_state: 'visible' } as const;
    expect(statesOfCorrected('all', before, ada)).toEqual({ message_state: 'visible', name_state: 'held' });
  });
});

describe('the donor fields of a new donation', () => {
  it('fill in every field and mark a donor without a name as anonymous', () => {
    expect(donorFields({})).toEqual({ donorName: null, donorEmail: null, isAnonymous: true, message: null });
    expect(donorFields({ donorName: 'Ada' }).isAnonymous).toBe(false);
    expect(donorFields({ donorName: 'Ada', isAnonymous: true }).isAnonymous).toBe(true);
    expect(donorFields({ donorName: null, isAnonymous: false }).isAnonymous).toBe(true);
  });

  it('distinguish a donor who wants to stay anonymous from a donor without a name', () => {
    expect(staysUnnamed({ donor_name: 'Ada', is_anonymous: true })).toBe(true);
    expect(staysUnnamed({ donor_name: null, is_anonymous: true })).toBe(false);
    expect(staysUnnamed({ donor_name: 'Ada', is_anonymous: false })).toBe(false);
  });
});
