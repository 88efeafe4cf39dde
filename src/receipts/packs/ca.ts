import * as z from 'zod';
import { formatMoney } from '../../common/money/money.js';
import { CANADIAN_CHARITY, isCanadianCharity } from '../../common/tax/tax-numbers.js';
import { text } from '../../settings/setting-values.js';
import { DONOR, ISSUER, PLACE_WORDS, placeOfIssue } from './pack-parts.js';
import {
  benefitFindings,
  deductible,
  type Finding,
  linesOf,
  type PackFacts,
  type PackForm,
  type ReceiptPack,
} from './receipt-pack.js';

/** Canada: the official donation receipt for income tax purposes, in English and in French on one page. */

const SETTINGS = z
  .object({
    registrationNumber: text(15)
      .refine(
        (given) => given === '' || isCanadianCharity(given),
        'must be a registration number such as 123456789RR0001',
      )
      .meta({
        maxLength: 15,
        pattern: `^(${CANADIAN_CHARITY})?$`,
        example: '123456789RR0001',
        description: 'Registration number of the charity at the Canada Revenue Agency',
      })
      .default(''),
    place: placeOfIssue('Ottawa, Ontario'),
  })
  .meta({ id: 'CanadianTaxSettingsDto', description: 'Facts for Canadian receipts' });

type Legal = z.output<typeof SETTINGS>;
type Facts = PackFacts<Legal>;

/** Words of the settings in the form of the dashboard, in its order. */
const FORM: PackForm<Legal> = {
  registrationNumber: {
    label: {
      en: 'Registration number at the Canada Revenue Agency',
      de: 'Registrierungsnummer bei der Canada Revenue Agency',
      fr: 'Numéro d’enregistrement à l’Agence du revenu du Canada',
      it: 'Numero di registrazione presso la Canada Revenue Agency',
      es: 'Número de registro en la Canada Revenue Agency',
      nl: 'Registratienummer bij de Canada Revenue Agency',
    },
    hint: {
      en: 'Such as 123456789RR0001',
      de: 'Zum Beispiel 123456789RR0001',
      fr: 'Par exemple 123456789RR0001',
      it: 'Per esempio 123456789RR0001',
      es: 'Por ejemplo, 123456789RR0001',
      nl: 'Bijvoorbeeld 123456789RR0001',
    },
  },
  place: PLACE_WORDS,
};

/** The law presumes no intention to give if the advantage is worth more than this share of the donation, in percent. */
const MOST_ADVANTAGE = 80;

const money = (amount: number): string => formatMoney(BigInt(amount), 'cad', 'en-CA');

/** The amount that the charity kept. */
const received = ({ amount, refunded }: Facts): number => amount - refunded;

/** True if the advantage is above its limit. Whole numbers, so that no fraction is rounded. */
const isTooLarge = (facts: Facts): boolean =>
  (facts.benefitValue ?? 0) * 100 > received(facts) * MOST_ADVANTAGE;

export const CA = {
  id: 'ca',
  version: 'ca-2026-11',
  reviewed: null,
  sources: [
    'Income Tax Regulations, section 3501',
    'Canada Revenue Agency, “What you need for a complete official donation receipt”',
    'Income Tax Act, subsections 248(30) to (32) (split receipting)',
  ],
  retention: { years: 2, from: 'calendar-year', law: 'Income Tax Regulations, 5800 (1) (f)' },
  maxPages: 1,
  isLocked: true,
  settings: SETTINGS,
  form: FORM,
  requiredOrganization: [
    ...ISSUER,
    ['legal.signatory', ({ organization }) => organization.signatory],
    ['legal.ca.registrationNumber', ({ legal }) => legal.registrationNumber],
    ['legal.ca.place', ({ legal }) => legal.place],
  ],
  requiredDonor: DONOR,

  check(facts): Finding[] {
    const found: Finding[] = benefitFindings(facts);
    if (!isCanadianCharity(facts.legal.registrationNumber))
      found.push({ field: 'legal.ca.registrationNumber', rule: 'form' });
    if (facts.currency !== 'cad') found.push({ field: 'currency', rule: 'currency' });
    if (deductible(facts) <= 0) found.push({ field: 'amount', rule: 'amount' });
    else if (isTooLarge(facts)) found.push({ field: 'benefitValue', rule: 'advantage' });
    return found;
  },

  render(facts, { number, issuedOn, replaces }) {
    const { organization, legal, donorName, donorAddress, receivedOn } = facts;
    const advantage = facts.benefitValue ?? 0;
    return {
      language: 'en',
      title:
        'Official donation receipt for income tax purposes / Reçu officiel aux fins de l’impôt sur le revenu',
      blocks: [
        {
          kind: 'fields',
          fields: [
            {
              label:
                'Charity, address as on file with the CRA / Organisme de bienfaisance, adresse au dossier de l’ARC',
              value: [organization.name, ...linesOf(organization.address)].join('\n'),
              share: 0.5,
            },
            {
              label: 'Registration number / Numéro d’enregistrement',
              value: legal.registrationNumber,
              share: 0.27,
            },
            { label: 'Serial no. / N° de série', value: number, share: 0.23 },
          ],
        },
        { kind: 'heading', text: 'Official donation receipt for income tax purposes' },
        { kind: 'strong', text: 'Reçu officiel de don aux fins de l’impôt sur le revenu' },
        ...(replaces === null
          ? []
          : [
              {
                kind: 'strong' as const,
                text: `This receipt cancels and replaces receipt no. ${replaces}. / Ce reçu annule et remplace le reçu n° ${replaces}.`,
              },
            ]),
        {
          kind: 'fields',
          fields: [
            {
              label: 'Donor: full name and address / Donateur : nom complet et adresse',
              value: [donorName ?? '', ...linesOf(donorAddress)].join('\n'),
              share: 1,
            },
          ],
        },
        {
          kind: 'fields',
          fields: [
            { label: 'Date received / Date de réception', value: receivedOn, share: 0.34 },
            { label: 'Date issued / Date de délivrance', value: issuedOn, share: 0.33 },
            { label: 'Place issued / Lieu de délivrance', value: legal.place, share: 0.33 },
          ],
        },
        {
          kind: 'fields',
          fields: [
            {
              label: 'Total amount received / Montant total reçu',
              value: money(received(facts)),
              share: 0.34,
            },
            {
              label: 'Value of the advantage / Valeur de l’avantage',
              value: money(advantage),
              share: 0.33,
            },
            {
              label: 'Eligible amount of the gift / Montant admissible du don',
              value: money(deductible(facts)),
              share: 0.33,
            },
          ],
        },
        {
          kind: 'text',
          text: `Description of the advantage / Description de l’avantage : ${
            advantage > 0 ? (facts.benefitText ?? '') : 'none / aucun'
          }`,
        },
        {
          kind: 'signature',
          above: '',
          below: 'Authorized signature / Signature autorisée',
          name: organization.signatory,
        },
        { kind: 'small', text: 'Canada Revenue Agency: canada.ca/charities-giving' },
        { kind: 'small', text: 'Agence du revenu du Canada : canada.ca/organismes-bienfaisance-dons' },
      ],
    };
  },
} as const satisfies ReceiptPack<Legal>;
