export interface Money {
  currency_code: string;
  value: string;
}

export interface Link {
  href: string;
  rel: string;
  method: string;
}

export function link(href: string, rel: string, method = 'GET'): Link {
  return { href, rel, method };
}

export type OrderStatus = 'CREATED' | 'PAYER_ACTION_REQUIRED' | 'APPROVED' | 'VOIDED' | 'COMPLETED';
export type CaptureStatus = 'COMPLETED' | 'PENDING' | 'DECLINED' | 'PARTIALLY_REFUNDED' | 'REFUNDED';
export type RefundStatus = 'COMPLETED' | 'PENDING' | 'FAILED';

/** Values of `status_details.reason` in PayPal's API description. */
export const PENDING_REASONS = [
  'BUYER_COMPLAINT',
  'CHARGEBACK',
  'ECHECK',
  'INTERNATIONAL_WITHDRAWAL',
  'OTHER',
  'PENDING_REVIEW',
  'RECEIVING_PREFERENCE_MANDATES_MANUAL_ACTION',
  'REFUNDED',
  'TRANSACTION_APPROVED_AWAITING_FUNDING',
  'UNILATERAL',
  'VERIFICATION_REQUIRED',
] as const;
export type PendingReason = (typeof PENDING_REASONS)[number];

export const DISPUTE_STAGES = ['INQUIRY', 'CHARGEBACK', 'PRE_ARBITRATION', 'ARBITRATION'] as const;
export type DisputeStage = (typeof DISPUTE_STAGES)[number];

export const DISPUTE_STATUSES = [
  'OPEN',
  'WAITING_FOR_BUYER_RESPONSE',
  'WAITING_FOR_SELLER_RESPONSE',
  'UNDER_REVIEW',
  'RESOLVED',
  'OTHER',
] as const;
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

export const DISPUTE_OUTCOMES = [
  'RESOLVED_BUYER_FAVOUR',
  'RESOLVED_SELLER_FAVOUR',
  'RESOLVED_WITH_PAYOUT',
  'CANCELED_BY_BUYER',
  'ACCEPTED',
  'DENIED',
  'NONE',
] as const;
export type DisputeOutcome = (typeof DISPUTE_OUTCOMES)[number];

export interface MoneyMovement {
  amount: number;
  type: 'DEBIT' | 'CREDIT';
  reason: 'DISPUTE_SETTLEMENT' | 'DISPUTE_SETTLEMENT_FEE' | 'DISPUTE_FEE' | 'CHARGEBACK_FEE';
  at: string;
}

export interface Adjudication {
  type: 'DENY_BUYER' | 'PAYOUT_TO_BUYER' | 'PAYOUT_TO_SELLER' | 'RECOVER_FROM_SELLER';
  at: string;
  stage: DisputeStage;
}

export interface Dispute {
  id: string;
  captureId: string;
  stage: DisputeStage;
  status: DisputeStatus;
  reason: string;
  /** `INTERNAL`: by PayPal; `EXTERNAL`: by the donor's bank. */
  channel: 'INTERNAL' | 'EXTERNAL';
  currency: string;
  amount: number;
  sellerResponseDue: string | undefined;
  outcome: DisputeOutcome | undefined;
  refunded: number;
  adjudications: Adjudication[];
  movements: MoneyMovement[];
  created: string;
  updated: string;
}

/** The sandbox's own form of an order; `views.ts` converts it to PayPal's form. */
export interface Order {
  id: string;
  status: OrderStatus;
  currency: string;
  amount: number;
  unit: Record<string, unknown>;
  customId: string | undefined;
  invoiceId: string | undefined;
  returnUrl: string | undefined;
  cancelUrl: string | undefined;
  withPaymentSource: boolean;
  /** Name of the payment source; `paypal` if absent. */
  source?: string | undefined;
  /** The first capture. */
  captureId: string | undefined;
  /** The payee, if it is not the charity's account. */
  merchantId?: string | undefined;
  payerId: string | undefined;
  /** True if the last capture was declined. A second approval then sends another event. */
  declined?: boolean;
  /** Result of the next capture, set by a control. */
  onCapture: 'complete' | 'pending' | 'decline';
  /** Reason why the next capture will be pending. */
  pendingReason?: PendingReason | undefined;
  created: string;
  updated: string;
}

export interface Capture {
  id: string;
  orderId: string;
  status: CaptureStatus;
  reason: string | undefined;
  currency: string;
  amount: number;
  /** PayPal's fee; absent in files of an earlier version. */
  fee?: number;
  /** False if more captures may follow. */
  final?: boolean;
  customId: string | undefined;
  invoiceId: string | undefined;
  created: string;
  updated: string;
}

export interface Refund {
  id: string;
  captureId: string;
  status: RefundStatus;
  currency: string;
  amount: number;
  /** True if PayPal took the money back; false for a refund by the charity. */
  reversal: boolean;
  customId: string | undefined;
  invoiceId: string | undefined;
  noteToPayer: string | undefined;
  created: string;
  updated: string;
}

export interface PayPalEvent {
  id: string;
  event_version: '1.0';
  create_time: string;
  resource_type: string;
  resource_version: '2.0';
  event_type: string;
  summary: string;
  resource: Record<string, unknown>;
  links: Link[];
}
