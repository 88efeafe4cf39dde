import * as z from 'zod';
import { formatMoney } from '../../common/money/money.js';
import { isRsin } from '../../common/tax/tax-numbers.js';
import { text } from '../../settings/setting-values.js';
import { DONOR, ISSUER, PLACE_WORDS, placeOfIssue } from './pack-parts.js';
import {
  benefitFindings,
  deductible,
  type Finding,
  linesOf,
  type PackBlock,
  type PackFacts,
  type PackForm,
  type ReceiptPack,
} from './receipt-pack.js';

/**
 * The Netherlands: the confirmation of one gift to an ANBI, and of all gifts of a period. There is no official form. Cash does not
 * count since 2021, so it is listed apart.
 */

const SETTINGS = z
  .object({
    rsin: text(9)
      .refine((given) => given === '' || isRsin(given), 'must be an RSIN such as 123456782')
      .meta({
        format: 'rsin',
        example: '123456782',
        description: 'RSIN of the ANBI, as in the register of the tax office; empty for none',
      })
      .default(''),
    place: placeOfIssue('Amsterdam'),
  })
  .meta({ id: 'DutchTaxSettingsDto', description: 'Facts for Dutch receipts (giftenverklaring)' });

type Legal = z.output<typeof SETTINGS>;
type Facts = PackFacts<Legal>;

/** Words of the settings in the form of the dashboard, in its order. */
const FORM: PackForm<Legal> = {
  rsin: {
    label: {
      en: 'RSIN of the ANBI',
      de: 'RSIN der ANBI',
      fr: 'RSIN de l’ANBI',
      it: 'RSIN dell’ANBI',
      es: 'RSIN de la ANBI',
      nl: 'RSIN van de ANBI',
    },
    hint: {
      en: 'Nine digits, as in the register. The legal name must be that of the register too.',
      de: 'Neun Ziffern, wie im Register. Auch der rechtliche Name muss der des Registers sein.',
      fr: 'Neuf chiffres, comme dans le registre. Le nom légal doit aussi être celui du registre.',
      it: 'Nove cifre, come nel registro. Anche la denominazione legale deve essere quella del registro.',
      es: 'Nueve cifras, como en el registro. El nombre legal también debe ser el del registro.',
      nl: 'Negen cijfers, zoals in het register. Ook de officiële naam moet die van het register zijn.',
    },
  },
  place: PLACE_WORDS,
};

const date = (iso: string): string => iso.split('-').reverse().join('-');
const money = (amount: number): string => formatMoney(BigInt(amount), 'eur', 'nl-NL');

const isCash = ({ type }: Facts): boolean => type === 'cash';
const isReduced = (facts: Facts): boolean => deductible(facts) < facts.amount;
const sumOf = (gifts: readonly Facts[]): number => gifts.reduce((sum, gift) => sum + deductible(gift), 0);

const NOT_DEDUCTIBLE = 'Contant ontvangen: niet aftrekbaar';
const CASH_RULE = 'Contante giften zijn sinds 1 januari 2021 niet aftrekbaar.';

/** The organization; the number of a receipt. */
const head = (facts: Facts, number?: string): PackBlock => ({
  kind: 'fields',
  fields: [
    {
      label: 'Naam en adres van de ANBI',
      value: [facts.organization.name, ...linesOf(facts.organization.address)].join('\n'),
      share: 0.5,
    },
    { label: 'RSIN', value: facts.legal.rsin, share: number === undefined ? 0.5 : 0.25 },
    ...(number === undefined ? [] : [{ label: 'Nr.', value: number, share: 0.25 }]),
  ],
});

const donor = ({ donorName, donorAddress }: Facts): PackBlock => ({
  kind: 'fields',
  fields: [
    {
      label: 'Naam en adres van de gever',
      value: [donorName ?? '', ...linesOf(donorAddress)].join('\n'),
      share: 1,
    },
  ],
});

function end({ organization, legal }: Facts, issuedOn: string, reduced: boolean): PackBlock[] {
  return [
    ...(reduced
      ? [
          {
            kind: 'small' as const,
            text: 'Terugbetalingen en de waarde van tegenprestaties zijn afgetrokken.',
          },
        ]
      : []),
    {
      kind: 'text',
      text: `${organization.name} is een algemeen nut beogende instelling (ANBI) met RSIN ${legal.rsin}.`,
    },
    { kind: 'text', text: 'Bewaar ook uw bankafschrift: het bewijst de betaling.' },
    {
      kind: 'signature',
      above: `${legal.place}, ${date(issuedOn)}`,
      below: 'Namens de instelling',
      name: organization.signatory,
    },
  ];
}

const table = (gifts: readonly Facts[], total: string): PackBlock[] => [
  {
    kind: 'table',
    columns: [
      { label: 'Datum van de gift', share: 0.5 },
      { label: 'Bedrag', share: 0.5, isEnd: true },
    ],
    rows: gifts.map((gift) => [date(gift.receivedOn), money(deductible(gift))]),
  },
  { kind: 'fields', fields: [{ label: total, value: money(sumOf(gifts)), share: 1 }] },
];

export const NL = {
  id: 'nl',
  version: 'nl-2026-11',
  reviewed: null,
  sources: [
    'Wet inkomstenbelasting 2001, artikel 6.32 tot en met 6.39 (giften aan een ANBI)',
    'Belastingdienst, contante giften zijn vanaf 1 januari 2021 niet aftrekbaar',
  ],
  retention: { years: 7, from: 'calendar-year', law: 'AWR, art. 52 (4)' },
  maxPages: 1,
  settings: SETTINGS,
  form: FORM,
  requiredOrganization: [
    ...ISSUER,
    ['legal.nl.rsin', ({ legal }) => legal.rsin],
    ['legal.nl.place', ({ legal }) => legal.place],
  ],
  requiredDonor: DONOR,

  check(facts): Finding[] {
    const found: Finding[] = benefitFindings(facts);
    if (!isRsin(facts.legal.rsin)) found.push({ field: 'legal.nl.rsin', rule: 'form' });
    if (facts.currency !== 'eur') found.push({ field: 'currency', rule: 'currency' });
    if (deductible(facts) <= 0) found.push({ field: 'amount', rule: 'amount' });
    return found;
  },

  render(facts, { number, issuedOn, replaces }) {
    return {
      language: 'nl',
      title: 'Bevestiging van een gift',
      blocks: [
        head(facts, number),
        { kind: 'heading', text: 'Bevestiging van een gift' },
        ...(replaces === null
          ? []
          : [
              {
                kind: 'strong' as const,
                text: `Gecorrigeerde bevestiging: zij vervangt bevestiging nr. ${replaces}, die daarmee ongeldig is.`,
              },
            ]),
        donor(facts),
        {
          kind: 'fields',
          fields: [
            { label: 'Bedrag van de gift', value: money(deductible(facts)), share: 0.5 },
            { label: 'Datum van de gift', value: date(facts.receivedOn), share: 0.5 },
          ],
        },
        ...(isCash(facts)
          ? [
              { kind: 'strong' as const, text: NOT_DEDUCTIBLE },
              { kind: 'text' as const, text: CASH_RULE },
            ]
          : []),
        ...end(facts, issuedOn, isReduced(facts)),
      ],
    };
  },

  annual: {
    render({ from, to, gifts }) {
      const [first] = gifts;
      if (!first) throw new Error('An annual document needs a gift');
      const cash = gifts.filter(isCash);
      const counted = gifts.filter((gift) => !isCash(gift));
      return {
        language: 'nl',
        title: 'Giftenverklaring',
        blocks: [
          head(first),
          { kind: 'heading', text: 'Giftenverklaring' },
          donor(first),
          {
            kind: 'text',
            text: `Wij bevestigen dat wij van ${date(from)} tot en met ${date(to)} deze giften hebben ontvangen:`,
          },
          ...(counted.length > 0 ? table(counted, 'Totaal van de giften') : []),
          ...(cash.length > 0
            ? [
                { kind: 'strong' as const, text: NOT_DEDUCTIBLE },
                { kind: 'text' as const, text: CASH_RULE },
                ...table(cash, 'Totaal contant, niet aftrekbaar'),
              ]
            : []),
          ...end(first, first.issuedOn, gifts.some(isReduced)),
        ],
      };
    },
  },
} as const satisfies ReceiptPack<Legal>;
