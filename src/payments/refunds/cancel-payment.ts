import type { PaymentFact, PaymentProvider } from '../providers/provider-port.js';
import { isMissing } from '../providers/provider-errors.js';

/**
 * Whether money may still come by itself: the bank is at work, the donor holds a voucher or bank details that are good,
 * or the provider has a status that only a person can read.
 */
export const isUnderWay = (facts: readonly PaymentFact[], at: Date): boolean =>
  facts.some(
    (fact) =>
      fact.kind === 'unknown' ||
      (fact.kind === 'processing' && (fact.until === undefined || fact.until > at)),
  );

/**
 * Cancels an unpaid payment at its provider, unless the provider says that money has come or may still come by
 * itself: a donor who pays a voucher must not find it void.
 * @param at vouchers that are good after this time are left alone
 * @returns what is true then
 */
export async function cancelUnlessUnderWay(
  provider: PaymentProvider,
  paymentId: string,
  at: Date,
): Promise<PaymentFact[]> {
  const facts = await readKnown(provider, paymentId);
  const settled = facts?.some(({ kind }) => kind === 'paid' || kind === 'cancelled');
  return facts && (settled || isUnderWay(facts, at)) ? facts : await provider.cancelPayment(paymentId);
}

/** Undefined for a payment that the provider does not know: no money can come through it any more. */
async function readKnown(provider: PaymentProvider, paymentId: string): Promise<PaymentFact[] | undefined> {
  try {
    return await provider.readPayment(paymentId);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
