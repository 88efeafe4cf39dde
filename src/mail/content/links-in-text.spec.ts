import { describe, expect, it } from '@jest/globals';
import { holdsLink } from './links-in-text.js';

describe('a link in a text', () => {
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
  ])('is seen: %s', (text) => {
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
  ])('is not seen in a name: %s', (text) => {
    expect(holdsLink(text)).toBe(false);
  });
});
