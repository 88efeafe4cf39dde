/** All texts of an annual statement in one language. Donation kinds come from the receipt wording. */
export interface StatementWording {
  readonly title: string;
  readonly of: string;
  readonly made: string;
  readonly intro: string;
  readonly date: string;
  readonly event: string;
  readonly receipt: string;
  readonly amount: string;
  readonly lessRefunded: string;
  readonly total: string;
  readonly note: string;
  readonly page: string;
}

const WORDINGS = {
  en: {
    title: 'Statement of donations',
    of: 'Donations of',
    made: 'Made on',
    intro: 'These donations were received in {year}:',
    date: 'Date',
    event: 'Event',
    receipt: 'Receipt no.',
    amount: 'Amount',
    lessRefunded: 'less {amount} refunded',
    total: 'Total',
    note: 'This statement sums up donations; it does not replace the receipts that it names.',
    page: 'Page {page}',
  },
  de: {
    title: 'Spendenübersicht',
    of: 'Spenden von',
    made: 'Erstellt am',
    intro: 'Diese Spenden sind im Jahr {year} eingegangen:',
    date: 'Datum',
    event: 'Veranstaltung',
    receipt: 'Quittung Nr.',
    amount: 'Betrag',
    lessRefunded: 'abzüglich {amount} erstattet',
    total: 'Summe',
    note: 'Diese Übersicht fasst Spenden zusammen; sie ersetzt nicht die genannten Quittungen.',
    page: 'Seite {page}',
  },
  fr: {
    title: 'Relevé des dons',
    of: 'Dons de',
    made: 'Établi le',
    intro: 'Ces dons ont été reçus en {year} :',
    date: 'Date',
    event: 'Événement',
    receipt: 'Reçu n°',
    amount: 'Montant',
    lessRefunded: 'moins {amount} remboursés',
    total: 'Total',
    note: 'Ce relevé récapitule des dons ; il ne remplace pas les reçus qu’il mentionne.',
    page: 'Page {page}',
  },
  es: {
    title: 'Resumen de donaciones',
    of: 'Donaciones de',
    made: 'Emitido el',
    intro: 'Estas donaciones se recibieron en {year}:',
    date: 'Fecha',
    event: 'Evento',
    receipt: 'Recibo n.º',
    amount: 'Importe',
    lessRefunded: 'menos {amount} reembolsados',
    total: 'Total',
    note: 'Este resumen recoge donaciones; no sustituye los recibos que menciona.',
    page: 'Página {page}',
  },
  it: {
    title: 'Riepilogo delle donazioni',
    of: 'Donazioni di',
    made: 'Emesso il',
    intro: 'Queste donazioni sono state ricevute nel {year}:',
    date: 'Data',
    event: 'Evento',
    receipt: 'Ricevuta n.',
    amount: 'Importo',
    lessRefunded: 'meno {amount} rimborsati',
    total: 'Totale',
    note: 'Questo riepilogo raccoglie donazioni; non sostituisce le ricevute che indica.',
    page: 'Pagina {page}',
  },
  nl: {
    title: 'Overzicht van giften',
    of: 'Giften van',
    made: 'Opgemaakt op',
    intro: 'Deze giften zijn in {year} ontvangen:',
    date: 'Datum',
    event: 'Evenement',
    receipt: 'Kwitantienr.',
    amount: 'Bedrag',
    lessRefunded: 'min {amount} terugbetaald',
    total: 'Totaal',
    note: 'Dit overzicht vat giften samen; het vervangt de genoemde kwitanties niet.',
    page: 'Pagina {page}',
  },
} as const satisfies Readonly<Record<string, StatementWording>>;

/** The wording for a locale such as `de-AT`; English if the language has none. */
export function statementWording(locale: string): {
  readonly language: string;
  readonly wording: StatementWording;
} {
  const language = locale.split('-', 1)[0]?.toLowerCase() ?? '';
  return Object.hasOwn(WORDINGS, language)
    ? { language, wording: WORDINGS[language as keyof typeof WORDINGS] }
    : { language: 'en', wording: WORDINGS.en };
}
