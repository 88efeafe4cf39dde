import type { PrintLanguage } from './print-limits.js';

/** Words of the letter about unpaid pledges. `{names}` are replaced. The other words are those of the e-mails. */
export interface PledgeLetterWording {
  readonly title: string;
  readonly pay: string;
  /** For a pledge that cannot be paid online. */
  readonly contact: string;
  readonly cannotKeep: string;
  readonly regards: string;
  readonly alt: string;
}

export const PLEDGE_LETTER_WORDING: Readonly<Record<PrintLanguage, PledgeLetterWording>> = {
  en: {
    title: 'Your pledge',
    pay: 'You can pay online until {until}: point the camera of your phone at the code, or type the address next to it.',
    contact: 'Please contact us about the payment.',
    cannotKeep: 'If you cannot keep the pledge, please tell us. We understand.',
    regards: 'With kind regards',
    alt: 'QR code to pay {amount}',
  },
  de: {
    title: 'Ihre Spendenzusage',
    pay: 'Sie können bis {until} online bezahlen: Richten Sie die Kamera Ihres Telefons auf den Code, oder geben Sie die Adresse daneben ein.',
    contact: 'Bitte melden Sie sich bei uns wegen der Zahlung.',
    cannotKeep:
      'Wenn Sie die Zusage nicht einhalten können, sagen Sie uns bitte Bescheid. Wir haben Verständnis.',
    regards: 'Mit freundlichen Grüßen',
    alt: 'QR-Code zum Bezahlen von {amount}',
  },
  fr: {
    title: 'Votre promesse de don',
    pay: 'Vous pouvez payer en ligne jusqu’au {until} : visez le code avec l’appareil photo de votre téléphone, ou saisissez l’adresse à côté.',
    contact: 'Veuillez nous contacter au sujet du paiement.',
    cannotKeep: 'Si vous ne pouvez pas tenir votre promesse, dites-le-nous. Nous comprenons.',
    regards: 'Cordialement',
    alt: 'Code QR pour payer {amount}',
  },
  es: {
    title: 'Su promesa',
    pay: 'Puede pagar en línea hasta el {until}: apunte la cámara de su teléfono al código o escriba la dirección que está al lado.',
    contact: 'Póngase en contacto con nosotros para el pago.',
    cannotKeep: 'Si no puede mantener la promesa, díganoslo. Lo entendemos.',
    regards: 'Atentamente',
    alt: 'Código QR para pagar {amount}',
  },
  it: {
    title: 'La sua promessa',
    pay: 'Può pagare online fino al {until}: inquadri il codice con la fotocamera del telefono, oppure digiti l’indirizzo accanto.',
    contact: 'Ci contatti per il pagamento.',
    cannotKeep: 'Se non può mantenere la promessa, ce lo dica. Capiamo.',
    regards: 'Cordiali saluti',
    alt: 'Codice QR per pagare {amount}',
  },
  nl: {
    title: 'Uw toezegging',
    pay: 'U kunt tot {until} online betalen: richt de camera van uw telefoon op de code, of typ het adres ernaast.',
    contact: 'Neem contact met ons op over de betaling.',
    cannotKeep: 'Kunt u de toezegging niet nakomen? Laat het ons weten. Wij begrijpen het.',
    regards: 'Met vriendelijke groet',
    alt: 'QR-code om {amount} te betalen',
  },
  ar: {
    title: 'تعهدكم بالتبرع',
    pay: 'يمكنكم الدفع عبر الإنترنت حتى {until}: وجّهوا كاميرا الهاتف نحو الرمز، أو اكتبوا العنوان المجاور له.',
    contact: 'يُرجى التواصل معنا بشأن الدفع.',
    cannotKeep: 'إذا لم تتمكنوا من الوفاء بالتعهد فأخبرونا من فضلكم. نحن نتفهم ذلك.',
    regards: 'مع أطيب التحيات',
    alt: 'رمز QR لدفع {amount}',
  },
};
