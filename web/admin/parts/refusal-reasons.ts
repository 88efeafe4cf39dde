import { known, t } from '../../desk/texts.js';

/**
 * Text key of the usual codes with which banks and providers refuse a payment. Stripe: `decline_code` and `code` of
 * `last_payment_error`, with the codes of card, SEPA, Bacs and ACH payments. PayPal: `status_details.reason` of a capture,
 * or its status.
 */
const FAILURES: Readonly<Record<string, string>> = {
  card_declined: 'declined',
  generic_decline: 'declined',
  do_not_honor: 'declined',
  declined: 'declined',
  failed: 'declined',
  instrument_declined: 'declined',
  transaction_not_allowed: 'declined',
  bank_account_declined: 'declined',
  payment_method_provider_decline: 'declined',
  echeck: 'declined',
  card_not_supported: 'notSupported',
  currency_not_supported: 'notSupported',
  insufficient_funds: 'funds',
  card_velocity_exceeded: 'limit',
  withdrawal_count_limit_exceeded: 'limit',
  charge_exceeds_source_limit: 'amountLimit',
  charge_exceeds_transaction_limit: 'amountLimit',
  charge_exceeds_weekly_limit: 'amountLimit',
  expired_card: 'expired',
  incorrect_cvc: 'details',
  invalid_cvc: 'details',
  incorrect_number: 'details',
  invalid_number: 'details',
  invalid_account: 'details',
  authentication_required: 'notConfirmed',
  payment_intent_authentication_failure: 'notConfirmed',
  lost_card: 'blocked',
  stolen_card: 'blocked',
  pickup_card: 'blocked',
  restricted_card: 'blocked',
  fraudulent: 'fraud',
  declined_by_risk_fraud_filters: 'fraud',
  processing_error: 'technical',
  generic_could_not_process: 'technical',
  could_not_process: 'technical',
  payment_method_provider_timeout: 'technical',
  payment_intent_payment_attempt_failed: 'technical',
  debit_not_authorized: 'noMandate',
  payment_intent_mandate_invalid: 'noMandate',
  billing_invalid_mandate: 'noMandate',
  payment_method_customer_decline: 'donor',
  buyer_complaint: 'donor',
  chargeback: 'donor',
  refer_to_customer: 'askDonor',
  account_closed: 'closed',
  bank_account_closed: 'closed',
  bank_ownership_changed: 'closed',
  no_account: 'accountDetails',
  account_number_invalid: 'accountDetails',
  invalid_account_number: 'accountDetails',
  routing_number_invalid: 'accountDetails',
  bank_account_bad_routing_numbers: 'accountDetails',
  bank_account_invalid_details: 'accountDetails',
  branch_does_not_exist: 'accountDetails',
  incorrect_account_holder_name: 'accountDetails',
  incorrect_account_holder_address: 'accountDetails',
  incorrect_account_holder_tax_id: 'accountDetails',
  account_frozen: 'noDebits',
  bank_account_frozen: 'noDebits',
  bank_account_restricted: 'noDebits',
  bank_account_unusable: 'noDebits',
  payment_method_bank_account_blocked: 'noDebits',
  payment_method_restricted: 'noDebits',
  sepa_unsupported_account: 'noDebits',
  recipient_deceased: 'deceased',
  payment_method_microdeposit_failed: 'unverified',
  payment_method_microdeposit_verification_timeout: 'unverified',
  payment_method_microdeposit_verification_attempts_exceeded: 'unverified',
  pending_review: 'providerReview',
  receiving_preference_mandates_manual_action: 'providerReview',
  international_withdrawal: 'providerReview',
  unilateral: 'providerReview',
  verification_required: 'providerReview',
};

/** Fraud types of Stripe's early fraud warnings. */
const FRAUD: ReadonlySet<string> = new Set([
  'card_never_received',
  'fraudulent_card_application',
  'made_with_counterfeit_card',
  'made_with_lost_card',
  'made_with_stolen_card',
  'unauthorized_use_of_card',
]);

const knownFailure = (code: string): string | undefined =>
  known('failure', FAILURES[code.toLowerCase()] ?? '');

/** Reason of a refused payment in the reader's language; the provider's code if the dashboard has no text for it. */
export const failureReason = (code: string): string => knownFailure(code) ?? t('failure.code', { code });

/** Reason of a refused debit as a sentence; a general sentence if the dashboard has no text for the code. */
export const debitReason = (code: string | undefined): string =>
  asSentence(
    code === undefined ? t('failure.withoutReason') : (knownFailure(code) ?? t('failure.otherReason')),
  );

/** Reason of a fraud warning; a general sentence for an unknown type. */
export const fraudReason = (type: string): string =>
  t(FRAUD.has(type) ? (`fraud.${type}` as 'fraud.other') : 'fraud.other');

const asSentence = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);
