import { describe, expect, it } from '@jest/globals';
import { KeyRights } from './key-rights.js';

describe('KeyRights', () => {
  const watched = () => {
    const rights = new KeyRights();
    const said: string[] = [];
    rights.watch((right, isGiven) => void said.push(`${right} ${isGiven ? 'given' : 'missing'}`));
    return { rights, said };
  };

  it('announces a right once and after each change', () => {
    const { rights, said } = watched();
    rights.missing('Disputes');
    rights.missing('Disputes');
    rights.given('Refunds');
    rights.given('Disputes');
    rights.given('Disputes');
    rights.missing('Disputes');
    expect(said).toEqual(['Disputes missing', 'Refunds given', 'Disputes given', 'Disputes missing']);
  });

  it('announces a right again if storing the first announcement failed', () => {
    const { rights, said } = watched();
    rights.missing('Disputes');
    rights.forget('Disputes');
    rights.missing('Disputes');
    expect(said).toEqual(['Disputes missing', 'Disputes missing']);
  });

  it('records a right without a listener', () => {
    expect(() => {
      new KeyRights().missing('Disputes');
    }).not.toThrow();
  });
});
