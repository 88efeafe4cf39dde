import type { PaymentFact, PaymentProvider } from '../providers/provider-port.js';
import { isMissing } from '../providers/provider-errors.js';

/**
 * True if money may still arrive: the bank is processing the payment, the donor has a valid voucher or bank details,
 * or the provider's status is unknown.
 */
export const isUnderWay = (facts: readonly PaymentFact[], at: Date): boolean =>
  facts.some(
    (fact) =>
      fact.kind === 'unknown' ||
      (fact.kind === 'processing' && (fact.until === undefined || fact.until > at)),
  );

/**
 * Cancels an unpaid payment at its provider, unless money has arrived or may still arrive. Otherwise a donor could
 * pay a voucher whose donation is cancelled.
 * @param at vouchers that are valid after this time are not cancelled
 * @returns the facts after the call
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

/**
 * Returns the facts of the payment; undefined if the provider does not know the payment, so that no money can arrive
 * with it.
 */
async function readKnown(provider: PaymentProvider, paymentId: string): Promise<PaymentFact[] | undefined> {
  try {
    return await provider.readPayment(paymentId);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
