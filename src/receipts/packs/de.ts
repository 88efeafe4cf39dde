import * as z from 'zod';
import { amountInWords } from '../../common/money/amount-in-words.js';
import { formatMoney } from '../../common/money/money.js';
import { GERMAN_TAX_NUMBER, isGermanTaxNumber } from '../../common/tax/tax-numbers.js';
import { day, flag, listOf, oneOf, text } from '../../settings/setting-values.js';
import { endingNotice, noticeUntil } from './german-notice.js';
import { DONOR, ISSUER, PLACE_WORDS, placeOfIssue } from './pack-parts.js';
import {
  deductible,
  type Finding,
  linesOf,
  type PackBlock,
  type PackFacts,
  type PackForm,
  type ReceiptPack,
} from './receipt-pack.js';

/**
 * Germany: "Bestätigung über Geldzuwendungen/Mitgliedsbeitrag" of the Ministry of Finance. Wording and order are binding: no
 * thanks and no advertising on the page, and not more than one A4 page.
 */

const SETTINGS = z
  .object({
    noticeKind: oneOf(['exemption', 'section60a'])
      .meta({
        id: 'GermanNoticeKind',
        example: 'exemption',
        description:
          'Notice of the tax office: `exemption` (Freistellungsbescheid, or annex to the corporation tax assessment) or `section60a` ' +
          '(determination under § 60a AO)',
      })
      .default('exemption'),
    taxOffice: text(100)
      .meta({
        example: 'Berlin für Körperschaften I',
        description: 'Place of the tax office, without the word Finanzamt',
      })
      .default(''),
    taxNumber: text(25)
      .refine(
        (given) => given === '' || isGermanTaxNumber(given),
        'must be a German tax number such as 27/640/12345',
      )

      .meta({
        maxLength: 25,
        pattern: `^${GERMAN_TAX_NUMBER}?$`,
        example: '27/640/12345',
        description: 'Tax number of the organization',
      })
      .default(''),
    noticeDate: day()
      .meta({ example: '2025-03-14', description: 'Day of the notice' })
      .nullable()
      .default(null),
    assessmentPeriod: text(40)
      .meta({ example: '2022 bis 2024', description: 'Last assessment period of an exemption' })
      .default(''),
    purposes: listOf(text(150), { min: 0, max: 6 })
      .meta({
        example: ['des Sports'],
        description: 'Purposes that have tax benefits, in German and in the genitive, as in the notice',
      })
      .default([]),
    place: placeOfIssue('Berlin'),
    machineSignature: flag()
      .meta({
        example: true,
        description:
          'True if receipts are issued by machine without a handwritten signature. The tax office needs a notification before',
      })
      .default(false),
    machineNoticeDate: day()
      .meta({
        example: '2025-01-10',
        description: 'Day of the notification of the tax office about receipts by machine',
      })
      .nullable()
      .default(null),
  })
  .meta({ id: 'GermanTaxSettingsDto', description: 'Facts for German receipts (Zuwendungsbestätigung)' });

type Legal = z.output<typeof SETTINGS>;
type Facts = PackFacts<Legal>;

/** Words of the settings in the form of the dashboard, in its order. */
const FORM: PackForm<Legal> = {
  taxOffice: {
    label: {
      en: 'Tax office (without “Finanzamt”)',
      de: 'Finanzamt (ohne das Wort „Finanzamt“)',
      fr: 'Centre des impôts (sans « Finanzamt »)',
      it: 'Finanzamt competente (senza questa parola)',
      es: 'Delegación de Hacienda (sin «Finanzamt»)',
      nl: 'Belastingkantoor (zonder ‘Finanzamt’)',
    },
  },
  taxNumber: {
    label: {
      en: 'Tax number',
      de: 'Steuernummer',
      fr: 'Numéro fiscal',
      it: 'Numero fiscale',
      es: 'Número fiscal',
      nl: 'Belastingnummer',
    },
  },
  noticeKind: {
    label: {
      en: 'Notice of the tax office',
      de: 'Bescheid des Finanzamts',
      fr: 'Avis de l’administration fiscale',
      it: 'Provvedimento del fisco',
      es: 'Resolución de Hacienda',
      nl: 'Beschikking van de Belastingdienst',
    },
    choices: {
      exemption: {
        en: 'Notice of exemption (Freistellungsbescheid)',
        de: 'Freistellungsbescheid oder Anlage zum Körperschaftsteuerbescheid',
        fr: 'Avis d’exonération (Freistellungsbescheid)',
        it: 'Provvedimento di esenzione (Freistellungsbescheid)',
        es: 'Resolución de exención (Freistellungsbescheid)',
        nl: 'Vrijstellingsbeschikking (Freistellungsbescheid)',
      },
      section60a: {
        en: 'Determination under § 60a AO',
        de: 'Feststellung nach § 60a AO',
        fr: 'Constatation selon le § 60a AO',
        it: 'Accertamento secondo il § 60a AO',
        es: 'Declaración según el § 60a AO',
        nl: 'Vaststelling volgens § 60a AO',
      },
    },
  },
  noticeDate: {
    label: {
      en: 'Date of the notice',
      de: 'Datum des Bescheids',
      fr: 'Date de l’avis',
      it: 'Data del provvedimento',
      es: 'Fecha de la resolución',
      nl: 'Datum van de beschikking',
    },
  },
  assessmentPeriod: {
    label: {
      en: 'Last assessment period',
      de: 'Letzter Veranlagungszeitraum',
      fr: 'Dernière période d’imposition',
      it: 'Ultimo periodo d’imposta',
      es: 'Último período impositivo',
      nl: 'Laatste aanslagperiode',
    },
    shownIf: ['noticeKind', 'exemption'],
  },
  purposes: {
    label: {
      en: 'Purposes with tax benefits',
      de: 'Begünstigte Zwecke',
      fr: 'Objets bénéficiant d’un avantage fiscal',
      it: 'Scopi agevolati',
      es: 'Fines con beneficio fiscal',
      nl: 'Begunstigde doelen',
    },
    hint: {
      en: 'One a line, in German and in the genitive, as after “Förderung”: der Jugendhilfe',
      de: 'Je Zeile einer, im Genitiv wie nach „Förderung“: der Jugendhilfe',
      fr: 'Un par ligne, en allemand et au génitif, comme après « Förderung » : der Jugendhilfe',
      it: 'Uno per riga, in tedesco e al genitivo, come dopo «Förderung»: der Jugendhilfe',
      es: 'Uno por línea, en alemán y en genitivo, como después de «Förderung»: der Jugendhilfe',
      nl: 'Eén per regel, in het Duits en in de genitief, zoals na ‘Förderung’: der Jugendhilfe',
    },
  },
  place: PLACE_WORDS,
  machineSignature: {
    label: {
      en: 'Issue receipts without a handwritten signature',
      de: 'Quittungen ohne eigenhändige Unterschrift ausstellen',
      fr: 'Émettre les reçus sans signature manuscrite',
      it: 'Emettere le ricevute senza firma autografa',
      es: 'Emitir los recibos sin firma manuscrita',
      nl: 'Kwitanties zonder handtekening afgeven',
    },
    hint: {
      en: 'Only if you have notified the tax office of it before. The receipts name the signer and that day.',
      de: 'Nur wenn Sie es dem Finanzamt vorher angezeigt haben. Die Quittungen nennen die unterzeichnende Person und diesen Tag.',
      fr: 'Seulement si vous l’avez annoncé à l’administration fiscale. Les reçus indiquent le signataire et cette date.',
      it: 'Solo se lo avete comunicato prima al fisco. Le ricevute indicano il firmatario e quel giorno.',
      es: 'Solo si lo ha comunicado antes a Hacienda. Los recibos indican quién firma y ese día.',
      nl: 'Alleen als u dit vooraf aan de Belastingdienst hebt gemeld. De kwitanties noemen de ondertekenaar en die dag.',
    },
  },
  machineNoticeDate: {
    label: {
      en: 'Tax office notified on',
      de: 'Dem Finanzamt angezeigt am',
      fr: 'Annoncé à l’administration fiscale le',
      it: 'Comunicato al fisco il',
      es: 'Comunicado a Hacienda el',
      nl: 'Gemeld aan de Belastingdienst op',
    },
    shownIf: ['machineSignature', true],
  },
};

const date = (iso: string): string => iso.split('-').reverse().join('.');

/** Joins the purposes: "des Sports, der Kunst und der Bildung". */
const listed = (purposes: readonly string[]): string =>
  purposes.length < 2
    ? purposes.join('')
    : `${purposes.slice(0, -1).join(', ')} und ${purposes.at(-1) ?? ''}`;

function exemption({ legal }: Facts): string {
  const { taxOffice, taxNumber, assessmentPeriod } = legal;
  const noticeDate = date(legal.noticeDate ?? '');
  const purposes = listed(legal.purposes);
  return legal.noticeKind === 'exemption'
    ? `Wir sind wegen Förderung ${purposes} nach dem Freistellungsbescheid bzw. nach der Anlage zum Körperschaftsteuerbescheid ` +
        `des Finanzamtes ${taxOffice}, StNr. ${taxNumber}, vom ${noticeDate} für den letzten Veranlagungszeitraum ` +
        `${assessmentPeriod} nach § 5 Abs. 1 Nr. 9 des Körperschaftsteuergesetzes von der Körperschaftsteuer und nach § 3 Nr. 6 ` +
        'des Gewerbesteuergesetzes von der Gewerbesteuer befreit.'
    : 'Die Einhaltung der satzungsmäßigen Voraussetzungen nach den §§ 51, 59, 60 und 61 AO wurde vom Finanzamt ' +
        `${taxOffice}, StNr. ${taxNumber} mit Bescheid vom ${noticeDate} nach § 60a AO gesondert festgestellt. ` +
        `Wir fördern nach unserer Satzung die Förderung ${purposes}.`;
}

const LIABILITY =
  'Wer vorsätzlich oder grob fahrlässig eine unrichtige Zuwendungsbestätigung erstellt oder veranlasst, dass Zuwendungen nicht zu ' +
  'den in der Zuwendungsbestätigung angegebenen steuerbegünstigten Zwecken verwendet werden, haftet für die entgangene Steuer ' +
  '(§ 10b Abs. 4 EStG, § 9 Abs. 3 KStG, § 9 Nr. 5 GewStG).';
const AGE_OF_NOTICE =
  'Diese Bestätigung wird nicht als Nachweis für die steuerliche Berücksichtigung der Zuwendung anerkannt, wenn das Datum des ' +
  'Freistellungsbescheides länger als 5 Jahre bzw. das Datum der Feststellung der Einhaltung der satzungsmäßigen Voraussetzungen ' +
  'nach § 60a Abs. 1 AO länger als 3 Jahre seit Ausstellung des Bescheides zurückliegt (§ 63 Abs. 5 AO).';

const signature = ({ organization, legal }: Facts, issuedOn: string): PackBlock => ({
  kind: 'signature',
  above: `${legal.place}, ${date(issuedOn)}`,
  below: '(Ort, Datum und Unterschrift des Zuwendungsempfängers)',
  name: legal.machineSignature ? organization.signatory : '',
});

const byMachine = ({ legal }: Facts): PackBlock[] =>
  legal.machineSignature
    ? [
        {
          kind: 'small',
          text:
            'Diese Zuwendungsbestätigung wurde maschinell ohne eigenhändige Unterschrift erstellt. Das Verfahren wurde dem ' +
            `Finanzamt ${legal.taxOffice} am ${date(legal.machineNoticeDate ?? '')} angezeigt (R 10b.1 Abs. 4 EStR).`,
        },
      ]
    : [];

/** The legal basis of both forms. */
const BASIS =
  'im Sinne des § 10b des Einkommensteuergesetzes an eine der in § 5 Abs. 1 Nr. 9 des Körperschaftsteuergesetzes ' +
  'bezeichneten Körperschaften, Personenvereinigungen oder Vermögensmassen';

const issuerRow = ({ organization }: Facts, number: string): PackBlock => ({
  kind: 'fields',
  fields: [
    {
      label: 'Aussteller (Bezeichnung und Anschrift der steuerbegünstigten Einrichtung)',
      value: [organization.name, ...linesOf(organization.address)].join('\n'),
      share: 0.7,
    },
    { label: 'Nr.', value: number, share: 0.3 },
  ],
});

const replaced = (number: string | null): PackBlock[] =>
  number === null
    ? []
    : [
        {
          kind: 'strong',
          text: `Berichtigte Bestätigung: Sie ersetzt die Bestätigung Nr. ${number}, die damit ungültig ist.`,
        },
      ];

const donorRow = ({ donorName, donorAddress }: Facts): PackBlock => ({
  kind: 'fields',
  fields: [
    {
      label: 'Name und Anschrift des Zuwendenden',
      value: [donorName ?? '', ...linesOf(donorAddress)].join('\n'),
      share: 1,
    },
  ],
});

const amountRow = (
  label: string,
  amount: bigint,
  currency: string,
  when: readonly [label: string, value: string],
): PackBlock => ({
  kind: 'fields',
  fields: [
    { label: `${label} - in Ziffern -`, value: formatMoney(amount, currency, 'de-DE'), share: 0.34 },
    { label: '- in Buchstaben -', value: amountInWords(amount, currency, 'de'), share: 0.44 },
    { label: when[0], value: when[1], share: 0.22 },
  ],
});

const usedFor = ({ legal }: Facts): PackBlock => ({
  kind: 'text',
  text: `Es wird bestätigt, dass die Zuwendung nur zur Förderung ${listed(legal.purposes)} verwendet wird.`,
});

/** The end of both forms: the signature and the notes of the law. */
const ending = (facts: Facts, issuedOn: string): PackBlock[] => [
  signature(facts, issuedOn),
  ...byMachine(facts),
  { kind: 'small', text: `Hinweis: ${LIABILITY}` },
  { kind: 'small', text: AGE_OF_NOTICE },
];

const COLLECTIVE = 'Sammelbestätigung über Geldzuwendungen/Mitgliedsbeiträge';

/** Largest donation with a simplified proof, in cents (§ 50 (4) EStDV). */
const SIMPLIFIED_UP_TO = 30_000;

export const DE = {
  id: 'de',
  version: 'de-2026-11',
  reviewed: null,
  sources: [
    '§ 50 EStDV',
    'BMF, 7 November 2013, IV C 4 - S 2223/07/0018 :005 (samples)',
    'R 10b.1 (4) EStR (receipts by machine)',
    '§ 63 (5) AO (age of the notice)',
    '§ 50 (4) EStDV (simplified proof)',
  ],
  retention: { years: 10, from: 'calendar-year', law: '§ 50 (7) EStDV, § 147 AO' },
  maxPages: 1,
  hasBindingWords: true,
  settings: SETTINGS,
  form: FORM,
  requiredOrganization: [
    ...ISSUER,
    ['legal.de.taxOffice', ({ legal }) => legal.taxOffice],
    ['legal.de.taxNumber', ({ legal }) => legal.taxNumber],
    ['legal.de.noticeDate', ({ legal }) => legal.noticeDate],
    [
      'legal.de.assessmentPeriod',
      ({ legal }) => (legal.noticeKind === 'exemption' ? legal.assessmentPeriod : '–'),
    ],
    ['legal.de.purposes', ({ legal }) => legal.purposes],
    ['legal.de.place', ({ legal }) => legal.place],
    ['legal.signatory', ({ legal, organization }) => (legal.machineSignature ? organization.signatory : '–')],
    ['legal.de.machineNoticeDate', ({ legal }) => (legal.machineSignature ? legal.machineNoticeDate : '–')],
  ],
  requiredDonor: DONOR,

  check(facts): Finding[] {
    const { legal, currency, receivedOn, issuedOn } = facts;
    const found: Finding[] = [];
    if (!isGermanTaxNumber(legal.taxNumber)) found.push({ field: 'legal.de.taxNumber', rule: 'form' });
    // The notice must count on the day of the receipt, which is the day of the gift or a later one.
    const until = noticeUntil(legal.noticeDate ?? '', legal.noticeKind);
    const latest = receivedOn > issuedOn ? receivedOn : issuedOn;
    if (legal.noticeDate !== null && until < latest)
      found.push({ field: 'legal.de.noticeDate', rule: 'expired' });
    if (currency !== 'eur') found.push({ field: 'currency', rule: 'currency' });
    if (deductible(facts) <= 0) found.push({ field: 'amount', rule: 'amount' });
    return found;
  },

  warn(legal, today) {
    const until = endingNotice(legal, today);
    return until === undefined ? [] : [{ field: 'legal.de.noticeDate', until }];
  },

  proof: {
    fileName: 'vereinfachter-zuwendungsnachweis.pdf',
    without: ['donorName', 'donorAddress', 'legal.de.place', 'legal.signatory', 'legal.de.machineNoticeDate'],
    // Cash leaves no booking at a bank, with which the proof counts.
    covers: ({ amount, type }) => amount <= SIMPLIFIED_UP_TO && type !== 'cash',
    render: (facts) => ({
      language: 'de',
      title: 'Vereinfachter Zuwendungsnachweis',
      blocks: [
        {
          kind: 'fields',
          fields: [
            {
              label: 'Empfänger der Zuwendung',
              value: [facts.organization.name, ...linesOf(facts.organization.address)].join('\n'),
              share: 1,
            },
          ],
        },
        { kind: 'heading', text: 'Vereinfachter Zuwendungsnachweis' },
        {
          kind: 'text',
          text:
            'Beleg des Zahlungsempfängers für eine Zuwendung bis 300 Euro (§ 50 Abs. 4 EStDV). Er gilt nur zusammen mit der ' +
            'Buchungsbestätigung, zum Beispiel dem Kontoauszug, mit Name und Kontonummer von Auftraggeber und Empfänger, Betrag, ' +
            'Buchungstag und der Angabe, dass die Zahlung ausgeführt wurde.',
        },
        {
          kind: 'fields',
          fields: [
            {
              label: 'Betrag',
              value: formatMoney(BigInt(deductible(facts)), facts.currency, 'de-DE'),
              share: 0.34,
            },
            { label: 'Tag der Zuwendung', value: date(facts.receivedOn), share: 0.33 },
            { label: 'Art der Zuwendung', value: 'Spende (kein Mitgliedsbeitrag)', share: 0.33 },
          ],
        },
        { kind: 'text', text: exemption(facts) },
        {
          kind: 'text',
          text: `Die Zuwendung wird nur zur Förderung ${listed(facts.legal.purposes)} verwendet.`,
        },
        {
          kind: 'small',
          text: 'Für Bargeld genügt dieser Nachweis nicht: Dafür ist die vollständige Zuwendungsbestätigung nötig.',
        },
      ],
    }),
  },

  render(facts, { number, issuedOn, replaces }) {
    return {
      language: 'de',
      title: 'Bestätigung über Geldzuwendungen/Mitgliedsbeitrag',
      blocks: [
        issuerRow(facts, number),
        { kind: 'heading', text: 'Bestätigung über Geldzuwendungen/Mitgliedsbeitrag' },
        { kind: 'text', text: BASIS },
        ...replaced(replaces),
        donorRow(facts),
        amountRow('Betrag der Zuwendung', BigInt(deductible(facts)), facts.currency, [
          'Tag der Zuwendung',
          date(facts.receivedOn),
        ]),
        {
          kind: 'text',
          text: 'Es handelt sich um den Verzicht auf Erstattung von Aufwendungen   Ja [   ]   Nein [X]',
        },
        { kind: 'text', text: exemption(facts) },
        usedFor(facts),
        ...ending(facts, issuedOn),
      ],
    };
  },

  collective: {
    render({ from, to, gifts }, { number, issuedOn, replaces }) {
      const [first] = gifts;
      if (!first) throw new Error('A collective receipt needs a gift');
      const total = gifts.reduce((sum, gift) => sum + BigInt(deductible(gift)), 0n);
      return {
        language: 'de',
        title: COLLECTIVE,
        blocks: [
          issuerRow(first, number),
          { kind: 'heading', text: COLLECTIVE },
          { kind: 'text', text: BASIS },
          ...replaced(replaces),
          donorRow(first),
          amountRow('Gesamtbetrag der Zuwendung', total, first.currency, [
            'Zeitraum der Sammelbestätigung',
            `${date(from)} bis ${date(to)}`,
          ]),
          { kind: 'text', text: exemption(first) },
          usedFor(first),
          {
            kind: 'text',
            text:
              'Es wird bestätigt, dass über die in der Gesamtsumme enthaltenen Zuwendungen keine weiteren Bestätigungen, weder ' +
              'formelle Zuwendungsbestätigungen noch Beitragsquittungen oder Ähnliches ausgestellt wurden und werden.',
          },
          {
            kind: 'text',
            text:
              'Ob es sich um den Verzicht auf Erstattung von Aufwendungen handelt, ist der Anlage zur Sammelbestätigung zu ' +
              'entnehmen.',
          },
          ...ending(first, issuedOn),
          { kind: 'annex', text: `Anlage zur Sammelbestätigung vom ${date(issuedOn)}, Nr. ${number}` },
          {
            kind: 'table',
            columns: [
              { label: 'Datum der Zuwendung', share: 0.2 },
              { label: 'Art der Zuwendung (Geldzuwendung/Mitgliedsbeitrag)', share: 0.3 },
              { label: 'Verzicht auf die Erstattung von Aufwendungen (ja/nein)', share: 0.3 },
              { label: 'Betrag', share: 0.2, isEnd: true },
            ],
            rows: gifts.map((gift) => [
              date(gift.receivedOn),
              'Geldzuwendung',
              'nein',
              formatMoney(BigInt(deductible(gift)), gift.currency, 'de-DE'),
            ]),
          },
          {
            kind: 'fields',
            fields: [{ label: 'Gesamtsumme', value: formatMoney(total, first.currency, 'de-DE'), share: 1 }],
          },
        ],
      };
    },
  },
} as const satisfies ReceiptPack<Legal>;
