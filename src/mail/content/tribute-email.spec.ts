import { describe, expect, it } from '@jest/globals';
import type { Charity } from './charity-emails.js';
import { tributeEmail, type TributeFacts } from './tribute-email.js';

const charity: Charity = {
  organization: 'Haus am See',
  legal: { legalName: 'Haus am See', address: 'Uferweg 1' } as Charity['legal'],
  theme: { variables: {} } as Charity['theme'],
  timezone: 'Europe/Berlin',
};
const facts: TributeFacts = {
  kind: 'memory',
  name: 'Anna Bauer',
  message: 'We think of you.\n\nAda',
  donorName: 'Ada Lovelace',
  stopUrl: 'https://give.example.org/tribute/x',
};

describe.each(['en', 'de', 'fr', 'es', 'it', 'nl', 'ar'])('the e-mail about a tribute in %s', (locale) => {
  it('names the person, the donor and the way to end such e-mails, quietly', () => {
    for (const kind of ['memory', 'honour'] as const) {
      const { subject, text } = tributeEmail(charity, locale, { ...facts, kind });
      expect(subject).toContain('Anna Bauer');
      for (const part of ['Anna Bauer', 'Ada Lovelace', 'Haus am See', 'We think of you.', facts.stopUrl])
        expect(text).toContain(part);
      expect(subject + text).not.toMatch(/[!¡\u{1F300}-\u{1FAFF}]/u);
      expect(text).not.toMatch(/\{\w+\}/);
    }
  });

  it('does not name an anonymous donor, or a name that contains a link', () => {
    for (const donorName of [null, 'Win at https://example.org']) {
      const { text, html } = tributeEmail(charity, locale, { ...facts, donorName });
      expect(text + html).not.toMatch(/Lovelace|example\.org(?!\/tribute)|\{donor\}|null/);
    }
  });
});
