import { describe, expect, it } from '@jest/globals';
import { accountChangeEmail, type Charity, invitationEmail, receiptEmail } from './charity-emails.js';
import type { Email } from './email-layout.js';
import { emailWording } from './email-wording.js';

const charity: Charity = {
  organization: 'Haus am See',
  legal: { legalName: 'Haus am See e.V.', address: 'Uferweg 1' } as Charity['legal'],
  theme: { variables: {} } as Charity['theme'],
  timezone: 'Europe/Berlin',
};
const now = new Date('2026-11-26T18:00:00Z');
const url = 'https://give.example.org/admin#invite=x';

const receiptTo = (donorName: string, locale: string): Email =>
  receiptEmail(charity, locale, {
    donorName,
    amount: '€25.00',
    receivedOn: 'today',
    eventName: 'Gala',
    number: 'R-1',
    isCopy: false,
  });
const invitationTo = (name: string, locale: string): Email =>
  invitationEmail(charity, locale, { name, url, expiresAt: now, isNew: true });
const noticeTo = (name: string, locale: string, client = 'Firefox on Windows'): Email =>
  accountChangeEmail(charity, locale, { name, change: 'password', at: now, address: '203.0.113.7', client });

describe('the greeting of an e-mail', () => {
  const locales = ['en', 'de-AT', 'fr', 'es', 'it', 'nl', 'pt'];

  it.each(locales)('in %s names nobody whose name holds a link, nor does any other part', (locale) => {
    const name = 'Your refund waits: https://refund.example/x';
    for (const write of [receiptTo, invitationTo, noticeTo]) {
      const { subject, text, html } = write(name, locale);
      expect([subject, text, html].join('\n')).not.toContain('refund');
      expect(text.split('\n', 1)[0]?.length).toBeGreaterThan(3);
    }
  });

  it.each(locales)('in %s names everybody else', (locale) => {
    for (const write of [receiptTo, invitationTo, noticeTo])
      expect(write('Ada Lovelace', locale).text.split('\n', 1)[0]).toContain('Ada Lovelace');
  });

  it.each(locales)('in %s of a notice without a request names the command line of the server', (locale) => {
    const write = (address: string | null) =>
      accountChangeEmail(charity, locale, { name: null, change: 'password', at: now, address, client: null })
        .text;
    const { wording } = emailWording(locale);
    expect(write(null)).toContain(`${wording.accountChange.from}: ${wording.accountChange.server}`);
    expect(write('203.0.113.7')).not.toContain(wording.accountChange.server);
  });

  it('of a notice names no program that calls itself by an address', () => {
    expect(noticeTo('Ada', 'en', 'refund.example').text).not.toContain('refund');
    expect(noticeTo('Ada', 'en').text).toContain('203.0.113.7 · Firefox on Windows');
  });
});
