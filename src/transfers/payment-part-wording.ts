/** Official words of the Swiss QR-bill. The standard has four languages; other readers get English. */
export interface PaymentPartWording {
  readonly paymentPart: string;
  readonly receipt: string;
  readonly account: string;
  readonly reference: string;
  readonly furtherInformation: string;
  readonly payableBy: string;
  readonly currency: string;
  readonly amount: string;
  readonly acceptancePoint: string;
  /** Text for screen readers. */
  readonly codeAlt: string;
}

const WORDINGS = {
  en: {
    paymentPart: 'Payment part',
    receipt: 'Receipt',
    account: 'Account / Payable to',
    reference: 'Reference',
    furtherInformation: 'Additional information',
    payableBy: 'Payable by (name/address)',
    currency: 'Currency',
    amount: 'Amount',
    acceptancePoint: 'Acceptance point',
    codeAlt: 'Swiss QR code with the data of this payment',
  },
  de: {
    paymentPart: 'Zahlteil',
    receipt: 'Empfangsschein',
    account: 'Konto / Zahlbar an',
    reference: 'Referenz',
    furtherInformation: 'Zusätzliche Informationen',
    payableBy: 'Zahlbar durch (Name/Adresse)',
    currency: 'Währung',
    amount: 'Betrag',
    acceptancePoint: 'Annahmestelle',
    codeAlt: 'Swiss QR Code mit den Daten dieser Zahlung',
  },
  fr: {
    paymentPart: 'Section paiement',
    receipt: 'Récépissé',
    account: 'Compte / Payable à',
    reference: 'Référence',
    furtherInformation: 'Informations supplémentaires',
    payableBy: 'Payable par (nom/adresse)',
    currency: 'Monnaie',
    amount: 'Montant',
    acceptancePoint: 'Point de dépôt',
    codeAlt: 'Swiss QR Code avec les données de ce paiement',
  },
  it: {
    paymentPart: 'Sezione pagamento',
    receipt: 'Ricevuta',
    account: 'Conto / Pagabile a',
    reference: 'Riferimento',
    furtherInformation: 'Informazioni supplementari',
    payableBy: 'Pagabile da (nome/indirizzo)',
    currency: 'Valuta',
    amount: 'Importo',
    acceptancePoint: 'Punto di accettazione',
    codeAlt: 'Swiss QR Code con i dati di questo pagamento',
  },
} as const satisfies Record<string, PaymentPartWording>;

/** @param locale BCP 47 */
export function paymentPartWording(locale: string): {
  readonly language: string;
  readonly wording: PaymentPartWording;
} {
  const language = locale.split('-')[0] ?? '';
  return Object.hasOwn(WORDINGS, language)
    ? { language, wording: WORDINGS[language as keyof typeof WORDINGS] }
    : { language: 'en', wording: WORDINGS.en };
}
