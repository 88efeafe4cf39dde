import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import type jsQR from 'jsqr';
import codes from 'qrcode';
import { brokenEpcRules, brokenQrBillRules } from '../../../test/transfers/published-rules.js';
import { EPC_VERSION, epcPayload } from './epc-code.js';
import { isQrIban } from './iban.js';
import { isPaymentText, isTransferAmount, paymentText, plainAmount } from './payment-text.js';
import { qrBillPayload, type StructuredAddress } from './swiss-qr-bill.js';
import { qrReference, rfReference } from './transfer-reference.js';

// jsqr is a CommonJS module whose function is its `default` export.
const { default: decode } = createRequire(import.meta.url)('jsqr') as { default: typeof jsQR.default };

interface Golden {
  readonly iban: string;
  readonly amount: string;
  readonly number: string | null;
  readonly payload: string;
}
interface Goldens {
  readonly epc: readonly (Golden & { readonly name: string; readonly bic: string })[];
  readonly qrBill: readonly (Golden & {
    readonly creditor: StructuredAddress;
    readonly currency: 'CHF' | 'EUR';
    readonly message: string;
  })[];
}

const GOLDENS = JSON.parse(
  readFileSync(new URL('../../../test/transfers/golden-codes.json', import.meta.url), 'utf8'),
) as Goldens;

const referenceOf = ({ iban, number }: Golden): string =>
  number === null ? '' : isQrIban(iban) ? qrReference(BigInt(number)) : rfReference(BigInt(number));

/** Draws the code with a quiet zone, four pixels for each module, and reads it again. */
function decoded(payload: string): { text: string; version: number } {
  const { modules, version } = codes.create(payload, { errorCorrectionLevel: 'M' });
  const [scale, border] = [4, 16];
  const side = modules.size * scale + 2 * border;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  for (let y = border; y < side - border; y++)
    for (let x = border; x < side - border; x++)
      if (modules.get(Math.floor((y - border) / scale), Math.floor((x - border) / scale)) === 1)
        pixels.fill(0, (y * side + x) * 4, (y * side + x) * 4 + 3);
  const read = decode(pixels, side, side);
  return { text: read ? Buffer.from(read.binaryData).toString('utf8') : '', version };
}

describe('the EPC code', () => {
  const EPC = {
    name: 'Musterverein',
    iban: 'DE89370400440532013000',
    bic: '',
    amount: 1_234n,
    reference: rfReference(1n),
  };

  it.each(GOLDENS.epc)('has exactly the published lines: $name, $iban, $amount', (golden) => {
    const payload = epcPayload({ ...golden, amount: BigInt(golden.amount), reference: referenceOf(golden) });
    expect(payload).toBe(golden.payload);
    expect(brokenEpcRules(payload)).toEqual([]);
    const read = decoded(payload);
    expect(read.text).toBe(payload);
    expect(read.version).toBeLessThanOrEqual(EPC_VERSION);
  });

  it.each([
    ['a QR-IBAN', { iban: 'CH4431999123000889012', bic: 'POFICHBEXXX' }],
    ['an IBAN with a wrong digit', { iban: 'DE88370400440532013000' }],
    ['an account outside the European Economic Area without a BIC', { iban: 'CH5800791123000889012' }],
    ['a BIC in a wrong form', { bic: 'COBA' }],
    ['no name', { name: '' }],
    ['a name that is too long', { name: 'N'.repeat(71) }],
    ['a name in another script', { name: '東京' }],
    ['a name with a line break', { name: 'Muster\nverein' }],
    ['no amount', { amount: 0n }],
    ['an amount above the limit', { amount: 100_000_000_000n }],
    ['a reference with a wrong digit', { reference: 'RF04000000000000000018' }],
    ['a QR reference', { reference: qrReference(1n) }],
  ])('is refused for %s', (_case, change) => {
    expect(() => epcPayload({ ...EPC, ...change })).toThrow(RangeError);
  });
});

describe('the Swiss QR code', () => {
  const CREDITOR = {
    name: 'Muster',
    street: '',
    buildingNumber: '',
    postalCode: '8001',
    town: 'Zürich',
    country: 'CH',
  };
  const BILL = {
    iban: 'CH4431999123000889012',
    creditor: CREDITOR,
    amount: 1n,
    currency: 'CHF',
    reference: qrReference(1n),
    message: '',
  } as const;

  it.each(GOLDENS.qrBill)('has exactly the published lines: $iban, $amount $currency, $number', (golden) => {
    const payload = qrBillPayload({
      ...golden,
      amount: BigInt(golden.amount),
      reference: referenceOf(golden),
    });
    expect(payload).toBe(golden.payload);
    expect(brokenQrBillRules(payload)).toEqual([]);
    expect(decoded(payload).text).toBe(payload);
  });

  it.each([
    ['a QR-IBAN with an RF reference', { reference: rfReference(1n) }],
    ['a QR-IBAN without a reference', { reference: '' }],
    ['an IBAN with a QR reference', { iban: 'CH5800791123000889012' }],
    ['an account in another country', { iban: 'DE89370400440532013000', reference: rfReference(1n) }],
    ['an address without a town', { creditor: { ...CREDITOR, town: '' } }],
    ['an address without a postal code', { creditor: { ...CREDITOR, postalCode: '' } }],
    ['a country that is no code', { creditor: { ...CREDITOR, country: 'Schweiz' } }],
    ['a town that is too long', { creditor: { ...CREDITOR, town: 'T'.repeat(36) } }],
    ['a message that is too long', { message: 'M'.repeat(141) }],
    ['a message with a line break', { message: 'one\ntwo' }],
    ['no amount', { amount: 0n }],
  ])('is refused for %s', (_case, change) => {
    expect(() => qrBillPayload({ ...BILL, ...change })).toThrow(RangeError);
  });
});

describe('a text for banks', () => {
  it.each([
    ['Gala d’hiver – „Übung“', 'Gala d\'hiver - "Übung"'],
    ['Gala 🎉 2026', 'Gala 2026'],
    ['Ελλάδα', ''],
    ['a\n b', 'a b'],
    ['Ţară Șoim €', 'Ţară Șoim €'],
  ])('keeps the letters that banks accept: %j', (given, expected) => {
    expect(paymentText(given, 140)).toBe(expected);
    expect(isPaymentText(paymentText(given, 140))).toBe(true);
  });

  it('has at most the allowed number of characters', () => {
    expect(paymentText('x'.repeat(200), 140)).toHaveLength(140);
  });
});

describe('an amount for banks', () => {
  it('has a point and two decimals, from 0.01 to 999999999.99', () => {
    expect([1n, 10n, 100n, 123_456n, 99_999_999_999n].map(plainAmount)).toEqual([
      ...['0.01', '0.10', '1.00', '1234.56', '999999999.99'],
    ]);
    expect([0n, 1n, 99_999_999_999n, 100_000_000_000n].map(isTransferAmount)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(() => plainAmount(0n)).toThrow(RangeError);
  });
});
