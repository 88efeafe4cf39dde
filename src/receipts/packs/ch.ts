import * as z from 'zod';
import { formatMoney } from '../../common/money/money.js';
import { isSwissUid } from '../../common/tax/tax-numbers.js';
import { day, oneOf, text } from '../../settings/setting-values.js';
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
 * Switzerland: the confirmation of one gift, and of all gifts of a period (Spendenbescheinigung, attestation de dons, attestazione
 * di donazione). There is no official form. The facts are those that the tax offices of the cantons ask for.
 */

const CANTON = 'AG|AI|AR|BE|BL|BS|FR|GE|GL|GR|JU|LU|NE|NW|OW|SG|SH|SO|SZ|TG|TI|UR|VD|VS|ZG|ZH';

const isCanton = (given: string): boolean => new RegExp(`^(${CANTON})$`).test(given);

const LANGUAGES = ['de', 'fr', 'it'] as const;

type Language = (typeof LANGUAGES)[number];

const SETTINGS = z
  .object({
    uid: text(15)
      .refine((given) => given === '' || isSwissUid(given), 'must be a UID such as CHE-116.281.710')
      .meta({
        format: 'swiss-uid',
        example: 'CHE-116.281.710',
        description: 'Enterprise identification number (UID) of the organization; empty for none',
      })
      .default(''),
    exemptionCanton: text(2)
      .refine((given) => given === '' || isCanton(given), 'must be the code of a canton such as ZH')
      .meta({
        maxLength: 2,
        pattern: `^(${CANTON})?$`,
        example: 'ZH',
        description: 'Code of the canton that exempted the organization from tax; empty for none',
      })
      .default(''),
    exemptionDate: day()
      .meta({ example: '2015-06-30', description: 'Day of the decision on the exemption' })
      .nullable()
      .default(null),
    place: placeOfIssue('Zürich'),
    language: oneOf(LANGUAGES)
      .meta({
        id: 'SwissLanguage',
        example: 'de',
        description: 'Language of the receipts, and of annual documents for donors with another language',
      })
      .default('de'),
  })
  .meta({ id: 'SwissTaxSettingsDto', description: 'Facts for Swiss receipts (Spendenbescheinigung)' });

type Legal = z.output<typeof SETTINGS>;
type Facts = PackFacts<Legal>;

/** Words of the settings in the form of the dashboard, in its order. */
const FORM: PackForm<Legal> = {
  uid: {
    label: {
      en: 'UID of the organization',
      de: 'UID der Organisation',
      fr: 'IDE de l’organisation',
      it: 'IDI dell’organizzazione',
      es: 'UID de la organización',
      nl: 'UID van de organisatie',
    },
    hint: {
      en: 'Such as CHE-116.281.710',
      de: 'Zum Beispiel CHE-116.281.710',
      fr: 'Par exemple CHE-116.281.710',
      it: 'Per esempio CHE-116.281.710',
      es: 'Por ejemplo, CHE-116.281.710',
      nl: 'Bijvoorbeeld CHE-116.281.710',
    },
  },
  exemptionCanton: {
    label: {
      en: 'Canton that exempted the organization from tax',
      de: 'Kanton, der die Organisation von der Steuer befreit hat',
      fr: 'Canton qui a exonéré l’organisation de l’impôt',
      it: 'Cantone che ha esentato l’organizzazione dall’imposta',
      es: 'Cantón que eximió de impuestos a la organización',
      nl: 'Kanton dat de organisatie van belasting heeft vrijgesteld',
    },
    hint: {
      en: 'Two letters, such as ZH',
      de: 'Zwei Buchstaben, zum Beispiel ZH',
      fr: 'Deux lettres, par exemple ZH',
      it: 'Due lettere, per esempio ZH',
      es: 'Dos letras, por ejemplo, ZH',
      nl: 'Twee letters, bijvoorbeeld ZH',
    },
  },
  exemptionDate: {
    label: {
      en: 'Date of the decision',
      de: 'Datum des Entscheids',
      fr: 'Date de la décision',
      it: 'Data della decisione',
      es: 'Fecha de la decisión',
      nl: 'Datum van het besluit',
    },
  },
  place: PLACE_WORDS,
  language: {
    label: {
      en: 'Language of the receipts',
      de: 'Sprache der Quittungen',
      fr: 'Langue des reçus',
      it: 'Lingua delle ricevute',
      es: 'Idioma de los recibos',
      nl: 'Taal van de kwitanties',
    },
    choices: {
      de: { en: 'German', de: 'Deutsch', fr: 'Allemand', it: 'Tedesco', es: 'Alemán', nl: 'Duits' },
      fr: { en: 'French', de: 'Französisch', fr: 'Français', it: 'Francese', es: 'Francés', nl: 'Frans' },
      it: {
        en: 'Italian',
        de: 'Italienisch',
        fr: 'Italien',
        it: 'Italiano',
        es: 'Italiano',
        nl: 'Italiaans',
      },
    },
  },
};

const date = (iso: string): string => iso.split('-').reverse().join('.');

interface Wording {
  readonly title: string;
  readonly organization: string;
  readonly uid: string;
  readonly number: string;
  readonly replaces: (number: string) => string;
  readonly donor: string;
  readonly amount: string;
  readonly day: string;
  readonly total: string;
  readonly received: (from: string, to: string) => string;
  readonly exemption: (canton: string, day: string) => string;
  readonly reduced: string;
  readonly signature: string;
}

const WORDINGS: Readonly<Record<Language, Wording>> = {
  de: {
    title: 'Spendenbescheinigung',
    organization: 'Organisation',
    uid: 'UID',
    number: 'Nr.',
    replaces: (number) =>
      `Berichtigte Bescheinigung: Sie ersetzt die Bescheinigung Nr. ${number}, die damit ungültig ist.`,
    donor: 'Name und Adresse der spendenden Person',
    amount: 'Betrag der Spende',
    day: 'Datum der Spende',
    total: 'Total der Spenden',
    received: (from, to) =>
      `Wir bestätigen, dass wir vom ${from} bis zum ${to} diese freiwilligen Geldspenden erhalten haben:`,
    exemption: (canton, on) =>
      `Die Organisation hat ihren Sitz in der Schweiz und ist im Hinblick auf ihre öffentlichen oder gemeinnützigen Zwecke von der ` +
      `Steuerpflicht befreit (Kanton ${canton}, Entscheid vom ${on}; Art. 33a DBG).`,
    reduced: 'Rückzahlungen und der Wert von Gegenleistungen sind abgezogen.',
    signature: 'Für die Organisation',
  },
  fr: {
    title: 'Attestation de dons',
    organization: 'Organisation',
    uid: 'IDE',
    number: 'N°',
    replaces: (number) => `Attestation rectifiée : elle annule et remplace l’attestation n° ${number}.`,
    donor: 'Nom et adresse de la donatrice ou du donateur',
    amount: 'Montant du don',
    day: 'Date du don',
    total: 'Total des dons',
    received: (from, to) =>
      `Nous attestons avoir reçu du ${from} au ${to} les dons volontaires en argent suivants :`,
    exemption: (canton, on) =>
      `L’organisation a son siège en Suisse et est exonérée de l’impôt en raison de ses buts de service public ou d’utilité publique ` +
      `(canton ${canton}, décision du ${on} ; art. 33a LIFD).`,
    reduced: 'Les remboursements et la valeur des contreparties sont déduits.',
    signature: 'Pour l’organisation',
  },
  it: {
    title: 'Attestazione di donazione',
    organization: 'Organizzazione',
    uid: 'IDI',
    number: 'N.',
    replaces: (number) => `Attestazione rettificata: annulla e sostituisce l’attestazione n. ${number}.`,
    donor: 'Nome e indirizzo di chi ha donato',
    amount: 'Importo della donazione',
    day: 'Data della donazione',
    total: 'Totale delle donazioni',
    received: (from, to) =>
      `Attestiamo di aver ricevuto dal ${from} al ${to} le seguenti prestazioni volontarie in denaro:`,
    exemption: (canton, on) =>
      `L’organizzazione ha sede in Svizzera ed è esentata dall’imposta in virtù del suo scopo pubblico o di utilità pubblica ` +
      `(Cantone ${canton}, decisione del ${on}; art. 33a LIFD).`,
    reduced: 'I rimborsi e il valore delle controprestazioni sono dedotti.',
    signature: 'Per l’organizzazione',
  },
};

const money = (amount: number): string => formatMoney(BigInt(amount), 'chf', 'de-CH');

const isReduced = (facts: Facts): boolean => deductible(facts) < facts.amount;

/** The organization; the number of a receipt. */
const head = (facts: Facts, words: Wording, number?: string): PackBlock => ({
  kind: 'fields',
  fields: [
    {
      label: words.organization,
      value: [facts.organization.name, ...linesOf(facts.organization.address)].join('\n'),
      share: 0.5,
    },
    { label: words.uid, value: facts.legal.uid, share: number === undefined ? 0.5 : 0.25 },
    ...(number === undefined ? [] : [{ label: words.number, value: number, share: 0.25 }]),
  ],
});

const donor = ({ donorName, donorAddress }: Facts, { donor: label }: Wording): PackBlock => ({
  kind: 'fields',
  fields: [{ label, value: [donorName ?? '', ...linesOf(donorAddress)].join('\n'), share: 1 }],
});

function end(facts: Facts, words: Wording, issuedOn: string, reduced: boolean): PackBlock[] {
  const { organization, legal } = facts;
  return [
    ...(reduced ? [{ kind: 'small' as const, text: words.reduced }] : []),
    {
      kind: 'text',
      text: words.exemption(legal.exemptionCanton, date(legal.exemptionDate ?? '')),
    },
    {
      kind: 'signature',
      above: `${legal.place}, ${date(issuedOn)}`,
      below: words.signature,
      name: organization.signatory,
    },
  ];
}

/** The language of a donor, if it is a language of the documents; otherwise that of the settings. */
const languageFor = (locale: string, { language }: Legal): Language =>
  LANGUAGES.find((one) => one === locale.split('-', 1)[0]?.toLowerCase()) ?? language;

export const CH = {
  id: 'ch',
  version: 'ch-2026-11',
  reviewed: null,
  sources: [
    'DBG, Art. 33a; StHG, Art. 9 (2) i (gifts to organizations that are exempt from tax)',
    'DBG, Art. 56 g (exemption for public or charitable purposes)',
  ],
  retention: { years: 10, from: 'accounting-year', law: 'OR, Art. 958f' },
  maxPages: 1,
  settings: SETTINGS,
  form: FORM,
  requiredOrganization: [
    ...ISSUER,
    ['legal.ch.uid', ({ legal }) => legal.uid],
    ['legal.ch.exemptionCanton', ({ legal }) => legal.exemptionCanton],
    ['legal.ch.exemptionDate', ({ legal }) => legal.exemptionDate],
    ['legal.ch.place', ({ legal }) => legal.place],
  ],
  requiredDonor: DONOR,

  check(facts): Finding[] {
    const { legal, currency } = facts;
    const found: Finding[] = benefitFindings(facts);
    if (!isSwissUid(legal.uid)) found.push({ field: 'legal.ch.uid', rule: 'form' });
    if (!isCanton(legal.exemptionCanton)) found.push({ field: 'legal.ch.exemptionCanton', rule: 'form' });
    if (currency !== 'chf') found.push({ field: 'currency', rule: 'currency' });
    if (deductible(facts) <= 0) found.push({ field: 'amount', rule: 'amount' });
    return found;
  },

  render(facts, { number, issuedOn, replaces }) {
    const { language } = facts.legal;
    const words = WORDINGS[language];
    return {
      language,
      title: words.title,
      blocks: [
        head(facts, words, number),
        { kind: 'heading', text: words.title },
        ...(replaces === null ? [] : [{ kind: 'strong' as const, text: words.replaces(replaces) }]),
        donor(facts, words),
        {
          kind: 'fields',
          fields: [
            { label: words.amount, value: money(deductible(facts)), share: 0.5 },
            { label: words.day, value: date(facts.receivedOn), share: 0.5 },
          ],
        },
        ...end(facts, words, issuedOn, isReduced(facts)),
      ],
    };
  },

  annual: {
    render({ from, to, locale, gifts }) {
      const [first] = gifts;
      if (!first) throw new Error('An annual document needs a gift');
      const language = languageFor(locale, first.legal);
      const words = WORDINGS[language];
      const total = gifts.reduce((sum, gift) => sum + deductible(gift), 0);
      return {
        language,
        title: words.title,
        blocks: [
          head(first, words),
          { kind: 'heading', text: words.title },
          donor(first, words),
          { kind: 'text', text: words.received(date(from), date(to)) },
          {
            kind: 'table',
            columns: [
              { label: words.day, share: 0.5 },
              { label: words.amount, share: 0.5, isEnd: true },
            ],
            rows: gifts.map((gift) => [date(gift.receivedOn), money(deductible(gift))]),
          },
          { kind: 'fields', fields: [{ label: words.total, value: money(total), share: 1 }] },
          ...end(first, words, first.issuedOn, gifts.some(isReduced)),
        ],
      };
    },
  },
} as const satisfies ReceiptPack<Legal>;
