import type { ReviewItem } from '../../data/generated/client.js';
import { NEUTRAL } from './neutral-words.js';
import type { ReviewKind } from '../../review/review-items.js';

type AdvisedItem = Pick<ReviewItem, 'kind' | 'detail' | 'dueBy' | 'particulars'>;

/** Advice for each kind of review item. */
const ADVICE: Readonly<Record<ReviewKind, (item: AdvisedItem) => string>> = {
  amount_mismatch: () =>
    'The provider took another amount than was asked. It is booked as received; tell the donor or refund it.',
  late_success: () =>
    'The donor paid after the donation was cancelled. It is booked as COMPLETED; refund it if it was not meant.',
  refund_failed: () =>
    'The provider could not give the money back. The donation counts again; contact the donor or refund anew.',
  dispute: onDispute,
  unmatched_payment: () =>
    "Money arrived for an event that does not exist here. Assign it to an event, or refund it in the provider's dashboard.",
  reconciliation: () =>
    'The provider could not be asked, or refuses to answer. Check its keys and its dashboard.',
  paid_twice: () =>
    'Two payments of one checkout were both taken. Ask the donor whether that was meant; if not, refund this one.',
  other_payee: () =>
    "A payment names a donation or event of ours and pays another account. Nothing is booked. Check the page that made it: its payee may have been changed in the donor's browser.",
  unsettled_event: () =>
    "A webhook event is about a payment that the provider does not show to our keys. Find it in the provider's dashboard; nothing of it is booked. The item closes by itself once it can be read.",
  total_out_of_range: () =>
    "The event's total is more than people may record into one event. Look for a mistaken record and cancel it; no more can be recorded until then.",
  relay_stalled: () =>
    'Donations of this event have waited for their broadcast for more than a minute. The books are not affected; the log says why.',
  recorded_at_rejected: () =>
    "The terminal's clock said a time that cannot be, so the time of arrival stands. Set the clock of that terminal right; ask the volunteer if the time matters for the shift or the receipt.",
  provider_unreachable: () =>
    "The provider has not answered for ten minutes. Look at its status page and at this server's way out; nothing is lost meanwhile, and the item closes by itself.",
  email_failed: ({ detail }) =>
    (detail as { state?: unknown }).state === 'bounced'
      ? 'The mail server refused this receipt for good, most often because the address does not exist. Correct the e-mail address of the donation and send it again, or give the donor the receipt in another way.'
      : 'This receipt could not be sent for two days. Try the mail server by a test e-mail in the settings, then send it again.',
  payment_missing: () =>
    'The provider does not know this payment: its keys may belong to another account now. Look it up in the dashboard of the account that took it, then resolve this item; an unpaid donation can be cancelled.',
  unknown_status: () =>
    "Look for it in the provider's dashboard, see what it says there, and act if it asks for something. Nothing was cancelled because of it. The item closes by itself once the provider says something that is known.",
  webhooks_missing: () =>
    "Look at the webhook endpoint in the provider's dashboard: it may be disabled, removed, or lead to another address. The item closes by itself with the next webhook event.",
  webhooks_incomplete: () =>
    "In the provider's dashboard, subscribe the webhook endpoint of this server to the types of event that the details name. The item closes by itself with the next check.",
  events_expired: () =>
    'Run npm run reconcile -- --since with the time that the details name: it walks through all payments, refunds and disputes since then. The item closes by itself when that is done.',
  payment_held: onHold,
  debit_failed: () =>
    'Tell the donor, where an address is known, and offer another way to pay. Nothing has to be given back. The details say what the bank gave as its reason.',
  fraud_warning: () =>
    'Refund the donation now to avoid a chargeback and its fee. Keep it only if you know the donor and can prove the gift. The item closes when the money goes back or a dispute is opened.',
  missing_right: ({ detail }) =>
    `The key lacks the right ${String((detail as { right?: unknown }).right)}. Give it that right in the provider's dashboard, or configure a key that has it. What was missed is asked about again, and the item closes by itself.`,
};

const KINDS: Readonly<Partial<typeof ADVICE>> = ADVICE;

export const adviceOn = (item: AdvisedItem): string => KINDS[item.kind]?.(item) ?? NEUTRAL.advice;

function onDispute({ detail, dueBy, particulars }: AdvisedItem): string {
  const { status, inquiry, appeal, unknown } = (particulars ?? {}) as Record<string, unknown>;
  const until = dueBy ? ` until ${inWords(dueBy)}` : ' before its deadline';
  if (status === 'reversed')
    return 'The provider took the money of this donation back (a chargeback, or a complaint decided for the donor). It counts as given back. Look for the case in its dashboard: it may still be appealed there.';
  if (unknown === true)
    return 'The provider says something about this dispute that this service does not know. Look at the case in its dashboard and act there if it asks for something. The item follows the dispute as soon as it says something that is known.';
  if (appeal === true)
    return `The dispute was decided and is looked at once more. Send what supports the appeal in the provider's dashboard${until}, or leave it: without an answer the decision stands. Its sum counts as given back until the appeal is won.`;
  if ((detail as { state?: unknown }).state === 'lost')
    return 'The dispute is lost: its sum counts as given back. Nothing is left to answer; do not refund it as well.';
  if (inquiry === true)
    return `The donor or the bank asks about this payment; no money has moved yet. Answer it in the provider's dashboard${until}, or refund the donation here: without an answer it becomes a chargeback with a fee.`;
  return `The donor's bank disputes the payment. Send evidence in the provider's dashboard${until}, or accept the loss there; without an answer it is lost. Do not refund it here as well: the bank has taken the money. Once lost, its sum counts as given back.`;
}

/** Keyed by the action that the charity must take, given as `status` in `particulars`. */
const HOLDS: Readonly<Record<string, string>> = {
  accept:
    'Sign in to your account at the provider and accept this payment. Set the account to take payments in this currency, so that the next one is not held. Money that nobody accepts goes back to the donor after some weeks. The item closes by itself.',
  verify:
    'Your account at the provider is not verified. Finish the verification there; then the payment is released. The item closes by itself.',
  open_account:
    'The payment waits for an account at the provider: the e-mail address that it was sent to is not confirmed there. Confirm the address or open the account. Money that nobody claims goes back to the donor after some weeks. The item closes by itself.',
  answer:
    "The donor or the donor's bank objects to this payment, and the provider holds the money. Open the case in the provider's dashboard and answer it. The item closes by itself.",
  look: "The provider does not say what the payment waits for. Open it in your account there, or ask the provider's support. The item closes by itself.",
};

function onHold({ particulars }: AdvisedItem): string {
  const { status } = (particulars ?? {}) as { status?: unknown };
  return HOLDS[String(status)] ?? HOLDS.look ?? '';
}

const inWords = (time: Date): string => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
