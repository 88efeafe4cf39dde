import type { StripeAccount } from './account.js';
import { OUTSIDE } from './objects.js';

/** Gives an intent, refund or dispute a status that a later version of the API may bring, with its event where it has one. */
export function nameStatus(account: StripeAccount, id: string, status: string): void {
  if (id.startsWith('pi_')) {
    Object.assign(account.intent(id), { status });
    return;
  }
  const isRefund = id.startsWith('re_');
  const object = isRefund ? account.refund(id) : account.dispute(id);
  const previous = { status: object.status };
  Object.assign(object, { status });
  account.emit(isRefund ? 'refund.updated' : 'charge.dispute.updated', object, OUTSIDE, previous);
}
