/** Stripe's objects in the form of its API. Only the fields that the sandbox uses have types. */

export type IntentStatus =
  'requires_payment_method' | 'requires_action' | 'processing' | 'succeeded' | 'canceled';

export interface NextAction {
  type: string;
  [details: string]: unknown;
}

export interface PaymentIntent {
  id: string;
  object: 'payment_intent';
  amount: number;
  amount_received: number;
  currency: string;
  status: IntentStatus;
  client_secret: string;
  created: number;
  metadata: Record<string, string>;
  description: string | null;
  latest_charge: string | null;
  next_action: NextAction | null;
  payment_method_types: string[];
  last_payment_error: Record<string, unknown> | null;
  canceled_at: number | null;
  cancellation_reason: string | null;
  payment_method: string | null;
  processing: { type: 'card' } | null;
  receipt_email: string | null;
  [other: string]: unknown;
}

export interface Charge {
  id: string;
  object: 'charge';
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  currency: string;
  balance_transaction: string | null;
  payment_method: string | null;
  status: 'succeeded' | 'pending' | 'failed';
  paid: boolean;
  captured: boolean;
  refunded: boolean;
  disputed: boolean;
  created: number;
  payment_intent: string;
  metadata: Record<string, string>;
  [other: string]: unknown;
}

export type RefundStatus = 'pending' | 'requires_action' | 'succeeded' | 'failed' | 'canceled';

export interface Refund {
  id: string;
  object: 'refund';
  amount: number;
  currency: string;
  status: RefundStatus;
  charge: string;
  payment_intent: string;
  created: number;
  reason: string | null;
  metadata: Record<string, string>;
  failure_reason?: string;
  balance_transaction: string | null;
  [other: string]: unknown;
}

export type DisputeStatus =
  | 'warning_needs_response'
  | 'warning_under_review'
  | 'warning_closed'
  | 'needs_response'
  | 'under_review'
  | 'appeal_needs_response'
  | 'appeal_under_review'
  | 'won'
  | 'lost'
  | 'prevented';

export interface FraudWarning {
  id: string;
  object: 'radar.early_fraud_warning';
  actionable: boolean;
  charge: string;
  created: number;
  fraud_type: string;
  livemode: false;
  payment_intent: string;
  [other: string]: unknown;
}

export interface EvidenceDetails {
  due_by: number | null;
  enhanced_eligibility: object;
  has_evidence: boolean;
  past_due: boolean;
  submission_count: number;
  submission_method: 'not_submitted' | 'manual';
}

export interface BalanceTransaction {
  id: string;
  object: 'balance_transaction';
  amount: number;
  currency: string;
  created: number;
  fee: number;
  fee_details: unknown[];
  net: number;
  source: string;
  type: string;
  reporting_category: string;
  [other: string]: unknown;
}

export interface Payout {
  id: string;
  object: 'payout';
  amount: number;
  arrival_date: number;
  automatic: boolean;
  balance_transaction: string | null;
  created: number;
  currency: string;
  reconciliation_status: 'completed' | 'in_progress' | 'not_applicable';
  status: 'paid' | 'pending' | 'in_transit' | 'canceled' | 'failed';
  [other: string]: unknown;
}

export interface Dispute {
  id: string;
  object: 'dispute';
  amount: number;
  currency: string;
  status: DisputeStatus;
  charge: string;
  payment_intent: string;
  created: number;
  reason: string;
  balance_transactions: BalanceTransaction[];
  evidence: Record<string, unknown>;
  evidence_details: EvidenceDetails;
  is_charge_refundable: boolean;
  metadata: Record<string, string>;
  [other: string]: unknown;
}

export interface Customer {
  id: string;
  object: 'customer';
  created: number;
  metadata: Record<string, string>;
  [other: string]: unknown;
}

export interface PaymentMethod {
  id: string;
  object: 'payment_method';
  created: number;
  customer: string | null;
  type: 'card';
  [other: string]: unknown;
}

export type SetupStatus = 'requires_payment_method' | 'requires_action' | 'succeeded' | 'canceled';

export interface SetupIntent {
  id: string;
  object: 'setup_intent';
  client_secret: string;
  created: number;
  customer: string | null;
  metadata: Record<string, string>;
  status: SetupStatus;
  next_action: NextAction | null;
  payment_method: string | null;
  last_setup_error: Record<string, unknown> | null;
  cancellation_reason: string | null;
  [other: string]: unknown;
}

export interface StripeEvent {
  id: string;
  object: 'event';
  api_version: string;
  created: number;
  type: string;
  livemode: false;
  pending_webhooks: number;
  request: { id: string | null; idempotency_key: string | null };
  data: { object: Record<string, unknown>; previous_attributes?: Record<string, unknown> };
}

/**
 * The API request that caused a change. Both fields are null if the donor, the bank or a dashboard user caused the
 * change.
 */
export interface Cause {
  id: string | null;
  idempotency_key: string | null;
}

export const OUTSIDE: Cause = { id: null, idempotency_key: null };

export const API_VERSION = '2026-10-28.endive';

export function newIntentFields() {
  return {
    allowed_payment_method_types: null,
    amount_capturable: 0,
    amount_details: { tip: {} },
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: { allow_redirects: 'always', enabled: true },
    capture_method: 'automatic_async',
    confirmation_method: 'automatic',
    customer: null,
    customer_account: null,
    excluded_payment_method_types: null,
    livemode: false,
    managed_payments: { enabled: false },
    on_behalf_of: null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: {
        installments: null,
        mandate_options: null,
        network: null,
        request_three_d_secure: 'automatic',
      },
    },
    payment_record: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    transfer_data: null,
    transfer_group: null,
  };
}

export function newChargeFields() {
  const address = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null };
  return {
    application: null,
    application_fee: null,
    application_fee_amount: null,
    billing_details: { address, email: null, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: 'SANDBOX CHARITY',
    customer: null,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    livemode: false,
    on_behalf_of: null,
    payment_method_details: {
      card: {
        amount_authorized: null,
        authorization_code: null,
        brand: 'visa',
        checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
        country: 'US',
        electronic_commerce_indicator: null,
        exp_month: 12,
        exp_year: 2034,
        fingerprint: 'AOB934RVNwzk6xtn',
        funding: 'credit',
        installments: null,
        last4: '4242',
        mandate: null,
        network: 'visa',
        network_token: { used: false },
        network_transaction_id: null,
        regulated_status: 'unregulated',
        three_d_secure: null,
        transaction_link_id: null,
        wallet: null,
      },
      type: 'card',
    },
    radar_options: {},
    receipt_number: null,
    receipt_url: null,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    transfer_data: null,
    transfer_group: null,
  };
}

export function newCustomerFields() {
  return {
    address: null,
    balance: 0,
    currency: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: null,
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    name: null,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
}

export function newSetupFields() {
  return {
    allowed_payment_method_types: ['card'],
    application: null,
    automatic_payment_methods: { allow_redirects: 'always', enabled: true },
    description: null,
    excluded_payment_method_types: null,
    flow_directions: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    on_behalf_of: null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: { mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types: ['card'],
    single_use_mandate: null,
    usage: 'off_session',
  };
}

/** @param number the whole number of the card; the API shows only its last digits */
export function newMethodFields(number: string, expiry: { month: number; year: number }) {
  const { billing_details: billing } = newChargeFields();
  return {
    allow_redisplay: 'unspecified',
    billing_details: billing,
    card: {
      brand: number.startsWith('4') ? 'visa' : 'mastercard',
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: number.startsWith('4') ? 'visa' : 'mastercard',
      exp_month: expiry.month,
      exp_year: expiry.year,
      fingerprint: 'AOB934RVNwzk6xtn',
      funding: 'credit',
      generated_from: null,
      last4: number.slice(-4),
      networks: { available: ['visa'], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    customer_account: null,
    livemode: false,
    metadata: {},
  };
}

export function newRefundFields() {
  return {
    customer: null,
    customer_account: null,
    destination_details: { card: { type: 'refund', reference_status: 'pending' }, type: 'card' },
    receipt_number: null,
    source_transfer_reversal: null,
    transfer_reversal: null,
  };
}

/** With `block` and `resolution`, the card network ended a complaint before it became a dispute. */
export type CaseType = 'inquiry' | 'chargeback' | 'block' | 'resolution';

/** Empty evidence: the fields that a charity may send. */
export const NO_EVIDENCE = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
  enhanced_evidence: {},
} as const;

export function newDisputeFields(caseType: CaseType) {
  return {
    enhanced_eligibility_types: [],
    intended_submission_method: null,
    livemode: false,
    payment_method_details: {
      card: { brand: 'visa', case_type: caseType, network: 'visa', network_reason_code: '10.4' },
      type: 'card',
    },
  };
}
