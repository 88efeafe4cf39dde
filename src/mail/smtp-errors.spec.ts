import { describe, expect, it } from '@jest/globals';
import { smtpFailure, withoutAddresses } from './smtp-errors.js';

const refusal = (command: string | undefined, responseCode: number | undefined, response: string) =>
  Object.assign(new Error('Message failed'), { command, responseCode, response });

describe('a failed e-mail', () => {
  it.each([
    ['RCPT TO', 550, 'bounced'],
    ['DATA', 552, 'bounced'],
    ['RCPT TO', 450, 'later'],
    ['DATA', 451, 'later'],
    // With the code 421 the server closes the connection. It does not refuse the address.
    ['RCPT TO', 421, 'away'],
    ['DATA', 421, 'away'],
    ['AUTH PLAIN', 535, 'away'],
    ['MAIL FROM', 550, 'away'],
    [undefined, 554, 'away'],
    ['CONN', undefined, 'away'],
  ])('at %s with %s counts as %s', (command, responseCode, kind) => {
    expect(smtpFailure(refusal(command, responseCode, 'no'))).toEqual({ kind, says: 'no' });
  });

  it('is described in one line of at most 300 characters, without addresses', () => {
    const { says } = smtpFailure(
      refusal('DATA', 550, `550-5.1.1 <ada@example.org>\r\n550 ${'no '.repeat(200)}`),
    );
    expect(says).toHaveLength(300);
    expect(withoutAddresses(says)).toMatch(/^550-5\.1\.1 <…@…> 550 no no/);
  });
});
