/**
 * A second reading of the published rules: EPC069-12 version 2, Swiss Implementation Guidelines QR-bill version 2.3,
 * ISO 11649 and ISO 13616. It shares no code with the service, so a mistake there is found here.
 */

/** ISO 7064 MOD 97-10 over one large number. */
export function checksIso7064(text: string): boolean {
  const turned = text.slice(4) + text.slice(0, 4);
  const digits = turned.replace(/[A-Z]/g, (letter) => String(parseInt(letter, 36)));
  return BigInt(digits) % 97n === 1n;
}

/** "Modulo 10, recursive" with the full table of the guidelines: row of the carry, column of the digit. */
const TABLE = [
  '0946827135',
  '9468271350',
  '4682713509',
  '6827135094',
  '8271350946',
  '2713509468',
  '7135094682',
  '1350946827',
  '3509468271',
  '5094682713',
];

export function checksQrReference(text: string): boolean {
  let carry = 0;
  for (const digit of text.slice(0, 26)) carry = Number(TABLE[carry]?.[Number(digit)]);
  return text.length === 27 && Number(text[26]) === (10 - carry) % 10;
}

const LATIN = /^[ -~\u00a1-\u00ac\u00ae-\u017f\u0218-\u021b\u20ac]*$/;
const AMOUNT = /^(0|[1-9]\d{0,8})\.\d{2}$/;

/** Returns the broken rules of an EPC code; an empty list for a valid one. */
export function brokenEpcRules(payload: string): string[] {
  const lines = payload.split('\n');
  const [tag, version, charset, kind, bic = '', name = '', iban = '', money = '', purpose = ''] = lines;
  const [reference = '', text = '', note = ''] = lines.slice(9);
  const rules: Record<string, boolean> = {
    'service tag': tag === 'BCD',
    version: version === '002',
    'character set UTF-8': charset === '1',
    identification: kind === 'SCT',
    BIC: bic === '' || /^[A-Z0-9]{8}([A-Z0-9]{3})?$/.test(bic),
    name: name.length >= 1 && [...name].length <= 70 && LATIN.test(name),
    IBAN: /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban) && checksIso7064(iban),
    amount: money.startsWith('EUR') && AMOUNT.test(money.slice(3)) && Number(money.slice(3)) >= 0.01,
    purpose: purpose === '' || /^[A-Z]{1,4}$/.test(purpose),
    'reference or text': (reference === '') !== (text === '') || (reference === '' && text === ''),
    reference: reference === '' || (/^RF\d\d[A-Z0-9]{1,21}$/.test(reference) && checksIso7064(reference)),
    'length of text and note': text.length <= 140 && note.length <= 70,
    lines: lines.length <= 12 && lines.at(-1) !== '' && !payload.includes('\r'),
    bytes: new TextEncoder().encode(payload).length <= 331,
  };
  return Object.keys(rules).filter((rule) => !rules[rule]);
}

const ADDRESS_PARTS = ['name', 'street', 'building', 'postal code', 'town'] as const;
const LONGEST = { name: 70, street: 70, building: 16, 'postal code': 16, town: 35 };

/** Returns the broken rules of a Swiss QR code; an empty list for a valid one. */
export function brokenQrBillRules(payload: string): string[] {
  const lines = payload.split('\n');
  const [type, version, coding, iban = '', addressType, ...rest] = lines;
  const address = rest.slice(0, 5);
  const [country = '', ...after] = rest.slice(5);
  const [amount = '', currency] = after.slice(7);
  const [referenceType, reference = '', message = '', trailer] = after.slice(16);
  const bank = Number(iban.slice(4, 9));
  const isQrIban = bank >= 30_000 && bank <= 31_999;
  const rules: Record<string, boolean> = {
    'QR type': type === 'SPC',
    version: version === '0200',
    coding: coding === '1',
    IBAN: /^(CH|LI)\d{2}\d{5}[A-Z0-9]{12}$/.test(iban) && checksIso7064(iban),
    'address type S': addressType === 'S',
    country: /^[A-Z]{2}$/.test(country),
    'no ultimate creditor': after.slice(0, 7).every((line) => line === ''),
    amount: AMOUNT.test(amount) && Number(amount) >= 0.01,
    currency: currency === 'CHF' || currency === 'EUR',
    'no debtor': after.slice(9, 16).every((line) => line === ''),
    'reference type': referenceType === 'QRR' ? isQrIban : !isQrIban,
    reference:
      referenceType === 'QRR'
        ? checksQrReference(reference)
        : referenceType === 'SCOR'
          ? /^RF\d\d[A-Z0-9]{1,21}$/.test(reference) && checksIso7064(reference)
          : referenceType === 'NON' && reference === '',
    message: message.length <= 140 && LATIN.test(message),
    trailer: trailer === 'EPD',
    lines: lines.length === 31 && !payload.includes('\r'),
    characters: payload.length <= 997,
  };
  ADDRESS_PARTS.forEach((part, index) => {
    const text = address[index] ?? '';
    const isNeeded = part === 'name' || part === 'postal code' || part === 'town';
    rules[part] = text.length <= LONGEST[part] && LATIN.test(text) && (!isNeeded || text !== '');
  });
  return Object.keys(rules).filter((rule) => !rules[rule]);
}
