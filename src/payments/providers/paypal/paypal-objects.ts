import * as z from 'zod';
import { isPayPalMoney } from './paypal-amounts.js';

/** The used parts of PayPal's objects. The names are those of PayPal's OpenAPI descriptions. */

const optional = <T extends z.ZodType>(type: T) =>
  type
    .nullish()
    .transform((value) => value ?? undefined)
    .optional();

const money = z.object({ currency_code: z.string(), value: z.string() }).refine(isPayPalMoney);
const link = z.object({ href: z.string(), rel: z.string() });
const links = optional(z.array(link));

export const captureSchema = z.object({
  id: z.string(),
  status: z.string(),
  status_details: optional(z.object({ reason: optional(z.string()) })),
  amount: money,
  custom_id: optional(z.string()),
  supplementary_data: optional(
    z.object({ related_ids: optional(z.object({ order_id: optional(z.string()) })) }),
  ),
  links,
  create_time: optional(z.string()),
  update_time: optional(z.string()),
  seller_receivable_breakdown: optional(z.object({ paypal_fee: optional(money) })),
});

export const refundSchema = z.object({
  id: z.string(),
  status: z.string(),
  amount: money,
  custom_id: optional(z.string()),
  links,
});

/** The fields that a new refund always has; PayPal may omit all others. */
export const refundReceiptSchema = z.object({ id: z.string(), status: z.string(), amount: optional(money) });

const purchaseUnit = z.object({
  reference_id: optional(z.string()),
  custom_id: optional(z.string()),
  payee: optional(z.object({ merchant_id: optional(z.string()) })),
  payments: optional(
    z.object({ captures: optional(z.array(captureSchema)), refunds: optional(z.array(refundSchema)) }),
  ),
});

const payer = z.object({
  name: optional(z.object({ given_name: optional(z.string()), surname: optional(z.string()) })),
  email_address: optional(z.string()),
});

export const orderSchema = z.object({
  id: z.string(),
  status: z.string(),
  purchase_units: z
    .array(purchaseUnit)
    .nullish()
    .transform((units) => units ?? []),
  payer: optional(payer),
  /** This object has one entry. The name of the entry is the source of the money. */
  payment_source: optional(z.record(z.string(), z.unknown())),
  links,
});

/** The fields of an answer with `Prefer: return=minimal`. */
export const createdOrderSchema = z.object({ id: z.string(), status: z.string(), links });

export const eventSchema = z.object({
  id: z.string().regex(/^[\w-]{1,128}$/),
  event_type: z.string().max(128),
  create_time: optional(z.string()),
  resource_type: optional(z.string()),
  resource: optional(
    z.object({
      id: optional(z.string()),
      order_id: optional(z.string()),
      dispute_id: optional(z.string()),
      links,
    }),
  ),
});

export const eventListSchema = z.object({ events: optional(z.array(z.unknown())), links });

export const webhookSchema = z.object({
  event_types: z.array(z.object({ name: z.string(), status: optional(z.string()) })),
});

export const verificationSchema = z.object({ verification_status: z.string() });

export const tokenSchema = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });

export type PayPalLink = z.infer<typeof link>;
export type PayPalCapture = z.infer<typeof captureSchema>;
export type PayPalRefund = z.infer<typeof refundSchema>;
export type PayPalOrder = z.infer<typeof orderSchema>;
export type PayPalEvent = z.infer<typeof eventSchema>;
