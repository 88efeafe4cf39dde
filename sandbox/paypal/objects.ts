export interface Money {
  currency_code: string;
  value: string;
}

export interface Link {
  href: string;
  rel: string;
  method: string;
}

export type OrderStatus = 'CREATED' | 'PAYER_ACTION_REQUIRED' | 'APPROVED' | 'VOIDED' | 'COMPLETED';
export type CaptureStatus = 'COMPLETED' | 'PENDING' | 'DECLINED' | 'PARTIALLY_REFUNDED' | 'REFUNDED';
export type RefundStatus = 'COMPLETED' | 'PENDING' | 'FAILED';

/** Kept by the sandbox; `views.ts` turns it into what PayPal sends. */
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
  captureId: string | undefined;
  payerId: string | undefined;
  /** What the bank will say to the capture, set by a control. */
  onCapture: 'complete' | 'pending' | 'decline';
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
  /** Taken back by PayPal, not given back by the charity. */
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
