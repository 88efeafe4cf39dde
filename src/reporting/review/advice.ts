import type { ReviewItem } from '../../data/generated/client.js';
import { NEUTRAL } from './neutral-words.js';
import type { ReviewKind } from '../../review/review-items.js';

type AdvisedItem = Pick<ReviewItem, 'kind' | 'detail' | 'dueBy' | 'particulars'>;

/** Advice for each kind of review item. */
const ADVICE: Readonly<Record<ReviewKind, (item: AdvisedItem) => string>> = {
  amount_mismatch: () => 'The payment is booked as received. Contact the donor or refund it.',
  late_success: () => 'The donation is booked as received. If the donor did not want it, refund it.',
  refund_failed: () =>
    'The provider could not refund the donation, and it counts again. Refund it once more, or contact the donor.',
  dispute: onDispute,
  unmatched_payment: () =>
    "The payment names an event that does not exist here. Assign it to an event, or refund it in the provider's dashboard.",
  reconciliation: () =>
    "The provider cannot be reached or refuses to answer. Check the provider keys and the provider's dashboard.",
  paid_twice: () => 'Ask the donor if both payments were intended. If not, refund this one.',
  other_payee: () =>
    "A payment names one of your donations or events, but pays another account. Nothing is booked. Check the page that made it: someone may have changed the payee in the donor's browser.",
  unsettled_event: () =>
    "A webhook event is about a payment that the provider keys cannot read. Find the payment in the provider's dashboard; it is not booked. The item closes automatically when the payment can be read.",
  total_out_of_range: () =>
    'The total of this event is above the limit. Find the wrong record and cancel it. Until then, nothing more can be recorded.',
  relay_stalled: () => 'The server log shows the reason. The books are not affected.',
  follower_stalled: () =>
    'The server log shows the reason. The server tries again every few seconds and leaves out no donation. This item closes automatically.',
  match_overpaid: () =>
    'Ask the matcher whether to return the difference or to keep it as a donation. To return it, refund a part of the payment of the matcher. This item then closes automatically.',
  webhook_disabled: () =>
    'Send a test message under Settings, Connections. When it arrives, enable the endpoint again.',
  rehearsal_ending: () =>
    'Do nothing if you no longer need it. A new record in the rehearsal keeps it for 14 more days.',
  recorded_at_rejected: () =>
    'Correct the clock of that terminal. Ask the volunteer if the exact time matters for the shift or the receipt.',
  provider_unreachable: () =>
    "The provider has not answered for ten minutes. Check its status page and this server's internet connection. No payment is lost, and the item closes automatically.",
  email_failed: ({ detail }) =>
    (detail as { state?: unknown }).state === 'bounced'
      ? 'The mail server refused this receipt. Most often the address does not exist. Correct the e-mail address of the donation and send the receipt again, or give it to the donor in another way.'
      : 'The server tried to send this receipt for two days without success. Send a test e-mail in the settings to check the mail server, then send the receipt again.',
  payment_missing: () =>
    'Find the payment in the dashboard of the account that received it, then mark this item as resolved. If the donation is unpaid, you can cancel it.',
  unknown_status: () =>
    "Find the payment in the provider's dashboard and do what it asks for. The server has cancelled nothing. The item closes automatically when the provider reports a known status.",
  webhooks_missing: () =>
    "Check the webhook endpoint in the provider's dashboard. It may be disabled, removed or set to another address. The item closes automatically with the next webhook event.",
  webhooks_incomplete: () =>
    "In the provider's dashboard, subscribe the webhook endpoint of this server to the event types in the details. The item closes automatically at the next check.",
  events_expired: () =>
    'Run npm run reconcile -- --since with the time from the details. It checks all payments, refunds and disputes since then. The item closes automatically when it is done.',
  payment_held: onHold,
  debit_failed: () =>
    'Tell the donor, if you have an address, and offer another way to pay. There is nothing to refund.',
  fraud_warning: () =>
    'Refund the donation now to avoid a chargeback and its fee. Keep it only if you know the donor and can prove the donation. The item closes when the donation is refunded or a dispute is opened.',
  missing_right: ({ detail }) =>
    `The key lacks the permission ${String((detail as { right?: unknown }).right)}. Add this permission in the provider's dashboard, or configure a key that has it. The server then loads the missing data, and the item closes automatically.`,
  erasure_requested: () =>
    'Open the donor and delete the personal data. The dialog names what the law lets you keep, and for how long. The item closes automatically after the deletion. If you may not delete anything, answer the donor and mark this item as resolved.',
};

const KINDS: Readonly<Partial<typeof ADVICE>> = ADVICE;

export const adviceOn = (item: AdvisedItem): string => KINDS[item.kind]?.(item) ?? NEUTRAL.advice;

function onDispute({ detail, dueBy, particulars }: AdvisedItem): string {
  const { status, inquiry, appeal, unknown } = (particulars ?? {}) as Record<string, unknown>;
  const until = dueBy ? ` until ${inWords(dueBy)}` : ' before its deadline';
  if (status === 'reversed')
    return "The provider took the money of this donation back. The reason is a chargeback, or a complaint that the donor won. It counts as refunded. Look at the case in the provider's dashboard: an appeal may still be possible.";
  if (unknown === true)
    return "The provider reports a status of this dispute that the server does not know. Open the case in the provider's dashboard and do what it asks for. This item updates itself when the provider reports a known status.";
  if (appeal === true)
    return `The dispute was decided, but there is an appeal. Send your evidence for the appeal in the provider's dashboard${until}. Without an answer, the decision is final. The amount counts as refunded until you win the appeal.`;
  if ((detail as { state?: unknown }).state === 'lost')
    return 'The dispute is lost. The amount counts as refunded. You cannot answer any more. Do not refund the donation again.';
  if (inquiry === true)
    return `The donor or the bank asks about this payment; no money has moved yet. Answer in the provider's dashboard${until}, or refund the donation here. Without an answer, it becomes a chargeback with a fee.`;
  return `The donor's bank disputes the payment. Send evidence in the provider's dashboard${until}, or accept the loss there. Without an answer, the money is lost and counts as refunded. Do not refund the donation here: the bank has already taken the money.`;
}

/** Advice for each action that the provider requires. The key is the value of `status` in `particulars`. */
const HOLDS: Readonly<Record<string, string>> = {
  accept:
    'Sign in to your provider account and accept this payment. Also set the account to accept this currency, so that the next payment is not held. If you do not accept the money, it is refunded to the donor after a few weeks. The item closes automatically.',
  verify:
    'Your account at the provider is not verified. Finish the verification there, and the payment is released. The item closes automatically.',
  open_account:
    'The payment was sent to an e-mail address that is not confirmed at the provider. Confirm the address or open an account there. Otherwise the money is refunded to the donor after a few weeks. The item closes automatically.',
  answer:
    "The donor or the donor's bank disputes this payment, and the provider holds the money. Open the case in the provider's dashboard and answer it. The item closes automatically.",
  look: "The provider does not give a reason for holding the payment. Open the payment in your provider account, or ask the provider's support. The item closes automatically.",
};

function onHold({ particulars }: AdvisedItem): string {
  const { status } = (particulars ?? {}) as { status?: unknown };
  return HOLDS[String(status)] ?? HOLDS.look ?? '';
}

const inWords = (time: Date): string => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
