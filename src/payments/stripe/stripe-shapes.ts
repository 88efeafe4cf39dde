import * as z from 'zod';

/**
 * What is used of Stripe's objects, by the kind of their event. A signature says that an event is Stripe's, not that it
 * has the fields of the version of the API that this was written for.
 */

/** As many digits as Stripe takes of any currency. */
const amount = z.int().nonnegative().max(999_999_999_999);
const currency = z.string().regex(/^[A-Za-z]{3}$/);
const reference = z.union([z.string(), z.object({ id: z.string() })]).nullish();
const texts = z.record(z.string(), z.string());

const intent = z.object({
  id: z.string().min(1),
  status: z.string(),
  amount_received: amount,
  currency,
  metadata: texts,
  latest_charge: reference,
  last_payment_error: z.object({}).nullish(),
});
const succeeded = intent.extend({ amount_received: amount.positive() });
const charge = z.object({ payment_intent: reference });
const refund = z.object({
  id: z.string().min(1),
  payment_intent: reference,
  amount: amount.positive(),
  currency,
  status: z.string().nullish(),
  metadata: texts.nullish(),
});
const dispute = z.object({
  id: z.string().min(1),
  payment_intent: reference,
  amount: amount.positive(),
  currency,
  status: z.string(),
  reason: z.string().nullish(),
});

const eventOf = (object: z.ZodType) =>
  z.object({ created: z.int().nonnegative().max(9_999_999_999), data: z.object({ object }) });

const SHAPES: readonly (readonly [kind: string, shape: z.ZodType])[] = [
  ['payment_intent.succeeded', eventOf(succeeded)],
  ['payment_intent.', eventOf(intent)],
  ['charge.refunded', eventOf(charge)],
  ['charge.dispute.', eventOf(dispute)],
  ['refund.', eventOf(refund)],
];

/** Which field of an event that is used is missing or not what it should be; undefined where nothing is. */
export function faultOf(kind: string, event: unknown): string | undefined {
  const shape = SHAPES.find(([start]) => kind.startsWith(start))?.[1];
  const read = shape?.safeParse(event);
  if (!read || read.success) return undefined;
  const [issue] = read.error.issues;
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not as expected'}`.slice(0, 200);
}
