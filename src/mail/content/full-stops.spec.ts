import { describe, expect, it } from '@jest/globals';
import { tributeEmail } from './tribute-email.js';
import { invitationEmail, receiptEmail, testEmail } from './charity-emails.js';

const charity = {
  organization: 'Hilfe für Kinder e.V.',
  legal: { legalName: '', taxId: '', address: '', footer: '', signatory: '', yearEnd: '04-05' },
  theme: { assets: {}, variables: {} },
  timezone: 'Europe/Berlin',
};

describe.each(['en', 'de', 'fr', 'es', 'it', 'nl', 'ar'])('the e-mails in %s', (locale) => {
  it('end no sentence with two full stops if the organization’s name ends with one', () => {
    const receipt = receiptEmail(charity, locale, {
      donorName: 'Ada',
      amount: '€10.00',
      receivedOn: 'today',
      eventName: 'Gala of the Example Corp.',
      number: '2026-1',
      isCopy: false,
      monthlyUrl: null,
      isCharge: false,
      ownPageUrl: 'https://give.example.org/me',
    });
    const facts = { name: null, url: 'https://x.org', expiresAt: new Date(), isNew: true };
    const invitation = invitationEmail(charity, locale, facts);
    const newPassword = invitationEmail(charity, locale, { ...facts, isNew: false });
    const tributes = (['memory', 'honour'] as const).map((kind) =>
      tributeEmail(charity, locale, {
        kind,
        name: 'Anna Bauer sen.',
        message: 'Hello.',
        donorName: 'Ada',
        stopUrl: 'https://x.org',
      }),
    );
    const own = [receipt, invitation, newPassword, testEmail(charity, locale)];
    for (const { subject, text, html } of [...own, ...tributes]) {
      expect(text).toContain('Hilfe für Kinder e.V.');
      for (const part of [subject, text, html]) expect(part).not.toMatch(/\.\./);
    }
  });
});
