import type { DonationType } from '../data/generated/enums.js';

/** Texts of a receipt in one language. */
export interface ReceiptWording {
  readonly title: string;
  readonly number: string;
  readonly issued: string;
  readonly copy: string;
  readonly void: string;
  readonly voidRefunded: string;
  readonly voidCancelled: string;
  readonly voidReplaced: string;
  /** Stamp on the receipts of a rehearsal, and the reason below it. */
  readonly rehearsal: string;
  readonly rehearsalOnly: string;
  /** Text with `{number}`, the number of the receipt that was issued before the correction. */
  readonly replaces: string;
  readonly receivedFrom: string;
  readonly anonymous: string;
  readonly amount: string;
  readonly given: string;
  readonly refunded: string;
  readonly remaining: string;
  readonly received: string;
  readonly kind: string;
  readonly event: string;
  readonly reference: string;
  readonly message: string;
  readonly address: string;
  readonly giftAid: string;
  readonly giftAidMade: string;
  readonly thanks: string;
  readonly signedFor: string;
  readonly taxId: string;
  /** Label of the address for the public check. */
  readonly checkAt: string;
  /** Printed on every receipt without a pack. */
  readonly acknowledgement: string;
  readonly types: Readonly<Record<DonationType, string>>;
  /** The kind of an online donation with a known method: `{method}` is its name. */
  readonly online: string;
}

const WORDINGS = {
  en: {
    title: 'Donation receipt',
    number: 'Receipt no.',
    issued: 'Issued',
    copy: 'Copy',
    void: 'Void',
    voidRefunded: 'This receipt is void: the donation was refunded in full.',
    voidCancelled: 'This receipt is void: the donation was cancelled.',
    voidReplaced: 'This receipt is void: a newer receipt replaces it.',
    rehearsal: 'Rehearsal',
    rehearsalOnly: 'Rehearsal: no receipt',
    replaces: 'Corrected: this receipt cancels and replaces receipt no. {number}, which is void.',
    receivedFrom: 'Received with thanks from',
    anonymous: 'An anonymous donor',
    amount: 'Amount of the donation',
    given: 'Donated',
    refunded: 'Refunded',
    remaining: 'Remaining donation',
    received: 'Received on',
    kind: 'Kind of donation',
    event: 'Event',
    reference: 'Reference',
    message: 'Message',
    address: 'Address',
    giftAid: 'Gift Aid',
    giftAidMade: 'declaration made',
    thanks: 'Thank you for your support.',
    signedFor: 'For',
    taxId: 'Tax ID',
    checkAt: 'Check this receipt',
    acknowledgement: 'Acknowledgement, not a document for the tax office',
    types: {
      card: 'Card, online',
      wallet: 'Wallet, online',
      cash: 'Cash',
      check: 'Cheque',
      card_terminal: 'Card, at a terminal',
      bank_transfer: 'Bank transfer',
      pledge: 'Pledge',
      other: 'Other',
    },
    online: '{method}, online',
  },
  de: {
    title: 'Spendenquittung',
    number: 'Quittung Nr.',
    issued: 'Ausgestellt am',
    copy: 'Kopie',
    void: 'Ungültig',
    voidRefunded: 'Diese Quittung ist ungültig: Die Spende wurde vollständig erstattet.',
    voidCancelled: 'Diese Quittung ist ungültig: Die Spende wurde storniert.',
    voidReplaced: 'Diese Quittung ist ungültig: Eine neuere Quittung ersetzt sie.',
    rehearsal: 'Probe',
    rehearsalOnly: 'Probe: keine Quittung',
    replaces: 'Berichtigt: Diese Quittung ersetzt die Quittung Nr. {number}, die damit ungültig ist.',
    receivedFrom: 'Mit Dank erhalten von',
    anonymous: 'Anonyme Spende',
    amount: 'Betrag der Spende',
    given: 'Gespendet',
    refunded: 'Erstattet',
    remaining: 'Verbleibende Spende',
    received: 'Eingegangen am',
    kind: 'Art der Spende',
    event: 'Veranstaltung',
    reference: 'Referenz',
    message: 'Nachricht',
    address: 'Anschrift',
    giftAid: 'Gift Aid',
    giftAidMade: 'Erklärung abgegeben',
    thanks: 'Vielen Dank für Ihre Unterstützung.',
    signedFor: 'Für',
    taxId: 'Steuernummer',
    checkAt: 'Quittung prüfen',
    acknowledgement: 'Eingangsbestätigung, kein Nachweis für das Finanzamt',
    types: {
      card: 'Karte, online',
      wallet: 'Wallet, online',
      cash: 'Bargeld',
      check: 'Scheck',
      card_terminal: 'Karte, am Kartenterminal',
      bank_transfer: 'Überweisung',
      pledge: 'Zusage',
      other: 'Sonstiges',
    },
    online: '{method}, online',
  },
  fr: {
    title: 'Reçu de don',
    number: 'Reçu n°',
    issued: 'Établi le',
    copy: 'Copie',
    void: 'Annulé',
    voidRefunded: 'Ce reçu est annulé : le don a été intégralement remboursé.',
    voidCancelled: 'Ce reçu est annulé : le don a été annulé.',
    voidReplaced: 'Ce reçu est annulé : un reçu plus récent le remplace.',
    rehearsal: 'Répétition',
    rehearsalOnly: 'Répétition : pas de reçu',
    replaces: 'Rectifié : ce reçu annule et remplace le reçu n° {number}.',
    receivedFrom: 'Reçu avec nos remerciements de',
    anonymous: 'Un donateur anonyme',
    amount: 'Montant du don',
    given: 'Donné',
    refunded: 'Remboursé',
    remaining: 'Don restant',
    received: 'Reçu le',
    kind: 'Nature du don',
    event: 'Événement',
    reference: 'Référence',
    message: 'Message',
    address: 'Adresse',
    giftAid: 'Gift Aid',
    giftAidMade: 'déclaration faite',
    thanks: 'Merci de votre soutien.',
    signedFor: 'Pour',
    taxId: 'N° fiscal',
    checkAt: 'Vérifier ce reçu',
    acknowledgement: 'Accusé de réception, sans valeur de reçu fiscal',
    types: {
      card: 'Carte, en ligne',
      wallet: 'Portefeuille, en ligne',
      cash: 'Espèces',
      check: 'Chèque',
      card_terminal: 'Carte, au terminal',
      bank_transfer: 'Virement',
      pledge: 'Promesse de don',
      other: 'Autre',
    },
    online: '{method}, en ligne',
  },
  es: {
    title: 'Recibo de donación',
    number: 'Recibo n.º',
    issued: 'Emitido el',
    copy: 'Copia',
    void: 'Anulado',
    voidRefunded: 'Este recibo queda anulado: la donación se reembolsó por completo.',
    voidCancelled: 'Este recibo queda anulado: la donación se canceló.',
    voidReplaced: 'Este recibo queda anulado: lo sustituye un recibo más reciente.',
    rehearsal: 'Ensayo',
    rehearsalOnly: 'Ensayo: no es un recibo',
    replaces: 'Corregido: este recibo anula y sustituye al recibo n.º {number}.',
    receivedFrom: 'Recibido con gratitud de',
    anonymous: 'Donante anónimo',
    amount: 'Importe de la donación',
    given: 'Donado',
    refunded: 'Reembolsado',
    remaining: 'Donación restante',
    received: 'Recibido el',
    kind: 'Tipo de donación',
    event: 'Evento',
    reference: 'Referencia',
    message: 'Mensaje',
    address: 'Dirección',
    giftAid: 'Gift Aid',
    giftAidMade: 'declaración hecha',
    thanks: 'Gracias por su apoyo.',
    signedFor: 'Por',
    taxId: 'NIF',
    checkAt: 'Verificar este recibo',
    acknowledgement: 'Acuse de recibo, sin validez ante Hacienda',
    types: {
      card: 'Tarjeta, en línea',
      wallet: 'Monedero, en línea',
      cash: 'Efectivo',
      check: 'Cheque',
      card_terminal: 'Tarjeta, en terminal',
      bank_transfer: 'Transferencia',
      pledge: 'Promesa',
      other: 'Otro',
    },
    online: '{method}, en línea',
  },
  it: {
    title: 'Ricevuta di donazione',
    number: 'Ricevuta n.',
    issued: 'Emessa il',
    copy: 'Copia',
    void: 'Annullata',
    voidRefunded: 'Questa ricevuta è annullata: la donazione è stata rimborsata per intero.',
    voidCancelled: 'Questa ricevuta è annullata: la donazione è stata annullata.',
    voidReplaced: 'Questa ricevuta è annullata: la sostituisce una ricevuta più recente.',
    rehearsal: 'Prova',
    rehearsalOnly: 'Prova: non è una ricevuta',
    replaces: 'Rettificata: questa ricevuta annulla e sostituisce la ricevuta n. {number}.',
    receivedFrom: 'Ricevuto con gratitudine da',
    anonymous: 'Donatore anonimo',
    amount: 'Importo della donazione',
    given: 'Donato',
    refunded: 'Rimborsato',
    remaining: 'Donazione residua',
    received: 'Ricevuta il',
    kind: 'Tipo di donazione',
    event: 'Evento',
    reference: 'Riferimento',
    message: 'Messaggio',
    address: 'Indirizzo',
    giftAid: 'Gift Aid',
    giftAidMade: 'dichiarazione resa',
    thanks: 'Grazie per il suo sostegno.',
    signedFor: 'Per',
    taxId: 'Codice fiscale',
    checkAt: 'Verificare questa ricevuta',
    acknowledgement: 'Conferma di ricevimento, non valida ai fini fiscali',
    types: {
      card: 'Carta, online',
      wallet: 'Wallet, online',
      cash: 'Contanti',
      check: 'Assegno',
      card_terminal: 'Carta, al terminale',
      bank_transfer: 'Bonifico',
      pledge: 'Promessa',
      other: 'Altro',
    },
    online: '{method}, online',
  },
  nl: {
    title: 'Kwitantie voor uw donatie',
    number: 'Kwitantienr.',
    issued: 'Afgegeven op',
    copy: 'Kopie',
    void: 'Ongeldig',
    voidRefunded: 'Deze kwitantie is ongeldig: de donatie is volledig terugbetaald.',
    voidCancelled: 'Deze kwitantie is ongeldig: de donatie is geannuleerd.',
    voidReplaced: 'Deze kwitantie is ongeldig: een nieuwere kwitantie vervangt deze.',
    rehearsal: 'Repetitie',
    rehearsalOnly: 'Repetitie: geen kwitantie',
    replaces: 'Gecorrigeerd: deze kwitantie vervangt kwitantienr. {number}, dat hiermee ongeldig is.',
    receivedFrom: 'Met dank ontvangen van',
    anonymous: 'Een anonieme donateur',
    amount: 'Bedrag van de donatie',
    given: 'Gedoneerd',
    refunded: 'Terugbetaald',
    remaining: 'Resterende donatie',
    received: 'Ontvangen op',
    kind: 'Soort donatie',
    event: 'Evenement',
    reference: 'Referentie',
    message: 'Bericht',
    address: 'Adres',
    giftAid: 'Gift Aid',
    giftAidMade: 'verklaring afgelegd',
    thanks: 'Dank u voor uw steun.',
    signedFor: 'Namens',
    taxId: 'RSIN',
    checkAt: 'Dit bewijs controleren',
    acknowledgement: 'Ontvangstbevestiging, geen document voor de Belastingdienst',
    types: {
      card: 'Kaart, online',
      wallet: 'Wallet, online',
      cash: 'Contant',
      check: 'Cheque',
      card_terminal: 'Kaart, op een terminal',
      bank_transfer: 'Overschrijving',
      pledge: 'Toezegging',
      other: 'Overig',
    },
    online: '{method}, online',
  },
  ar: {
    title: 'إيصال تبرع',
    number: 'إيصال رقم',
    issued: 'تاريخ الإصدار',
    copy: 'نسخة',
    void: 'لاغٍ',
    voidRefunded: 'هذا الإيصال لاغٍ: أُعيد مبلغ التبرع كاملًا.',
    voidCancelled: 'هذا الإيصال لاغٍ: أُلغي التبرع.',
    voidReplaced: 'هذا الإيصال لاغٍ: يحل محله إيصال أحدث.',
    rehearsal: 'تدريب',
    rehearsalOnly: 'تدريب: ليس إيصالًا',
    replaces: 'تصحيح: يلغي هذا الإيصال الإيصال رقم {number} ويحل محله.',
    receivedFrom: 'استلمنا مع الشكر من',
    anonymous: 'فاعل خير',
    amount: 'مبلغ التبرع',
    given: 'التبرع',
    refunded: 'المبلغ المعاد',
    remaining: 'التبرع المتبقي',
    received: 'تاريخ الاستلام',
    kind: 'طريقة التبرع',
    event: 'الفعالية',
    reference: 'المرجع',
    message: 'الرسالة',
    address: 'العنوان',
    giftAid: 'Gift Aid',
    giftAidMade: 'قُدِّم الإقرار',
    thanks: 'شكرًا لدعمكم.',
    signedFor: 'عن',
    taxId: 'الرقم الضريبي',
    checkAt: 'التحقق من هذا الإيصال',
    acknowledgement: 'إشعار استلام، وليس مستندًا للإدارة الضريبية',
    types: {
      card: 'بطاقة، عبر الإنترنت',
      wallet: 'محفظة إلكترونية، عبر الإنترنت',
      cash: 'نقدًا',
      check: 'شيك',
      card_terminal: 'بطاقة، عبر جهاز الدفع',
      bank_transfer: 'تحويل مصرفي',
      pledge: 'تعهد',
      other: 'أخرى',
    },
    online: '{method}، عبر الإنترنت',
  },
} as const satisfies Readonly<Record<string, ReceiptWording>>;

type Language = keyof typeof WORDINGS;

const isLanguage = (language: string): language is Language => Object.hasOwn(WORDINGS, language);

const languageOf = (locale: string): string => locale.split('-', 1)[0]?.toLowerCase() ?? '';

/** Returns the wording for a locale such as `de-AT`, in English if the language has no wording. */
export function wordingFor(locale: string): { language: string; wording: ReceiptWording } {
  const language = languageOf(locale);
  return isLanguage(language)
    ? { language, wording: WORDINGS[language] }
    : { language: 'en', wording: WORDINGS.en };
}

/**
 * Returns the locale of a donor's e-mails and receipt. If the charity offers a locale with the language of
 * the stored locale, returns the offered locale; otherwise the stored one. If no locale is stored, or its
 * language has no wording, returns the default of the event or the charity.
 * @param chosen the locale stored with the donation
 */
export function donorLocale(
  { default: preferred, supported }: { readonly default: string; readonly supported: readonly string[] },
  chosen: string | null,
): string {
  const language = languageOf(chosen ?? '');
  if (chosen === null || !isLanguage(language)) return preferred;
  const offered = supported.filter((locale) => languageOf(locale) === language);
  return offered.find((locale) => locale === chosen) ?? offered[0] ?? (isLocale(chosen) ? chosen : language);
}

/**
 * True if `Intl` accepts a tag. The stored locale comes from a client, and some tags have a valid form but no
 * meaning.
 */
function isLocale(tag: string): boolean {
  try {
    return new Intl.Locale(tag).language !== '';
  } catch {
    return false;
  }
}
