import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { onFile, pdfText } from '../../../test/export/tools.js';
import { annualOf, packs, SAMPLES, withField, WRONG_NUMBERS } from '../../../test/receipts/pack-samples.js';
import { itWithTool } from '../../../test/support/tools.js';
import { readSettings } from '../../settings/stored-settings.js';
import { annualPdf, collectivePdf, packPdf, proofPdf } from '../pack-pdf.js';
import { WORD_LANGUAGES } from '../../common/money/amount-in-words.js';
import { formOf } from './form-of-pack.js';
import {
  annualFindingsOf,
  findingsOf,
  keptUntil,
  linesOf,
  type PackBlock,
  type PackDocument,
  type PackFacts,
  type ReceiptPack,
} from './receipt-pack.js';
import { packOf, packVersion } from './registry.js';

const NUMBER = { number: '2026-000042', issuedOn: '2026-11-28', replaces: null };

const ISSUER = {
  organization: '',
  legalName: '',
  taxId: '',
  address: '',
  footer: 'Advertising of the organization',
  signatory: '',
  locale: 'en',
  supported: ['en'],
  timezone: 'Europe/Berlin',
  logo: undefined,
  checkAddress: 'https://donate.example.org/r',
};

const pdfOf = (
  pack: ReceiptPack,
  facts: PackFacts,
  more: { copy?: boolean; status?: 'REFUNDED'; checkCode?: string } = {},
) =>
  packPdf(
    {
      donationId: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f',
      number: NUMBER.number,
      issuedAt: new Date('2026-11-28T10:00:00Z'),
      copy: more.copy ?? false,
      replaces: null,
      status: more.status ?? 'COMPLETED',
      amount: BigInt(facts.amount),
      refundedAmount: 0n,
      currency: facts.currency,
      type: facts.type,
      method: null,
      wallet: null,
      checkCode: more.checkCode ?? null,
      donorName: facts.donorName,
      message: null,
      receivedAt: new Date('2026-11-21T20:00:00Z'),
      eventName: 'Gala',
      locale: null,
      pack: { version: pack.version, facts },
    },
    ISSUER,
  );

const textsOf = (block: PackBlock): string[] =>
  block.kind === 'fields'
    ? block.fields.flatMap(({ label, value }) => [label, value])
    : block.kind === 'signature'
      ? [block.above, block.name, block.below]
      : block.kind === 'table'
        ? [...block.columns.map(({ label }) => label), ...block.rows.flat()]
        : [block.text];

const linesIn = ({ blocks }: PackDocument): string =>
  `${blocks.flatMap(textsOf).filter(Boolean).join('\n')}\n`;

const textOf = (pack: ReceiptPack, facts: PackFacts): string => linesIn(pack.render(facts, NUMBER));

const golden = (name: string): string =>
  readFileSync(new URL(`../../../test/receipts/golden/${name}.txt`, import.meta.url), 'utf8');

/** Languages of donors, and the samples that they get. A donor with another language gets that of the settings. */
const SWISS = [
  ['fr-CH', 'ch-annual-fr'],
  ['it-CH', 'ch-annual-it'],
  ['en-GB', 'ch-annual'],
] as const;

/** Texts without line breaks and spaces, because a PDF breaks lines anywhere. */
const bare = (text: string): string => text.replace(/[\s\u00a0\u202f]/gu, '');

/** Text of a PDF in the order of the file, which screen readers follow too. */
const textInOrder = (pdf: Buffer) => onFile('pdftotext', ['-raw', '-enc', 'UTF-8', '{}', '-'], pdf);

describe.each(packs)('the receipt pack %s', (id, pack, sample) => {
  it('accepts a complete receipt', () => {
    expect(findingsOf(pack, sample)).toEqual([]);
    expect(readSettings(sample.legal, pack.settings).problems).toEqual([]);
    expect(pack.settings.parse(sample.legal)).toEqual(sample.legal);
  });

  it.each([...pack.requiredOrganization, ...pack.requiredDonor].map(([field]) => field))(
    'refuses a receipt without %s by name',
    (field) => {
      const complete = withField(id, sample, `legal.${id}.machineSignature`, true);
      const whole = withField(id, complete, `legal.${id}.machineNoticeDate`, '2025-01-10');
      expect(findingsOf(pack, whole)).toEqual([]);
      for (const nothing of [null, '', ' ', []].filter((value) => fits(field, value)))
        expect(findingsOf(pack, withField(id, whole, field, nothing))).toEqual([{ field, rule: 'missing' }]);
    },
  );

  it('refuses twelve wrong numbers of each kind, in a receipt and in the settings', () => {
    for (const [setting, wrong] of WRONG_NUMBERS[id]) {
      expect(new Set(wrong).size).toBe(12);
      const field = `legal.${id}.${setting}`;
      for (const number of wrong) {
        expect([number, findingsOf(pack, withField(id, sample, field, number))]).toEqual([
          number,
          [{ field, rule: 'form' }],
        ]);
        expect(readSettings({ [setting]: number }, pack.settings).problems).toHaveLength(1);
      }
    }
  });

  it('refuses another currency, and a donation that was refunded in full', () => {
    const other = { ...sample, currency: sample.currency === 'gbp' ? 'eur' : 'gbp' };
    expect(findingsOf(pack, other)).toEqual([{ field: 'currency', rule: 'currency' }]);
    expect(findingsOf(pack, { ...sample, refunded: sample.amount })).toEqual([
      { field: 'amount', rule: 'amount' },
    ]);
  });

  it('prints the same words as the sample that a practitioner reads', () => {
    expect(textOf(pack, sample)).toBe(golden(id));
  });

  it('the version of a receipt finds the pack that prints its copies', () => {
    expect(packVersion(pack.version)).toBe(pack);
    expect(() => packVersion(`${id}-1999-01`)).toThrow(`${id}-1999-01`);
  });

  itWithTool('pdftotext', 'prints its texts in reading order, and nothing else', async () => {
    const pdf = pdfOf(pack, sample);
    expect(bare(await textInOrder(pdf))).toBe(bare(textOf(pack, sample)));
    // Without the order of the file, the program guesses columns, and removes hyphens at the end of a line.
    const letters = (text: string) => [...bare(text).replaceAll('-', '')].sort();
    expect(letters(await pdfText(pdf))).toEqual(letters(textOf(pack, sample)));
  });

  itWithTool('pdftotext', 'marks copies, and receipts that are void', async () => {
    const copy = bare(await textInOrder(pdfOf(pack, sample, { copy: true })));
    expect(copy.slice(-bare(textOf(pack, sample)).length)).toBe(bare(textOf(pack, sample)));
    expect(copy.length).toBeGreaterThan(bare(textOf(pack, sample)).length);
    const returned = bare(await textInOrder(pdfOf(pack, sample, { status: 'REFUNDED' })));
    expect(returned).not.toBe(bare(textOf(pack, sample)));
  });

  itWithTool(
    'pdftotext',
    'ends with the address of the public check, unless its words are binding',
    async () => {
      const text = bare(await textInOrder(pdfOf(pack, sample, { checkCode: 'ABCDEFGHJKMNPQRSTVWX' })));
      const ends = text.endsWith('https://donate.example.org/r/ABCDEFGHJKMNPQRSTVWX');
      expect(ends).toBe(!(pack.hasBindingWords ?? false));
    },
  );

  itWithTool('qpdf', 'is a valid tagged PDF', async () => {
    const pdf = pdfOf(pack, sample);
    expect(await onFile('qpdf', ['--check', '{}'], pdf)).toContain(
      'No syntax or stream encoding errors found',
    );
    const info = await onFile('pdfinfo', ['{}'], pdf);
    expect(info).toMatch(/Tagged: +yes/);
    expect(info).toMatch(pack.isLocked ? /Encrypted: +yes \(print:yes copy:yes change:no/ : /Encrypted: +no/);
    expect(info).toMatch(/Page size: +595\.28 x 841\.89/);
  });

  itWithTool('pdfinfo', 'has one page with names of 60 characters and addresses of four lines', async () => {
    const long = 'Dr. Maximiliane Wolkenstein-Hohenberg von der Sonnenaue-Werth';
    const address = [
      'c/o Sonnenaue Verwaltungsgesellschaft mit beschränkter Haftung',
      'Hinterhaus, 3. Stock links',
    ]
      .concat('Bürgermeister-Schmidt-Straße 142a', '10969 Berlin-Friedrichshain-Kreuzberg')
      .join('\n');
    expect(long.length).toBeGreaterThanOrEqual(60);
    expect(linesOf(address)).toHaveLength(4);
    const facts: PackFacts = {
      ...sample,
      amount: 98_765_432_199,
      donorName: long,
      donorAddress: address,
      organization: { name: long, address, signatory: long },
      legal: { ...sample.legal, ...longestOf(pack) },
    };
    const pdf = pdfOf(pack, facts, { copy: true });
    expect(await onFile('pdfinfo', ['{}'], pdf)).toMatch(new RegExp(`Pages: +${pack.maxPages}\\n`));
    expect(bare(await textInOrder(pdf))).toContain(bare(textOf(pack, facts)));
  });
});

const ANNUAL = packs.flatMap(([id, pack, sample]) => {
  const { annual } = pack;
  return annual ? [[id, pack, annual, sample] as const] : [];
});

describe.each(packs)('the form of the pack %s', (id, pack) => {
  it('has each setting once, with a label in each language', () => {
    const paths = Object.keys(pack.settings.shape).map((name) => `legal.${id}.${name}`);
    for (const language of WORD_LANGUAGES) {
      const fields = formOf(pack, language);
      expect(fields.map(({ path }) => path).sort()).toEqual(paths.sort());
      for (const { label, hint, choices } of fields)
        for (const text of [label, hint ?? '–', ...choices.map((choice) => choice.label)])
          expect(text.trim()).not.toBe('');
    }
  });

  it('names the choices that the settings accept, and shows a setting only with a value that another one accepts', () => {
    const accepts = (path: string, value: unknown) =>
      pack.settings.safeParse({ [path.slice(`legal.${id}.`.length)]: value }).success;
    for (const { path, kind, choices, shownIf, maxLength } of formOf(pack, 'en')) {
      expect(choices.length > 0).toBe(kind === 'choice');
      for (const { value } of choices) expect(accepts(path, value)).toBe(true);
      if (kind === 'choice') expect(accepts(path, 'another')).toBe(false);
      if (kind === 'day') expect([accepts(path, null), accepts(path, '2026-01-31')]).toEqual([true, true]);
      if (kind === 'lines') expect(maxLength).toBeGreaterThan(0);
      if (shownIf) expect(accepts(shownIf.path, shownIf.value)).toBe(true);
    }
  });
});

describe.each(ANNUAL)('the annual document of the pack %s', (id, pack, annual, sample) => {
  const draw = (facts: ReturnType<typeof annualOf>) =>
    annualPdf({ version: pack.version, facts, logo: undefined });

  it('prints the same words as the sample that a practitioner reads, in each language', () => {
    for (const [locale, name] of id === 'ch' ? SWISS : ([['en', `${id}-annual`]] as const))
      expect(linesIn(annual.render(annualOf(sample, locale)))).toBe(golden(name));
  });

  it('a missing field gives one finding with the name of the field', () => {
    for (const [field] of [...pack.requiredOrganization, ...pack.requiredDonor]) {
      const nothing = field.endsWith('Date') ? null : '';
      const { gifts, ...period } = annualOf(sample, 'en');
      const lacking = { ...period, gifts: gifts.map((gift) => withField(id, gift, field, nothing)) };
      expect(annualFindingsOf(pack, lacking)).toEqual([{ field, rule: 'missing' }]);
      expect(annualFindingsOf(pack, { ...period, gifts })).toEqual([]);
    }
  });

  itWithTool('pdftotext', 'lists each of eighty gifts, on pages with numbers', async () => {
    const facts = annualOf(sample, 'en');
    const short = draw(facts);
    expect(bare(await textInOrder(short))).toBe(bare(linesIn(annual.render(facts))));
    expect(await onFile('qpdf', ['--check', '{}'], short)).toContain(
      'No syntax or stream encoding errors found',
    );
    const [gift] = facts.gifts;
    if (!gift) throw new Error('No gift');
    const gifts = Array.from({ length: 80 }, (_, index) => ({
      ...gift,
      receivedOn: `2026-${String(1 + Math.floor(index / 28)).padStart(2, '0')}-${String(1 + (index % 28)).padStart(2, '0')}`,
    }));
    const long = draw({ ...facts, gifts });
    const text = bare(await textInOrder(long));
    expect(await onFile('pdfinfo', ['{}'], long)).toMatch(/Pages: +3\n[\s\S]*/);
    expect(text).toContain('–2–');
    const days = gifts.map(({ receivedOn }) =>
      receivedOn
        .split('-')
        .reverse()
        .join(id === 'ch' ? '.' : '-'),
    );
    expect(days.filter((day) => !text.includes(day))).toEqual([]);
  });
});

/** True if a value has the type of the field: a list for lists, null for days and for the donor, a text otherwise. */
function fits(field: string, value: unknown): boolean {
  if (field.endsWith('purposes')) return Array.isArray(value);
  if (field.endsWith('Date')) return value === null;
  return field.startsWith('donor') ? !Array.isArray(value) : typeof value === 'string';
}

/** The longest texts that the settings of a pack allow. */
function longestOf(pack: ReceiptPack): Record<string, unknown> {
  const longest = (schema: z.core.$ZodType): unknown => {
    const { type, maxLength, maxItems, items } = z.toJSONSchema(schema, { unrepresentable: 'any' });
    if (type === 'string' && maxLength !== undefined) return 'Wort '.repeat(maxLength / 5).trim();
    if (type === 'array' && typeof items === 'object' && !Array.isArray(items))
      return Array.from({ length: maxItems ?? 1 }, (_, index) =>
        `${index} ${'Wort '.repeat((items.maxLength ?? 5) / 5)}`.slice(0, items.maxLength).trim(),
      );
    return undefined;
  };
  return Object.fromEntries(
    Object.entries(pack.settings.shape as z.core.$ZodShape)
      .map(([name, schema]): [string, unknown] => [name, longest(schema)])
      .filter(([, value]) => value !== undefined),
  );
}

const german = new Map<string, ReceiptPack>(packs.map(([id, pack]) => [id, pack])).get('de');

describe('the last day of a sealed receipt', () => {
  it.each([
    ['de', '2026-11-28', '12-31', '2036-12-31'],
    ['us', '2026-11-28', '06-30', '2031-06-30'],
    ['us', '2026-02-01', '06-30', '2030-12-31'],
    ['ca', '2026-01-02', '03-31', '2028-12-31'],
    ['fr', '2028-02-29', '12-31', '2034-03-01'],
    ['ch', '2026-11-28', '04-05', '2037-04-05'],
    ['nl', '2026-12-31', '12-31', '2033-12-31'],
  ] as const)('of %s, issued on %s, with accounting years to %s, is %s', (id, issued, yearEnd, until) => {
    expect(keptUntil(packOf(id)?.retention ?? NONE, issued, yearEnd)).toBe(until);
  });
});

const NONE = { years: 0, from: 'issue', law: '' } as const;

describe('a German receipt', () => {
  const de = german as ReceiptPack;
  const sample = SAMPLES.de;
  const ruleOf = (facts: PackFacts) => findingsOf(de, facts);
  const expired = [{ field: 'legal.de.noticeDate', rule: 'expired' }];

  it.each([
    ['exemption', '2021-11-28', []],
    ['exemption', '2021-11-27', expired],
    ['section60a', '2023-11-28', []],
    ['section60a', '2023-11-27', expired],
  ] as const)(
    'accepts a notice of the kind %s for five or three years: of %s',
    (noticeKind, noticeDate, found) => {
      expect(ruleOf({ ...sample, legal: { ...sample.legal, noticeKind, noticeDate } })).toEqual(found);
    },
  );

  it.each([
    ['exemption', '2021-11-28', '2026-08-29', undefined],
    ['exemption', '2021-11-28', '2026-08-30', '2026-11-28'],
    ['section60a', '2023-11-28', '2026-12-31', '2026-11-28'],
    ['exemption', null, '2026-12-31', undefined],
  ] as const)(
    'warns 90 days before a notice gets too old: %s of %s on %s',
    (noticeKind, noticeDate, today, until) => {
      const warned = de.warn?.({ ...sample.legal, noticeKind, noticeDate }, today);
      expect(warned).toEqual(until === undefined ? [] : [{ field: 'legal.de.noticeDate', until }]);
    },
  );

  it('names the determination under § 60a AO in the words of the sample, and needs no assessment period for it', () => {
    const facts = { ...sample, legal: { ...sample.legal, noticeKind: 'section60a', assessmentPeriod: '' } };
    expect(ruleOf(facts)).toEqual([]);
    expect(textOf(de, facts)).toContain(
      'Die Einhaltung der satzungsmäßigen Voraussetzungen nach den §§ 51, 59, 60 und 61 AO wurde vom Finanzamt Hamburg-Nord, ' +
        'StNr. 17/412/34567 mit Bescheid vom 14.03.2025 nach § 60a AO gesondert festgestellt.',
    );
  });

  it('confirms only the part that was not refunded and for which the donor received no benefit', () => {
    expect(textOf(de, { ...sample, refunded: 32_250 })).toContain(
      '1.000,00\u00a0€\n- in Buchstaben -\neintausend Euro\n',
    );
    const benefit = { refunded: 32_250, benefitValue: 10_000 };
    expect(textOf(de, { ...sample, ...benefit })).toContain('\nneunhundert Euro\n');
    expect(ruleOf({ ...sample, benefitValue: sample.amount })).toEqual([{ field: 'amount', rule: 'amount' }]);
  });

  it('names the signer only if the tax office was notified of receipts by machine', () => {
    expect(textOf(de, sample)).not.toContain('Petersen');
    const legal = { ...sample.legal, machineSignature: true, machineNoticeDate: '2025-01-10' };
    const text = textOf(de, { ...sample, legal });
    expect(text).toContain('Petersen');
    expect(text).toContain('Das Verfahren wurde dem Finanzamt Hamburg-Nord am 10.01.2025 angezeigt');
  });

  itWithTool(
    'pdftotext',
    'reads in the order of the sample also for a program that guesses columns',
    async () => {
      expect(bare(await pdfText(pdfOf(de, sample)))).toBe(bare(textOf(de, sample)));
    },
  );

  itWithTool(
    'pdftotext',
    'has a simplified proof up to 300 euros except for cash, in the words of its sample',
    async () => {
      const small = { ...sample, amount: 30_000 };
      const proof = de.proof;
      if (!proof) throw new Error('No simplified proof');
      expect(
        [small, { ...small, amount: 30_001 }, { ...small, type: 'cash' as const }].map(proof.covers),
      ).toEqual([true, false, false]);
      const text = linesIn(proof.render(small));
      expect(text).toBe(golden('de-simplified'));
      const pdf = proofPdf({ version: de.version, facts: small, logo: undefined });
      expect(bare(await textInOrder(pdf))).toBe(bare(text));
      expect(await onFile('pdfinfo', ['{}'], pdf)).toMatch(/Pages: +1\n/);
    },
  );

  itWithTool(
    'pdftotext',
    'can be one for all gifts of a year: the words of the sample, and an annex with each gift',
    async () => {
      const { collective } = de;
      if (!collective) throw new Error('No collective receipt');
      const facts = annualOf(sample, 'de');
      const text = linesIn(collective.render(facts, NUMBER));
      expect(text).toBe(golden('de-collective'));
      const gifts = Array.from({ length: 120 }, () => facts.gifts).flat();
      const draw = (drawn: PackFacts[]) =>
        collectivePdf({
          version: de.version,
          facts: { ...facts, gifts: drawn },
          number: NUMBER,
          issuedAt: new Date('2026-11-28T10:00:00Z'),
          copy: false,
          logo: undefined,
        });
      const short = draw([...facts.gifts]);
      expect(await onFile('pdfinfo', ['{}'], short)).toMatch(/Pages: +2\n/);
      expect(bare(await textInOrder(short)).replace('–2–', '')).toBe(bare(text));
      const long = bare(await textInOrder(draw(gifts)));
      expect(long.split('21.11.2026')).toHaveLength(121);
      expect(long.endsWith('Gesamtsumme178.800,00€')).toBe(true);
    },
  );

  it('names the receipt that it replaces', () => {
    const { blocks } = de.render(sample, { ...NUMBER, replaces: '2026-000017' });
    expect(blocks.flatMap(textsOf)).toContain(
      'Berichtigte Bestätigung: Sie ersetzt die Bestätigung Nr. 2026-000017, die damit ungültig ist.',
    );
  });
});

const MISSING_VALUE = [{ field: 'benefitValue', rule: 'missing' }];
const MISSING_TEXT = [{ field: 'benefitText', rule: 'missing' }];

describe('a receipt of the United States', () => {
  const us = packVersion('us-2026-11');
  const sample = { ...SAMPLES.us, benefitValue: null, benefitText: null };

  it('says that nothing was provided in exchange, or only intangible religious benefits', () => {
    expect(textOf(us, sample)).toContain(
      '\nNo goods or services were provided in exchange for this contribution.\n',
    );
    expect(textOf(us, { ...sample, benefitValue: 0, benefitText: 'Sticker' })).not.toContain('Sticker');
    const legal = { ...sample.legal, intangibleReligiousBenefits: true };
    expect(textOf(us, { ...sample, legal })).toContain(', other than intangible religious benefits.\n');
  });

  it.each([
    [7_500, false, false],
    [7_501, true, false],
    [25_499, true, false],
    [25_500, true, true],
  ])(
    'has the sentences of the law for a payment of %d cents with a benefit of 5 dollars',
    (amount, disclosed, filed) => {
      const text = textOf(us, { ...sample, amount, benefitValue: 500, benefitText: 'Mug' });
      expect(text).toContain(
        'provided: Mug. Our good-faith estimate of the value of these goods or services is $5.00.',
      );
      expect(text.includes('section 6115')).toBe(disclosed);
      expect(text.includes('For a contribution of $250 or more')).toBe(filed);
    },
  );

  it('prints the sentences of the states at its end, and counts only the part that was kept', () => {
    const legal = { ...sample.legal, stateDisclosures: ['Florida: call 800.', 'Ohio: see our site.'] };
    const text = textOf(us, { ...sample, refunded: 32_250, legal });
    expect(text).toContain('$1,000.00');
    expect(text.endsWith('Florida: call 800.\nOhio: see our site.\n')).toBe(true);
  });

  it('needs the description of a benefit, and its value', () => {
    expect(findingsOf(us, { ...sample, benefitValue: 500 })).toEqual(MISSING_TEXT);
    expect(findingsOf(us, { ...sample, benefitText: 'Mug' })).toEqual(MISSING_VALUE);
  });
});

describe('a Canadian receipt', () => {
  const ca = packVersion('ca-2026-11');
  const sample = { ...SAMPLES.ca, amount: 10_000 };

  it('a Canadian receipt is refused if the advantage is worth more than 80 percent of the donation that was kept', () => {
    const tooLarge = [{ field: 'benefitValue', rule: 'advantage' }];
    expect(findingsOf(ca, { ...sample, benefitValue: 8_000 })).toEqual([]);
    expect(findingsOf(ca, { ...sample, benefitValue: 8_001 })).toEqual(tooLarge);
    expect(findingsOf(ca, { ...sample, refunded: 5_000, benefitValue: 4_001 })).toEqual(tooLarge);
    expect(findingsOf(ca, { ...sample, benefitValue: 10_000 })).toEqual([
      { field: 'amount', rule: 'amount' },
    ]);
    expect(findingsOf(ca, { ...sample, benefitValue: 500, benefitText: '' })).toEqual(MISSING_TEXT);
    expect(findingsOf(ca, { ...sample, benefitValue: null })).toEqual(MISSING_VALUE);
  });

  it('names no advantage if there is none, and the receipt that it replaces in both languages', () => {
    const facts = { ...sample, benefitValue: null, benefitText: null };
    expect(textOf(ca, facts)).toContain(
      '$0.00\nEligible amount of the gift / Montant admissible du don\n$100.00\n',
    );
    expect(textOf(ca, facts)).toContain('none / aucun');
    const { blocks } = ca.render(facts, { ...NUMBER, replaces: '2026-000017' });
    expect(blocks.flatMap(textsOf)).toContain(
      'This receipt cancels and replaces receipt no. 2026-000017. / Ce reçu annule et remplace le reçu n° 2026-000017.',
    );
  });
});

describe('a French receipt', () => {
  const fr = packVersion('fr-2026-11');
  const sample = SAMPLES.fr;

  it('needs a SIREN or an RNA, and prints both if both are known', () => {
    const legal = { ...sample.legal, siren: '', rna: 'W751212517' };
    expect(findingsOf(fr, { ...sample, legal })).toEqual([]);
    expect(textOf(fr, { ...sample, legal: { ...legal, siren: '732829320' } })).toContain(
      'SIREN ou RNA\n732829320\nW751212517\n',
    );
  });

  it('needs the day of the decree only of an organization of public benefit', () => {
    expect(textOf(fr, sample)).toContain('reconnue d’utilité publique, par décret du 12/05/1998');
    const legal = { ...sample.legal, category: 'general', decreeDate: null };
    expect(findingsOf(fr, { ...sample, legal })).toEqual([]);
    expect(textOf(fr, { ...sample, legal })).not.toContain('décret');
  });

  it('prints the amount between asterisks and in letters, and marks the mode of payment', () => {
    const text = textOf(fr, { ...sample, amount: 5_000, type: 'check' });
    expect(text).toContain('***50,00***\nSomme en toutes lettres\ncinquante euros\n');
    expect(text).toContain('[X]\u00a0Chèque');
    expect(findingsOf(fr, { ...sample, type: 'other' })).toEqual([{ field: 'type', rule: 'missing' }]);
  });
});
