/** Texts of the e-mail with bank details. `{names}` are placeholders. */
export interface TransferWording {
  readonly subject: string;
  readonly text: string;
  readonly reference: string;
  readonly next: string;
  readonly holder: string;
  /** Label of the account holder in an e-mail that first offers another way to pay. */
  readonly orTo: string;
  /** Title of the bank details in a letter that first offers another way to pay. */
  readonly orTransfer: string;
  readonly amount: string;
  readonly referenceLabel: string;
  readonly scan: string;
  readonly button: string;
  readonly why: string;
}

const TRANSFER_WORDINGS = {
  en: {
    subject: 'Your bank transfer to {organization}',
    text: 'Thank you for your donation of {amount} to “{event}”. Please transfer it with these details.',
    reference: 'Please use exactly this reference. It shows which donation is yours.',
    next: 'Your donation counts as soon as the money has arrived. Then you receive your receipt. Please send the transfer by {until}.',
    holder: 'Account holder',
    orTo: 'Or by bank transfer to',
    orTransfer: 'By bank transfer',
    amount: 'Amount',
    referenceLabel: 'Reference',
    scan: 'Scan with your banking app',
    button: 'Show the bank details',
    why: 'You receive this e-mail because this address was entered with a donation to {organization}.',
  },
  de: {
    subject: 'Ihre Überweisung an {organization}',
    text: 'Vielen Dank für Ihre Spende von {amount} für „{event}“. Bitte überweisen Sie sie mit diesen Angaben.',
    reference: 'Bitte verwenden Sie genau diese Referenz. Sie zeigt, welche Spende Ihre ist.',
    next: 'Ihre Spende zählt, sobald das Geld eingegangen ist. Dann erhalten Sie Ihre Quittung. Bitte überweisen Sie bis {until}.',
    holder: 'Kontoinhaber',
    orTo: 'Oder per Überweisung an',
    orTransfer: 'Per Überweisung',
    amount: 'Betrag',
    referenceLabel: 'Referenz',
    scan: 'Mit Ihrer Banking-App scannen',
    button: 'Bankdaten anzeigen',
    why: 'Sie erhalten diese E-Mail, weil diese Adresse bei einer Spende an {organization} angegeben wurde.',
  },
  fr: {
    subject: 'Votre virement à {organization}',
    text: 'Merci pour votre don de {amount} à « {event} ». Veuillez faire le virement avec ces indications.',
    reference: 'Veuillez utiliser exactement cette référence. Elle indique quel don est le vôtre.',
    next: 'Votre don compte dès que l’argent est arrivé. Vous recevez alors votre reçu. Veuillez faire le virement avant le {until}.',
    holder: 'Titulaire du compte',
    orTo: 'Ou par virement à',
    orTransfer: 'Par virement',
    amount: 'Montant',
    referenceLabel: 'Référence',
    scan: 'Scannez avec votre application bancaire',
    button: 'Afficher les coordonnées bancaires',
    why: 'Vous recevez cet e-mail parce que cette adresse a été indiquée lors d’un don à {organization}.',
  },
  es: {
    subject: 'Su transferencia a {organization}',
    text: 'Gracias por su donación de {amount} a «{event}». Haga la transferencia con estos datos.',
    reference: 'Use exactamente esta referencia. Indica cuál es su donación.',
    next: 'Su donación cuenta en cuanto llega el dinero. Entonces recibirá su recibo. Haga la transferencia antes del {until}.',
    holder: 'Titular de la cuenta',
    orTo: 'O por transferencia a',
    orTransfer: 'Por transferencia',
    amount: 'Importe',
    referenceLabel: 'Referencia',
    scan: 'Escanee con su aplicación bancaria',
    button: 'Ver los datos bancarios',
    why: 'Recibe este correo porque esta dirección se indicó en una donación a {organization}.',
  },
  it: {
    subject: 'Il suo bonifico a {organization}',
    text: 'Grazie per la sua donazione di {amount} a “{event}”. Faccia il bonifico con questi dati.',
    reference: 'Usi esattamente questo riferimento. Mostra qual è la sua donazione.',
    next: 'La sua donazione conta non appena arriva il denaro. Allora riceverà la ricevuta. Faccia il bonifico entro il {until}.',
    holder: 'Intestatario del conto',
    orTo: 'Oppure con bonifico a',
    orTransfer: 'Con bonifico',
    amount: 'Importo',
    referenceLabel: 'Riferimento',
    scan: 'Scansioni con la sua app bancaria',
    button: 'Mostra i dati bancari',
    why: 'Riceve questa e-mail perché questo indirizzo è stato indicato con una donazione a {organization}.',
  },
  nl: {
    subject: 'Uw overschrijving aan {organization}',
    text: 'Hartelijk dank voor uw donatie van {amount} aan “{event}”. Maak het bedrag over met deze gegevens.',
    reference: 'Gebruik precies deze referentie. Die laat zien welke donatie van u is.',
    next: 'Uw donatie telt zodra het geld is ontvangen. Dan krijgt u uw kwitantie. Maak het bedrag over vóór {until}.',
    holder: 'Rekeninghouder',
    orTo: 'Of per overschrijving aan',
    orTransfer: 'Via overschrijving',
    amount: 'Bedrag',
    referenceLabel: 'Referentie',
    scan: 'Scan met uw bankapp',
    button: 'Bankgegevens tonen',
    why: 'U krijgt deze e-mail omdat dit adres is opgegeven bij een donatie aan {organization}.',
  },
  ar: {
    subject: 'تحويلكم المصرفي إلى {organization}',
    text: 'شكرًا لتبرعكم بمبلغ {amount} إلى «{event}». يُرجى تحويل المبلغ بهذه البيانات.',
    reference: 'يُرجى استخدام هذا المرجع بالضبط، فهو يبيّن تبرعكم.',
    next: 'يُحتسب تبرعكم فور وصول المبلغ، وعندئذٍ يصلكم الإيصال. يُرجى إجراء التحويل قبل {until}.',
    holder: 'صاحب الحساب',
    orTo: 'أو بتحويل مصرفي إلى',
    orTransfer: 'بتحويل مصرفي',
    amount: 'المبلغ',
    referenceLabel: 'المرجع',
    scan: 'امسحوا الرمز بتطبيق مصرفكم',
    button: 'عرض بيانات الحساب',
    why: 'وصلتكم هذه الرسالة لأن هذا العنوان أُدخل مع تبرع إلى {organization}.',
  },
} satisfies Record<string, TransferWording>;

/** @param language of an e-mail */
export const transferWording = (language: string): TransferWording =>
  Object.hasOwn(TRANSFER_WORDINGS, language)
    ? TRANSFER_WORDINGS[language as keyof typeof TRANSFER_WORDINGS]
    : TRANSFER_WORDINGS.en;
