import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checksIso7064, checksQrReference } from '../../../test/transfers/published-rules.js';
import {
  findReferences,
  isQrReference,
  isRfReference,
  luhnDigit,
  numberOfReference,
  printedReference,
  qrReference,
  recursiveDigit,
  rfReference,
} from './transfer-reference.js';

const NUMBERS = fc.bigInt({ min: 1n, max: 10n ** 17n - 1n });
const MAKERS = [rfReference, qrReference];

/** Returns the texts that differ from the given text in one digit. */
function* withOneWrongDigit(text: string): Generator<string> {
  for (let place = 0; place < text.length; place++)
    for (const digit of /\d/.test(text[place] ?? '') ? '0123456789' : '')
      if (digit !== text[place]) yield text.slice(0, place) + digit + text.slice(place + 1);
}

describe('a creditor reference of ISO 11649', () => {
  it.each([
    ...['RF18539007547034', 'RF18000000000539007547034', 'RF471234567890', 'RF712348231'],
    ...['RF49N73GBST73AKL38ZX', 'RF08B3700321', 'RF19AB2G59X56V543'],
  ])('is valid as published: %s', (reference) => {
    expect(isRfReference(reference)).toBe(true);
    expect(isRfReference(reference.replace(/.$/, (last) => (last === '0' ? '1' : '0')))).toBe(false);
  });

  it('has 22 characters with a Luhn digit at the end', () => {
    expect(rfReference(1n)).toBe('RF03000000000000000018');
    expect(rfReference(29_931_234_000_000_001n)).toBe('RF53299312340000000019');
    expect(printedReference(rfReference(1n))).toBe('RF03 0000 0000 0000 0000 18');
  });
});

describe('a QR reference', () => {
  it.each(['210000000003139471430009017', '000000000000000000000000026'])(
    'is valid as published: %s',
    (text) => {
      expect(isQrReference(text)).toBe(true);
      expect(isQrReference(text.replace(/.$/, '5'))).toBe(false);
    },
  );

  it('has 27 digits, printed in fives', () => {
    expect(qrReference(1n)).toBe('000000000000000000000000189');
    expect(printedReference('210000000003139471430009017')).toBe('21 00000 00003 13947 14300 09017');
  });
});

describe('the check digits', () => {
  it('equal the check digits of the published examples', () => {
    expect(luhnDigit('7992739871')).toBe('3');
    expect(recursiveDigit('21000000000313947143000901')).toBe('7');
  });

  it('agree with a second reading of the standards, for any number', () => {
    fc.assert(
      fc.property(NUMBERS, (number) => {
        expect(checksIso7064(rfReference(number))).toBe(true);
        expect(checksQrReference(qrReference(number))).toBe(true);
        expect(MAKERS.map((make) => numberOfReference(make(number)))).toEqual([number, number]);
      }),
    );
  });

  it('show each wrong digit of both forms', () => {
    for (const make of MAKERS)
      for (const wrong of withOneWrongDigit(make(29_931_234_000_000_042n)))
        expect(numberOfReference(wrong)).toBeUndefined();
  });

  it('show two digits in the wrong order, in an RF reference', () => {
    const right = rfReference(29_931_234_000_000_042n);
    for (let place = 4; place < right.length - 1; place++) {
      const [one = '', other = ''] = right.slice(place, place + 2);
      const turned = right.slice(0, place) + other + one + right.slice(place + 2);
      if (turned !== right) expect(numberOfReference(turned)).toBeUndefined();
    }
  });

  it('refuse numbers that have no reference', () => {
    for (const make of MAKERS)
      for (const number of [0n, -1n, 10n ** 17n]) expect(() => make(number)).toThrow(RangeError);
  });

  it('tell a reference of another sender from our own', () => {
    expect(numberOfReference('RF18539007547034')).toBeUndefined();
    expect(numberOfReference('210000000003139471430009017')).toBeUndefined();
    // Right check digits of ISO 11649 and our length, but no Luhn digit.
    const foreign = Array.from('0123456789')
      .map((last) => `29931234000000001${last}`)
      .map(rfOf);
    expect(foreign.every(isRfReference)).toBe(true);
    expect(foreign.filter((reference) => numberOfReference(reference) !== undefined)).toHaveLength(1);
  });
});

function rfOf(body: string): string {
  const check = 98n - (BigInt(`${body}271500`) % 97n);
  return `RF${String(check).padStart(2, '0')}${body}`;
}

describe('references in a copied text', () => {
  const RF = rfReference(29_931_234_000_000_042n);
  const QRR = qrReference(29_931_234_000_000_043n);
  const own = (number: bigint, text: string) => ({ kind: 'own', text, number });

  it.each([
    ['as one word', RF],
    ['in groups of four', printedReference(RF)],
    ['in small letters', printedReference(RF).toLowerCase()],
    ['with dashes', printedReference(RF).replaceAll(' ', '-')],
    ['with spaces that do not break', printedReference(RF).replaceAll(' ', '\u00a0')],
    ['over two lines', printedReference(RF).replace(' 0000 ', '\n0000 ')],
    ['after a label and before an amount', `Ref. ${printedReference(RF)} 50.00 EUR`],
    ['between a date and an IBAN', `28.11.2026 ${RF};DE89370400440532013000;"+50,00"`],
    ['before a date', `${RF} 28.11.2026`],
  ])('are found: an RF reference %s', (_form, text) => {
    expect(findReferences(text)).toEqual([own(29_931_234_000_000_042n, RF)]);
  });

  it.each([
    ['as one word', QRR],
    ['in fives', printedReference(QRR)],
    ['with dashes', printedReference(QRR).replaceAll(' ', '-')],
    ['after an IBAN and before an amount', `CH44 3199 9123 0008 8901 2 ${printedReference(QRR)} CHF 50.00`],
    ['before a bare amount', `${printedReference(QRR)} 50.00`],
    ['in fours', QRR.replace(/(.{4})(?=.)/g, '$1 ')],
  ])('are found: a QR reference %s', (_form, text) => {
    expect(findReferences(text)).toEqual([own(29_931_234_000_000_043n, QRR)]);
  });

  it('have the state mistyped if a digit is wrong', () => {
    const wrong = RF.replace(/.$/, (last) => String((Number(last) + 1) % 10));
    const wrongQr = QRR.replace(/.$/, (last) => String((Number(last) + 1) % 10));
    expect(findReferences(`${printedReference(wrong)}\n${printedReference(wrongQr)}`)).toEqual([
      { kind: 'mistyped', text: wrong },
      { kind: 'mistyped', text: wrongQr },
    ]);
  });

  it('have the state foreign if another organization created them', () => {
    expect(findReferences('RF18 5390 0754 7034 and 21 00000 00003 13947 14300 09017')).toEqual([
      { kind: 'foreign', text: 'RF18539007547034' },
      { kind: 'foreign', text: '210000000003139471430009017' },
    ]);
  });

  it('other numbers in the text are not taken for references', () => {
    const text =
      'DE89 3704 0044 0532 0130 00, 2026-11-28, 1.234.567,89, RF 2026, +49 30 1234567, 123456789012345678901234567890';
    expect(findReferences(text)).toEqual([]);
  });

  it('are returned once, in the order of the text, in both forms', () => {
    const numbers = [7n, 3n, 5n];
    const lines = numbers.flatMap((number) => [printedReference(rfReference(number)), qrReference(number)]);
    const found = findReferences(lines.join('\n'));
    expect(found.map((one) => one.kind === 'own' && one.number)).toEqual(numbers);
  });

  it('are all found in a table with 500 lines of either form', () => {
    for (const make of MAKERS) {
      const numbers = Array.from({ length: 500 }, (_, index) => 29_931_234_000_000_000n + BigInt(index) * 7n);
      const lines = numbers.map((number) => `28.11.2026\t${printedReference(make(number))}\t1 250.00\tCHF`);
      const found = findReferences(lines.join('\n'));
      expect(found.map((one) => one.kind === 'own' && one.number)).toEqual(numbers);
    }
  });

  it('never turn another text into a reference of ours', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom(...Array.from('RF0123456789 -\n')) })),
        (parts) => {
          expect(findReferences(parts.join(' ')).filter(({ kind }) => kind === 'own')).toEqual([]);
        },
      ),
    );
  });
});
