import { describe, expect, it } from '@jest/globals';
import { receiptContent, receiptNumber, type ReceiptSubject, yearIn } from './receipt-content.js';

const ISSUER = {
  organization: 'Harbour Fund',
  legalName: '',
  taxId: '',
  address: '',
  footer: '',
  signatory: '',
  locale: 'en',
  supported: ['en'],
  timezone: 'Europe/Berlin',
  logo: undefined,
  checkAddress: 'https://give.example.org/r',
};

const SUBJECT: ReceiptSubject = {
  donationId: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f',
  number: '2026-000001',
  issuedAt: new Date('2026-12-31T23:30:00Z'),
  copy: false,
  replaces: null,
  status: 'COMPLETED',
  amount: 12345n,
  refundedAmount: 0n,
  currency: 'eur',
  type: 'cash',
  method: null,
  wallet: null,
  checkCode: null,
  donorName: 'Ada Lovelace',
  message: null,
  receivedAt: new Date('2026-06-30T22:30:00Z'),
  eventName: 'Gala',
  locale: null,
};

describe('the content of a receipt', () => {
  it('uses the time zone of the organization', () => {
    const content = receiptContent(SUBJECT, ISSUER);
    expect(content.issuedOn).toBe('1 January 2027');
    expect(content.details[0]).toEqual(['Received on', '1 July 2026']);
  });

  it('has the address of its check, if it has a code and the service knows its address', () => {
    const checkAt = (checkCode: string | null, checkAddress: string | undefined) =>
      receiptContent({ ...SUBJECT, checkCode }, { ...ISSUER, checkAddress }).checkAt;
    expect(checkAt('7ZK3', ISSUER.checkAddress)).toBe('https://give.example.org/r/7ZK3');
    expect(checkAt(null, ISSUER.checkAddress)).toBeUndefined();
    expect(checkAt('7ZK3', undefined)).toBeUndefined();
  });

  it('uses the Gregorian calendar year, like the receipt numbers', () => {
    expect(receiptContent(SUBJECT, { ...ISSUER, locale: 'fa-u-nu-latn' }).issuedOn).toContain('2027');
  });

  it.each([
    ['de', ['en'], 'Spendenquittung', '123,45 €'],
    ['de', ['en', 'de-CH'], 'Spendenquittung', 'EUR 123.45'],
    ['ar', ['en'], 'إيصال تبرع', '\u200f123.45 €'],
    [null, ['en', 'de'], 'Donation receipt', '€123.45'],
    ['ja', ['en', 'ja'], 'Donation receipt', '€123.45'],
    ['de-x1', ['en'], 'Spendenquittung', '123,45 €'],
  ])(
    'is in the language %s of the donor at an English charity with %j: %s',
    (locale, supported, title, amount) => {
      const content = receiptContent({ ...SUBJECT, locale }, { ...ISSUER, supported });
      expect([content.wording.title, content.amount.replaceAll('\u00a0', ' ')]).toEqual([title, amount]);
    },
  );

  it('shows the remaining amount only after a partial refund', () => {
    expect(receiptContent({ ...SUBJECT, refundedAmount: 45n }, ISSUER).afterRefund).toEqual({
      refunded: '€0.45',
      remaining: '€123.00',
    });
    expect(receiptContent(SUBJECT, ISSUER).afterRefund).toBeUndefined();
    expect(
      receiptContent({ ...SUBJECT, status: 'REFUNDED', refundedAmount: 12345n }, ISSUER).afterRefund,
    ).toBeUndefined();
  });

  it.each([
    ['COMPLETED', undefined],
    ['REFUNDED', 'This receipt is void: the donation was refunded in full.'],
    ['CANCELLED', 'This receipt is void: the donation was cancelled.'],
  ] as const)('marks the receipt of a %s donation as void because: %s', (status, reason) => {
    expect(receiptContent({ ...SUBJECT, status }, ISSUER).voidBecause).toBe(reason);
  });

  it('says that a receipt of a rehearsal is none, whatever the state of the donation', () => {
    const subject = { ...SUBJECT, number: receiptNumber(-3, 1) };
    expect(receiptContent(subject, { ...ISSUER, locale: 'en' })).toMatchObject({
      number: 'R-000001',
      voidBecause: 'Rehearsal: no receipt',
      stamp: 'Rehearsal',
    });
    expect(receiptContent({ ...subject, status: 'CANCELLED' }, { ...ISSUER, locale: 'de' })).toMatchObject({
      voidBecause: 'Probe: keine Quittung',
      stamp: 'Probe',
    });
  });

  it('uses English for a language without wording, with the money and date formats of the locale', () => {
    const content = receiptContent(SUBJECT, { ...ISSUER, locale: 'sv-SE' });
    expect(content.language).toBe('en');
    expect(content.amount.replaceAll('\u00A0', ' ')).toBe('123,45 €');
    expect(content.issuedOn).toBe('1 januari 2027');
  });
});

it.each([
  [2026, 1, '2026-000001'],
  [2026, 999_999, '2026-999999'],
  [2026, 1_000_000, '2026-1000000'],
])('formats year %d, number %d as %s', (year, number, expected) => {
  expect(receiptNumber(year, number)).toBe(expected);
});

it.each([
  ['Asia/Tokyo', 2027],
  ['UTC', 2026],
  ['America/New_York', 2026],
])('finds the year of a date in %s as %d', (timezone, year) => {
  expect(yearIn(timezone, new Date('2026-12-31T16:00:00Z'))).toBe(year);
});
