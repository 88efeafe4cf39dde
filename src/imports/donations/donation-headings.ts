import {
  fieldsByHeading,
  guessFields,
  ID_HEADINGS,
  PERSON_HEADINGS,
  plainHeading,
} from '../../documents/table-file/guessed-columns.js';
import type { DonationImportField } from './donation-fields.js';

/** Usual headings of each field in six languages, and the headings of the own CSV export. */
const HEADINGS: Readonly<Partial<Record<DonationImportField, readonly string[]>>> = {
  amount: [
    ...['amountDecimal', 'sum', 'pledge', 'gift', 'donation', 'value', 'betrag', 'summe', 'spende', 'zusage'],
    ...['montant', 'somme', 'don', 'promesse', 'importe', 'donativo', 'donación', 'promesa', 'importo'],
    ...['donazione', 'promessa', 'bedrag', 'gift', 'donatie', 'toezegging'],
  ],
  date: [
    ...[
      'day',
      'received',
      'received on',
      'date received',
      'completedAt',
      'recordedAt',
      'datum',
      'tag',
      'eingang',
    ],
    ...['eingangsdatum', 'spendendatum', 'jour', 'date de réception', 'fecha', 'fecha de recepción', 'data'],
    ...['data di ricezione', 'ontvangen op', 'ontvangstdatum'],
  ],
  name: [
    ...[
      'full name',
      'donor',
      'donor name',
      'donorName',
      'guest',
      'guest name',
      'spender',
      'vollständiger name',
    ],
    ...['gast', 'donateur', 'nom complet', 'invité', 'donante', 'nombre completo', 'invitado', 'donatore'],
    ...['nome completo', 'ospite', 'naam', 'volledige naam', 'gever'],
  ],
  ...PERSON_HEADINGS,
  email: ['donorEmail', ...PERSON_HEADINGS.email],
  address: ['postal address', 'donorAddress', 'adresse', 'anschrift', 'dirección', 'indirizzo', 'adres'],
  round: ['pledge round', 'runde', 'tour', 'ronda', 'giro', 'ronde'],
  type: [
    ...['kind', 'method', 'payment', 'payment method', 'art', 'zahlungsart', 'zahlart', 'mode de paiement'],
    ...['moyen de paiement', 'forma de pago', 'método de pago', 'metodo di pagamento', 'betaalwijze'],
  ],
  reference: [
    'cheque',
    'cheque number',
    'check number',
    'referenz',
    'verwendungszweck',
    'référence',
    'referencia',
    'riferimento',
    'referentie',
    'kenmerk',
  ],
  currency: ['währung', 'devise', 'monnaie', 'moneda', 'divisa', 'valuta', 'munt'],
  refunded: ['refundedAmountDecimal'],
  id: ['donation id', 'gift id', ...ID_HEADINGS],
};

/** In the own CSV export, `amount` is in minor units, and another column has the decimal amount. */
const MINOR_AMOUNT = plainHeading('amount');
const DECIMAL_AMOUNT = plainHeading('amountDecimal');

/** Guesses the fields of the columns of donations from their headings. */
export function guessDonationColumns<Field extends DonationImportField>(
  fields: readonly Field[],
): (headings: readonly string[]) => (Field | null)[] {
  const all = fieldsByHeading<DonationImportField>(fields, HEADINGS);
  const withoutMinor = new Map([...all].filter(([heading]) => heading !== MINOR_AMOUNT));
  return (headings) => {
    const isOwn = headings.some((heading) => plainHeading(heading) === DECIMAL_AMOUNT);
    return guessFields(headings, isOwn ? withoutMinor : all) as (Field | null)[];
  };
}
