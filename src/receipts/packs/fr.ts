import * as z from 'zod';
import { amountInWords } from '../../common/money/amount-in-words.js';
import { toDecimalString } from '../../common/money/money.js';
import { isRna, isSiren, RNA } from '../../common/tax/tax-numbers.js';
import type { DonationType } from '../../data/generated/enums.js';
import { day, flag, monthAndDay, oneOf, text } from '../../settings/setting-values.js';
import { DONOR, ISSUER } from './pack-parts.js';
import {
  deductible,
  type Finding,
  linesOf,
  type PackBlock,
  type PackForm,
  type ReceiptPack,
} from './receipt-pack.js';

/**
 * France: “Reçu au titre des dons à certains organismes d’intérêt général”, the facts of form 2041-RD (Cerfa 11580) for donations
 * of individuals. The form for companies (2041-MEC-SD) is not offered, because donations are not marked as those of a company.
 */

const CATEGORIES = {
  general: 'Œuvre ou organisme d’intérêt général',
  publicBenefit: 'Association ou fondation reconnue d’utilité publique',
  aid: 'Organisme sans but lucratif qui fournit gratuitement une aide alimentaire, des soins ou un logement à des personnes en difficulté',
  worship: 'Association cultuelle ou de bienfaisance autorisée à recevoir des dons et legs',
  education:
    'Établissement d’enseignement supérieur ou d’enseignement artistique, d’intérêt général, à but non lucratif',
  research: 'Établissement de recherche d’intérêt général, à but non lucratif',
  museum: 'Musée de France',
  festival: 'Organisme dont l’activité principale est l’organisation de festivals',
} as const;

type Category = keyof typeof CATEGORIES;

const SETTINGS = z
  .object({
    siren: text(11)
      .refine((given) => given === '' || isSiren(given), 'must be a SIREN such as 732829320')
      .meta({
        format: 'siren',
        example: '732829320',
        description: 'SIREN of the organization; empty if it has an RNA only',
      })
      .default(''),
    rna: text(10)
      .refine((given) => given === '' || isRna(given), 'must be an RNA such as W751212517')
      .meta({
        maxLength: 10,
        pattern: `^(${RNA})?$`,
        example: 'W751212517',
        description: 'RNA of the association; empty if it has a SIREN only',
      })
      .default(''),
    object: text(300)
      .meta({
        example: 'Aide aux enfants hospitalisés',
        description: 'Object of the organization, in French, as in its statutes',
      })
      .default(''),
    category: oneOf(Object.keys(CATEGORIES) as [Category, ...Category[]])
      .meta({ id: 'FrenchCategory', example: 'general', description: 'Box of the form that applies' })
      .default('general'),
    decreeDate: day()
      .meta({ example: '1998-05-12', description: 'Day of the decree, for `publicBenefit`' })
      .nullable()
      .default(null),
    isWealthTax: flag()
      .meta({
        example: true,
        description:
          'True if donations also count for the tax on real estate wealth (article 978 of the tax code)',
      })
      .default(false),
    yearEnd: monthAndDay()
      .meta({
        example: '12-31',
        description:
          'Last day of the accounting year, for the yearly declaration of the receipts (article 222 bis)',
      })
      .default('12-31'),
  })
  .meta({ id: 'FrenchTaxSettingsDto', description: 'Facts for French receipts' });

type Legal = z.output<typeof SETTINGS>;

/** Words of the settings in the form of the dashboard, in its order. */
const FORM: PackForm<Legal> = {
  siren: {
    label: { en: 'SIREN', de: 'SIREN', fr: 'SIREN', it: 'SIREN', es: 'SIREN', nl: 'SIREN' },
  },
  rna: {
    label: { en: 'RNA', de: 'RNA', fr: 'RNA', it: 'RNA', es: 'RNA', nl: 'RNA' },
    hint: {
      en: 'One of SIREN and RNA is enough.',
      de: 'SIREN oder RNA genügt.',
      fr: 'Le SIREN ou le RNA suffit.',
      it: 'Basta il SIREN o l’RNA.',
      es: 'Basta con el SIREN o el RNA.',
      nl: 'SIREN of RNA is genoeg.',
    },
  },
  object: {
    label: {
      en: 'Object of the organization',
      de: 'Zweck der Organisation',
      fr: 'Objet de l’organisme',
      it: 'Scopo dell’organizzazione',
      es: 'Objeto de la organización',
      nl: 'Doel van de organisatie',
    },
    hint: {
      en: 'In French, as in the statutes',
      de: 'Auf Französisch, wie in der Satzung',
      fr: 'Comme dans les statuts',
      it: 'In francese, come nello statuto',
      es: 'En francés, como en los estatutos',
      nl: 'In het Frans, zoals in de statuten',
    },
  },
  category: {
    label: {
      en: 'Kind of organization',
      de: 'Art der Organisation',
      fr: 'Catégorie de l’organisme',
      it: 'Tipo di organizzazione',
      es: 'Tipo de organización',
      nl: 'Soort organisatie',
    },
    choices: {
      general: {
        en: 'Of general interest (intérêt général)',
        de: 'Im Allgemeininteresse (intérêt général)',
        fr: 'D’intérêt général',
        it: 'Di interesse generale (intérêt général)',
        es: 'De interés general (intérêt général)',
        nl: 'Van algemeen belang (intérêt général)',
      },
      publicBenefit: {
        en: 'Recognized as of public benefit (utilité publique)',
        de: 'Als gemeinnützig anerkannt (utilité publique)',
        fr: 'Reconnue d’utilité publique',
        it: 'Riconosciuta di pubblica utilità (utilité publique)',
        es: 'Reconocida de utilidad pública (utilité publique)',
        nl: 'Erkend als van openbaar nut (utilité publique)',
      },
      aid: {
        en: 'Food, care or housing for people in need',
        de: 'Nahrung, Pflege oder Wohnung für Menschen in Not',
        fr: 'Aide alimentaire, soins ou logement',
        it: 'Cibo, cure o alloggio per persone bisognose',
        es: 'Alimentos, atención o alojamiento para personas necesitadas',
        nl: 'Voedsel, zorg of onderdak voor mensen in nood',
      },
      worship: {
        en: 'Worship or charity (association cultuelle)',
        de: 'Religion oder Wohltätigkeit (association cultuelle)',
        fr: 'Association cultuelle ou de bienfaisance',
        it: 'Culto o beneficenza (association cultuelle)',
        es: 'Culto o beneficencia (association cultuelle)',
        nl: 'Eredienst of liefdadigheid (association cultuelle)',
      },
      education: {
        en: 'Higher or artistic education',
        de: 'Hochschule oder Kunstschule',
        fr: 'Enseignement supérieur ou artistique',
        it: 'Istruzione superiore o artistica',
        es: 'Enseñanza superior o artística',
        nl: 'Hoger of kunstonderwijs',
      },
      research: {
        en: 'Research',
        de: 'Forschung',
        fr: 'Recherche',
        it: 'Ricerca',
        es: 'Investigación',
        nl: 'Onderzoek',
      },
      museum: {
        en: 'Museum (Musée de France)',
        de: 'Museum (Musée de France)',
        fr: 'Musée de France',
        it: 'Museo (Musée de France)',
        es: 'Museo (Musée de France)',
        nl: 'Museum (Musée de France)',
      },
      festival: {
        en: 'Festivals',
        de: 'Festivals',
        fr: 'Festivals',
        it: 'Festival',
        es: 'Festivales',
        nl: 'Festivals',
      },
    },
  },
  decreeDate: {
    label: {
      en: 'Date of the decree',
      de: 'Datum des Dekrets',
      fr: 'Date du décret',
      it: 'Data del decreto',
      es: 'Fecha del decreto',
      nl: 'Datum van het decreet',
    },
    hint: {
      en: 'Only for an organization of public benefit',
      de: 'Nur bei „utilité publique“',
      fr: 'Uniquement si l’organisme est reconnu d’utilité publique',
      it: 'Solo per «utilité publique»',
      es: 'Solo para «utilité publique»',
      nl: 'Alleen bij ‘utilité publique’',
    },
  },
  isWealthTax: {
    label: {
      en: 'Donations also count for the wealth tax (IFI, article 978)',
      de: 'Spenden zählen auch für die Vermögensteuer (IFI, Artikel 978)',
      fr: 'Les dons comptent aussi pour l’IFI (article 978)',
      it: 'Le donazioni contano anche per l’imposta patrimoniale (IFI, articolo 978)',
      es: 'Las donaciones también cuentan para el impuesto sobre el patrimonio (IFI, artículo 978)',
      nl: 'Donaties tellen ook voor de vermogensbelasting (IFI, artikel 978)',
    },
  },
  yearEnd: {
    label: {
      en: 'Last day of the accounting year',
      de: 'Letzter Tag des Geschäftsjahres',
      fr: 'Dernier jour de l’exercice',
      it: 'Ultimo giorno dell’esercizio',
      es: 'Último día del ejercicio',
      nl: 'Laatste dag van het boekjaar',
    },
    hint: {
      en: 'As month and day: 12-31. For the yearly declaration of the receipts.',
      de: 'Als Monat und Tag: 12-31. Für die jährliche Meldung der Quittungen.',
      fr: 'Mois et jour : 12-31. Pour la déclaration annuelle des reçus.',
      it: 'Come mese e giorno: 12-31. Per la dichiarazione annuale delle ricevute.',
      es: 'Como mes y día: 12-31. Para la declaración anual de los recibos.',
      nl: 'Als maand en dag: 12-31. Voor de jaarlijkse aangifte van de kwitanties.',
    },
  },
};

const date = (iso: string): string => iso.split('-').reverse().join('/');
/** A box with its label. No line breaks inside, so that the reader sees which label a box belongs to. */
const box = (isOn: boolean, label: string): string =>
  `[${isOn ? 'X' : '  '}] ${label}`.replaceAll(' ', '\u00a0');

/** The modes of payment on the form. */
const MODES = {
  cash: 'Remise d’espèces',
  check: 'Chèque',
  transfer: 'Virement, prélèvement, carte bancaire',
} as const;

const MODE_OF: Readonly<Record<DonationType, keyof typeof MODES | undefined>> = {
  cash: 'cash',
  check: 'check',
  card: 'transfer',
  wallet: 'transfer',
  card_terminal: 'transfer',
  bank_transfer: 'transfer',
  pledge: undefined,
  other: undefined,
};

const boxes = (...lines: readonly string[]): PackBlock => ({ kind: 'text', text: lines.join('     ') });

export const FR = {
  id: 'fr',
  version: 'fr-2026-11',
  reviewed: null,
  sources: [
    'Formulaire 2041-RD (Cerfa 11580*05, April 2023)',
    'CGI, articles 200, 978 and 222 bis',
    'BOI-IR-RICI-250-40 (own layouts, amount between asterisks)',
  ],
  retention: { years: 6, from: 'issue', law: 'LPF, art. L. 102 E' },
  maxPages: 1,
  isLocked: true,
  settings: SETTINGS,
  form: FORM,
  requiredOrganization: [
    ...ISSUER,
    ['legal.signatory', ({ organization }) => organization.signatory],
    ['legal.fr.siren', ({ legal }) => legal.siren || legal.rna],
    ['legal.fr.object', ({ legal }) => legal.object],
    ['legal.fr.decreeDate', ({ legal }) => (legal.category === 'publicBenefit' ? legal.decreeDate : '–')],
  ],
  requiredDonor: DONOR,

  check(facts): Finding[] {
    const { legal, currency, type } = facts;
    const found: Finding[] = [];
    if (legal.siren !== '' && !isSiren(legal.siren)) found.push({ field: 'legal.fr.siren', rule: 'form' });
    if (legal.rna !== '' && !isRna(legal.rna)) found.push({ field: 'legal.fr.rna', rule: 'form' });
    // The form has no box for another mode, so the mode of such a donation is not known.
    if (MODE_OF[type] === undefined) found.push({ field: 'type', rule: 'missing' });
    if (currency !== 'eur') found.push({ field: 'currency', rule: 'currency' });
    if (deductible(facts) <= 0) found.push({ field: 'amount', rule: 'amount' });
    return found;
  },

  render(facts, { number, issuedOn, replaces }) {
    const { organization, legal, donorName, donorAddress, currency } = facts;
    const amount = BigInt(deductible(facts));
    const figures = toDecimalString(amount, 2).replace('.', ',');
    const mode = MODE_OF[facts.type];
    return {
      language: 'fr',
      title: 'Reçu au titre des dons à certains organismes d’intérêt général',
      blocks: [
        { kind: 'heading', text: 'Reçu au titre des dons à certains organismes d’intérêt général' },
        { kind: 'small', text: 'Articles 200 et 978 du code général des impôts (CGI)' },
        ...(replaces === null
          ? []
          : [
              {
                kind: 'strong' as const,
                text: `Reçu rectificatif : il annule et remplace le reçu n° ${replaces}.`,
              },
            ]),
        {
          kind: 'fields',
          fields: [
            {
              label: 'Bénéficiaire des versements : nom et adresse',
              value: [organization.name, ...linesOf(organization.address)].join('\n'),
              share: 0.5,
            },
            {
              label: 'SIREN ou RNA',
              value: [legal.siren, legal.rna].filter(Boolean).join('\n'),
              share: 0.25,
            },
            { label: 'Numéro d’ordre du reçu', value: number, share: 0.25 },
          ],
        },
        { kind: 'fields', fields: [{ label: 'Objet', value: legal.object, share: 1 }] },
        {
          kind: 'text',
          text: `[X] ${
            legal.category === 'publicBenefit'
              ? `${CATEGORIES.publicBenefit}, par décret du ${date(legal.decreeDate ?? '')}`
              : CATEGORIES[legal.category]
          }`,
        },
        {
          kind: 'fields',
          fields: [
            {
              label: 'Donateur : nom, prénom et adresse',
              value: [donorName ?? '', ...linesOf(donorAddress)].join('\n'),
              share: 1,
            },
          ],
        },
        {
          kind: 'text',
          text: 'Le bénéficiaire reconnaît avoir reçu au titre des dons et versements ouvrant droit à réduction d’impôt la somme de :',
        },
        {
          kind: 'fields',
          fields: [
            { label: 'Montant en euros', value: `***${figures}***`, share: 0.3 },
            {
              label: 'Somme en toutes lettres',
              value: amountInWords(amount, currency, 'fr'),
              share: 0.48,
            },
            { label: 'Date du versement', value: date(facts.receivedOn), share: 0.22 },
          ],
        },
        {
          kind: 'text',
          text:
            'Le bénéficiaire certifie sur l’honneur que les dons et versements qu’il reçoit ouvrent droit à la réduction d’impôt ' +
            'prévue à l’article :',
        },
        boxes(box(true, '200 du CGI'), box(legal.isWealthTax, '978 du CGI')),
        { kind: 'strong', text: 'Forme du don' },
        boxes(
          ...['Acte authentique', 'Acte sous seing privé'].map((label) => box(false, label)),
          box(true, 'Déclaration de don manuel'),
          box(false, 'Autres'),
        ),
        { kind: 'strong', text: 'Nature du don' },
        boxes(
          box(true, 'Numéraire'),
          ...['Titres de sociétés cotés', 'Abandon de revenus ou de produits', 'Frais engagés', 'Autres'].map(
            (label) => box(false, label),
          ),
        ),
        { kind: 'strong', text: 'Mode de versement du don' },
        boxes(...Object.entries(MODES).map(([name, label]) => box(name === mode, label))),
        {
          kind: 'signature',
          above: `Date et signature : le ${date(issuedOn)}`,
          below: 'Nom, qualité et signature de la personne habilitée',
          name: organization.signatory,
        },
      ],
    };
  },
} as const satisfies ReceiptPack<Legal>;
