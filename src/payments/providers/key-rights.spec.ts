import { describe, expect, it } from '@jest/globals';
import { KeyRights } from './key-rights.js';

describe('the rights of a key', () => {
  const watched = () => {
    const rights = new KeyRights();
    const said: string[] = [];
    rights.watch((right, isGiven) => void said.push(`${right} ${isGiven ? 'given' : 'missing'}`));
    return { rights, said };
  };

  it('are announced once and after each change', () => {
    const { rights, said } = watched();
    rights.missing('Disputes');
    rights.missing('Disputes');
    rights.given('Refunds');
    rights.given('Disputes');
    rights.given('Disputes');
    rights.missing('Disputes');
    expect(said).toEqual(['Disputes missing', 'Refunds given', 'Disputes given', 'Disputes missing']);
  });

  it('are announced again after the first announcement could not be stored', () => {
    const { rights, said } = watched();
    rights.missing('Disputes');
    rights.forget('Disputes');
    rights.missing('Disputes');
    expect(said).toEqual(['Disputes missing', 'Disputes missing']);
  });

  it('can be recorded without a listener', () => {
    expect(() => {
      new KeyRights().missing('Disputes');
    }).not.toThrow();
  });
});
