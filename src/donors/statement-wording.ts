/** All texts of an annual statement in one language. Donation kinds come from the receipt wording. */
export interface StatementWording {
  readonly title: string;
  readonly of: string;
  readonly made: string;
  readonly intro: string;
  readonly introDays: string;
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
    made: 'Created on',
    intro: 'These donations were received in {year}:',
    introDays: 'These donations were received from {from} to {to}:',
    date: 'Date',
    event: 'Event',
    receipt: 'Receipt no.',
    amount: 'Amount',
    lessRefunded: 'less {amount} refunded',
    total: 'Total',
    note: 'This statement lists donations. It does not replace the receipts.',
    page: 'Page {page}',
  },
  de: {
    title: 'Spendenübersicht',
    of: 'Spenden von',
    made: 'Erstellt am',
    intro: 'Diese Spenden sind im Jahr {year} eingegangen:',
    introDays: 'Diese Spenden sind vom {from} bis zum {to} eingegangen:',
    date: 'Datum',
    event: 'Veranstaltung',
    receipt: 'Quittung Nr.',
    amount: 'Betrag',
    lessRefunded: 'abzüglich {amount} erstattet',
    total: 'Summe',
    note: 'Diese Übersicht listet Spenden auf. Sie ersetzt nicht die Quittungen.',
    page: 'Seite {page}',
  },
  fr: {
    title: 'Relevé des dons',
    of: 'Dons de',
    made: 'Établi le',
    intro: 'Ces dons ont été reçus en {year} :',
    introDays: 'Ces dons ont été reçus du {from} au {to} :',
    date: 'Date',
    event: 'Événement',
    receipt: 'Reçu n°',
    amount: 'Montant',
    lessRefunded: 'moins {amount} remboursés',
    total: 'Total',
    note: 'Ce relevé récapitule des dons. Il ne remplace pas les reçus.',
    page: 'Page {page}',
  },
  es: {
    title: 'Resumen de donaciones',
    of: 'Donaciones de',
    made: 'Emitido el',
    intro: 'Estas donaciones se recibieron en {year}:',
    introDays: 'Estas donaciones se recibieron del {from} al {to}:',
    date: 'Fecha',
    event: 'Evento',
    receipt: 'Recibo n.º',
    amount: 'Importe',
    lessRefunded: 'menos {amount} reembolsados',
    total: 'Total',
    note: 'Este resumen recoge donaciones. No sustituye a los recibos.',
    page: 'Página {page}',
  },
  it: {
    title: 'Riepilogo delle donazioni',
    of: 'Donazioni di',
    made: 'Emesso il',
    intro: 'Queste donazioni sono state ricevute nel {year}:',
    introDays: 'Queste donazioni sono state ricevute dal {from} al {to}:',
    date: 'Data',
    event: 'Evento',
    receipt: 'Ricevuta n.',
    amount: 'Importo',
    lessRefunded: 'meno {amount} rimborsati',
    total: 'Totale',
    note: 'Questo riepilogo elenca donazioni. Non sostituisce le ricevute.',
    page: 'Pagina {page}',
  },
  nl: {
    title: 'Overzicht van donaties',
    of: 'Donaties van',
    made: 'Opgemaakt op',
    intro: 'Deze donaties zijn in {year} ontvangen:',
    introDays: 'Deze donaties zijn van {from} tot en met {to} ontvangen:',
    date: 'Datum',
    event: 'Evenement',
    receipt: 'Kwitantienr.',
    amount: 'Bedrag',
    lessRefunded: 'min {amount} terugbetaald',
    total: 'Totaal',
    note: 'Dit overzicht toont donaties. Het vervangt de kwitanties niet.',
    page: 'Pagina {page}',
  },
} as const satisfies Readonly<Record<string, StatementWording>>;

/** Returns the wording for a locale such as `de-AT`, in English if the language has no wording. */
export function statementWording(locale: string): {
  readonly language: string;
  readonly wording: StatementWording;
} {
  const language = locale.split('-', 1)[0]?.toLowerCase() ?? '';
  return Object.hasOwn(WORDINGS, language)
    ? { language, wording: WORDINGS[language as keyof typeof WORDINGS] }
    : { language: 'en', wording: WORDINGS.en };
}
