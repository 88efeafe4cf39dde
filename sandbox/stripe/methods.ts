import { refused } from './errors.js';
import { type Charge, newChargeFields, type PaymentIntent } from './objects.js';

/** The details of a charge for each method of payment, with the currencies of the method. */
const METHODS: Readonly<Record<string, { readonly in?: readonly string[]; readonly details: object }>> = {
  bacs_debit: {
    in: ['gbp'],
    details: { fingerprint: null, last4: '2345', mandate: null, sort_code: '108800' },
  },
  bancontact: {
    in: ['eur'],
    details: {
      bank_code: 'VAPE',
      bank_name: 'VAN DE PUT & CO',
      bic: 'VAPEBE22',
      generated_sepa_debit: null,
      generated_sepa_debit_mandate: null,
      iban_last4: '7061',
      preferred_language: 'nl',
      verified_name: 'Dora Donor',
    },
  },
  ideal: {
    in: ['eur'],
    details: {
      bank: 'rabobank',
      bic: 'RABONL2U',
      generated_sepa_debit: null,
      generated_sepa_debit_mandate: null,
      iban_last4: '5264',
      transaction_id: null,
      verified_name: 'Dora Donor',
    },
  },
  link: { details: { country: 'DE' } },
  sepa_debit: {
    in: ['eur'],
    details: {
      bank_code: '37040044',
      branch_code: null,
      country: 'DE',
      fingerprint: null,
      last4: '3000',
      mandate: null,
    },
  },
  swish: {
    in: ['sek'],
    details: { fingerprint: null, payment_reference: null, verified_phone_last4: '0017' },
  },
  twint: { in: ['chf'], details: {} },
};

/** Wallets that hold a card. */
export const WALLETS = ['apple_pay', 'google_pay', 'link'] as const;
export type Wallet = (typeof WALLETS)[number];

/**
 * Writes the method of payment into a charge, in the form of the API. A method without an entry above gets
 * empty details, to test a method that a later API version may add.
 */
export function setMethod(charge: Charge, intent: PaymentIntent, method: string): void {
  if (method === 'card') return;
  const { in: currencies, details = {} } = METHODS[method] ?? {};
  if (currencies && !currencies.includes(intent.currency))
    throw refused(
      'payment_intent_invalid_currency',
      `The currency provided (${intent.currency}) is invalid for ${method}. It must be one of: ${currencies.join(', ')}.`,
    );
  charge.payment_method_details = { type: method, [method]: details };
  if (!intent.payment_method_types.includes(method)) intent.payment_method_types.push(method);
}

/** Writes the wallet that holds the card into a charge. */
export function setWallet(charge: Charge, wallet: Wallet): void {
  const { payment_method_details: method } = newChargeFields();
  const details = {
    type: wallet,
    dynamic_last4: null,
    [wallet]: wallet === 'link' ? { funding_source_group: null } : {},
  };
  charge.payment_method_details = { ...method, card: { ...method.card, wallet: details } };
}
