import * as z from 'zod';
import { formatMoney } from '../../common/money/money.js';
import { isEin } from '../../common/tax/tax-numbers.js';
import { flag, listOf, text } from '../../settings/setting-values.js';
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
 * United States: the written acknowledgment that a donor needs for a contribution of $250 and more, with the disclosure of a
 * quid pro quo contribution above $75. One form serves all amounts, because the rules ask for the same sentences.
 */

const SETTINGS = z
  .object({
    ein: text(10)
      .refine((given) => given === '' || isEin(given), 'must be an EIN such as 53-0196605')
      .meta({
        format: 'ein',
        example: '53-0196605',
        description: 'Employer identification number of the organization; empty for none',
      })
      .default(''),
    intangibleReligiousBenefits: flag()
      .meta({
        example: true,
        description:
          'True if donors receive intangible religious benefits, such as admission to a religious ceremony',
      })
      .default(false),
    stateDisclosures: listOf(text(400), { min: 0, max: 6 })
      .meta({
        example: ['A copy of the registration may be obtained from the Division of Consumer Services.'],
        description: 'Sentences that states ask for, printed at the end of the receipt',
      })
      .default([]),
  })
  .meta({ id: 'UnitedStatesTaxSettingsDto', description: 'Facts for receipts of the United States' });

type Legal = z.output<typeof SETTINGS>;
type Facts = PackFacts<Legal>;

/** Words of the settings in the form of the dashboard, in its order. */
const FORM: PackForm<Legal> = {
  ein: {
    label: {
      en: 'Employer identification number (EIN)',
      de: 'Employer identification number (EIN)',
      fr: 'Employer identification number (EIN)',
      it: 'Employer identification number (EIN)',
      es: 'Employer identification number (EIN)',
      nl: 'Employer identification number (EIN)',
    },
    hint: {
      en: 'Such as 53-0196605',
      de: 'Zum Beispiel 53-0196605',
      fr: 'Par exemple 53-0196605',
      it: 'Per esempio 53-0196605',
      es: 'Por ejemplo, 53-0196605',
      nl: 'Bijvoorbeeld 53-0196605',
    },
  },
  intangibleReligiousBenefits: {
    label: {
      en: 'Donors receive intangible religious benefits',
      de: 'Spender erhalten immaterielle religiöse Vorteile',
      fr: 'Les donateurs reçoivent des avantages religieux immatériels',
      it: 'I donatori ricevono benefici religiosi immateriali',
      es: 'Los donantes reciben beneficios religiosos intangibles',
      nl: 'Donateurs krijgen immateriële religieuze voordelen',
    },
  },
  stateDisclosures: {
    label: {
      en: 'Sentences that states ask for',
      de: 'Sätze, die Bundesstaaten verlangen',
      fr: 'Phrases exigées par les États',
      it: 'Frasi richieste dagli stati',
      es: 'Frases que exigen los estados',
      nl: 'Zinnen die staten verlangen',
    },
    hint: {
      en: 'One a line, in English. The receipt ends with them.',
      de: 'Einer je Zeile, auf Englisch. Die Quittung endet damit.',
      fr: 'Une par ligne, en anglais. Le reçu se termine par elles.',
      it: 'Una per riga, in inglese. La ricevuta termina con esse.',
      es: 'Una por línea, en inglés. El recibo termina con ellas.',
      nl: 'Eén per regel, in het Engels. De kwitantie eindigt ermee.',
    },
  },
};

/** Above this payment, the charity must disclose the value of the benefit (IRC § 6115). Minor units. */
const DISCLOSED_ABOVE = 7_500;
/** From this contribution on, the donor needs a written acknowledgment (IRC § 170(f)(8)). Minor units. */
const ACKNOWLEDGED_FROM = 25_000;

const money = (amount: number): string => formatMoney(BigInt(amount), 'usd', 'en-US');

const date = (iso: string): string =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(`${iso}T00:00:00Z`),
  );

function goodsOrServices(facts: Facts): PackBlock[] {
  const { organization, legal, amount, refunded, benefitText } = facts;
  const value = facts.benefitValue ?? 0;
  if (value === 0)
    return [
      {
        kind: 'text',
        text: legal.intangibleReligiousBenefits
          ? 'No goods or services were provided in exchange for this contribution, other than intangible religious benefits.'
          : 'No goods or services were provided in exchange for this contribution.',
      },
    ];
  const paid = amount - refunded;
  const disclosure =
    paid > DISCLOSED_ABOVE ? ' (disclosure under section 6115 of the Internal Revenue Code)' : '';
  return [
    {
      kind: 'text',
      text:
        `In exchange for this contribution, ${organization.name} provided: ${benefitText ?? ''}. Our good-faith estimate of the ` +
        `value of these goods or services is ${money(value)}.`,
    },
    {
      kind: 'text',
      text:
        'The amount of the contribution that is deductible for federal income tax purposes is limited to the excess of the amount ' +
        `contributed (${money(paid)}) over the value of the goods or services provided (${money(value)}): ` +
        `${money(deductible(facts))}${disclosure}.`,
    },
  ];
}

export const US = {
  id: 'us',
  version: 'us-2026-11',
  reviewed: null,
  sources: [
    'IRC § 170(f)(8) and Treas. Reg. § 1.170A-13(f) (written acknowledgment, $250)',
    'IRC § 6115 (quid pro quo contributions, $75)',
    'IRS Publication 1771 (Rev. 3-2016)',
  ],
  retention: { years: 4, from: 'accounting-year', law: 'IRC § 6001, § 6501 (a)' },
  maxPages: 1,
  settings: SETTINGS,
  form: FORM,
  requiredOrganization: [
    ['legal.legalName', ({ organization }) => organization.name],
    ['legal.us.ein', ({ legal }) => legal.ein],
  ],
  requiredDonor: [['donorName', ({ donorName }) => donorName]],

  check(facts): Finding[] {
    const found: Finding[] = benefitFindings(facts);
    if (!isEin(facts.legal.ein)) found.push({ field: 'legal.us.ein', rule: 'form' });
    if (facts.currency !== 'usd') found.push({ field: 'currency', rule: 'currency' });
    if (deductible(facts) <= 0) found.push({ field: 'amount', rule: 'amount' });
    return found;
  },

  render(facts, { number, issuedOn, replaces }) {
    const { organization, legal, amount, refunded, donorName, donorAddress } = facts;
    return {
      language: 'en',
      title: 'Acknowledgment of a charitable contribution',
      blocks: [
        {
          kind: 'fields',
          fields: [
            {
              label: 'Organization',
              value: [organization.name, ...linesOf(organization.address)].join('\n'),
              share: 0.5,
            },
            { label: 'Employer identification number (EIN)', value: legal.ein, share: 0.25 },
            { label: 'Receipt no.', value: number, share: 0.25 },
          ],
        },
        { kind: 'heading', text: 'Acknowledgment of a charitable contribution' },
        ...(replaces === null
          ? []
          : [
              {
                kind: 'strong' as const,
                text: `Corrected acknowledgment: it replaces no. ${replaces}, which is void.`,
              },
            ]),
        {
          kind: 'fields',
          fields: [
            { label: 'Donor', value: [donorName ?? '', ...linesOf(donorAddress)].join('\n'), share: 1 },
          ],
        },
        {
          kind: 'fields',
          fields: [
            { label: 'Amount of the cash contribution', value: money(amount - refunded), share: 0.4 },
            { label: 'Date received', value: date(facts.receivedOn), share: 0.3 },
            { label: 'Date of this acknowledgment', value: date(issuedOn), share: 0.3 },
          ],
        },
        ...goodsOrServices(facts),
        ...(deductible(facts) >= ACKNOWLEDGED_FROM
          ? [
              {
                kind: 'text' as const,
                text:
                  'For a contribution of $250 or more, federal law asks you to have this written acknowledgment before you file the ' +
                  'tax return for the year of the contribution. Keep it with your tax records.',
              },
            ]
          : []),
        ...legal.stateDisclosures.map((line) => ({ kind: 'small' as const, text: line })),
      ],
    };
  },
} as const satisfies ReceiptPack<Legal>;
