import { describe, expect, it } from '@jest/globals';
import { accountChangeEmail, type Charity, invitationEmail, receiptEmail } from './charity-emails.js';
import { holdsLink } from '../../common/text/holds-link.js';
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

const receiptTo = (donorName: string, locale: string, monthlyUrl: string | null = null): Email =>
  receiptEmail(charity, locale, {
    donorName,
    amount: '€25.00',
    receivedOn: 'today',
    eventName: 'Gala',
    number: 'R-1',
    isCopy: false,
    monthlyUrl,
    isCharge: false,
    ownPageUrl: 'https://give.example.org/me',
  });
const invitationTo = (name: string, locale: string): Email =>
  invitationEmail(charity, locale, { name, url, expiresAt: now, isNew: true });
const noticeTo = (name: string, locale: string, client = 'Firefox on Windows'): Email =>
  accountChangeEmail(charity, locale, { name, change: 'password', at: now, address: '203.0.113.7', client });

describe('the greeting of an e-mail', () => {
  const locales = ['en', 'de-AT', 'fr', 'es', 'it', 'nl', 'ar', 'pt'];

  it.each(locales)(
    'in %s leaves out a name that contains a link, and so does the rest of the e-mail',
    (locale) => {
      const name = 'Your refund waits: https://refund.example/x';
      for (const write of [receiptTo, invitationTo, noticeTo]) {
        const { subject, text, html } = write(name, locale);
        expect([subject, text, html].join('\n')).not.toContain('refund');
        expect(text.split('\n', 1)[0]?.length).toBeGreaterThan(3);
      }
    },
  );

  it.each(locales)('in %s contains an ordinary name', (locale) => {
    for (const write of [receiptTo, invitationTo, noticeTo])
      expect(write('Ada Lovelace', locale).text.split('\n', 1)[0]).toContain('Ada Lovelace');
  });

  it.each(locales)('in %s says that a command on the server made the change, if no request did', (locale) => {
    const write = (address: string | null) =>
      accountChangeEmail(charity, locale, { name: null, change: 'password', at: now, address, client: null })
        .text;
    const { wording } = emailWording(locale);
    expect(write(null)).toContain(`${wording.accountChange.from}: ${wording.accountChange.server}`);
    expect(write('203.0.113.7')).not.toContain(wording.accountChange.server);
  });

  it('leaves out the name of a program that contains an address', () => {
    expect(noticeTo('Ada', 'en', 'refund.example').text).not.toContain('refund');
    expect(noticeTo('Ada', 'en').text).toContain('203.0.113.7 · Firefox on Windows');
  });
});

describe('the e-mail with a receipt', () => {
  it('links to the page for monthly donations if the charity has one', () => {
    const monthly = 'https://www.example.org/monthly?a=1&b=2';
    const { text, html } = receiptTo('Ada', 'de', monthly);
    expect(text).toContain(`Jeden Monat spenden:\n${monthly}`);
    expect(html).toContain('href="https://www.example.org/monthly?a=1&amp;b=2"');
    expect(receiptTo('Ada', 'de').text).not.toContain('Monat');
  });
});

describe('holdsLink', () => {
  it.each([
    'Your refund waits: https://refund.example/x',
    'HTTPS://REFUND.EXAMPLE',
    'http:/refund',
    '//refund.example',
    'www.refund.example',
    'refund.example',
    'Call us at refund.example/now',
    'рефанд.рф',
    'refund。example',
    'ｒｅｆｕｎｄ．ｅｘａｍｐｌｅ',
    'ref\u200Bund.\u2060example',
    'xn--80ak6aa92e.xn--p1ai',
    'help@refund.example',
    'help＠refund',
    'mailto:help',
    'tel:110',
    'javascript:alert(1)',
    '192.0.2.7',
    'Call +49 (30) 901-820 at once',
    '00493012345678',
  ])('finds the link in: %s', (text) => {
    expect(holdsLink(text)).toBe(true);
  });

  it.each([
    'Ada Lovelace',
    'Mr. T',
    'J. R. R. Tolkien',
    'Anne-Marie O’Neill',
    'Haus am See e.V.',
    'Müller & Söhne GmbH',
    'Table 12',
    'Class of 1984/85',
    'María-José Ñandú',
    '山田 太郎',
    'محمد علي',
    'Family Smith: Tom, Ada',
  ])('finds no link in the name: %s', (text) => {
    expect(holdsLink(text)).toBe(false);
  });
});
