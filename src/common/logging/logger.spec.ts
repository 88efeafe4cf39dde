import { describe, expect, it } from '@jest/globals';
import { describeFailure } from './logger.js';

describe('an error in the log', () => {
  it('contains its cause, the code of PostgreSQL and the constraint, but no secrets', () => {
    const cause = Object.assign(new Error('duplicate key: ada@example.org'), {
      code: '23505',
      constraint: 'donation_payment',
    });
    const error = new Error('The donation could not be booked', { cause });
    expect(describeFailure(error)).toMatchObject({
      message: 'The donation could not be booked',
      sqlState: '23505',
      cause: { message: 'duplicate key: [e-mail]', sqlState: '23505', constraint: 'donation_payment' },
    });
  });
});
