import type { ReviewItem } from '../../data/generated/client.js';
import { NEUTRAL } from './neutral-words.js';
import type { ReviewKind } from '../../review/review-items.js';

/** An action for a review item: an API request and the label of its button. */
export interface ReviewAction {
  readonly action: string;
  readonly label: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Body of the request. The dashboard sends it unchanged, except that the user fills in fields that are null. */
  readonly body?: Readonly<Record<string, string | boolean | null>>;
}

type Item = Pick<ReviewItem, 'id' | 'kind' | 'subject' | 'donationId' | 'particulars'>;

interface Words {
  readonly title: string;
  /** Explains the consequences of the problem for the charity's money and donors. */
  readonly meaning: string;
  /** At most two actions; the more probable action comes first. A user can also resolve every item without an action. */
  readonly actions?: readonly ((item: Item) => ReviewAction | undefined)[];
}

const seeDonation = ({ donationId }: Item): ReviewAction | undefined =>
  donationId === null
    ? undefined
    : { action: 'story', label: 'Open the donation', method: 'GET', path: `/donations/${donationId}/story` };

const refund = ({ donationId }: Item): ReviewAction | undefined =>
  donationId === null
    ? undefined
    : {
        action: 'refund',
        label: 'Refund the donation',
        method: 'POST',
        path: `/donations/${donationId}/cancel`,
        body: { shouldRefund: true },
      };

const assign = ({ id }: Item): ReviewAction => ({
  action: 'assign',
  label: 'Assign to an event',
  method: 'POST',
  path: `/review-items/${id}/assign`,
  body: { eventId: null },
});

/** Action for an item whose subject contains the name of a provider, such as `provider:<name>` or `<name>:<payment>`. */
const checkProvider = ({ subject }: Item): ReviewAction => ({
  action: 'check',
  label: 'Check the provider',
  method: 'POST',
  path: `/settings/providers/${encodeURIComponent(subject.replace(/^(?:provider|message|walk|payouts|right):/, '').split(':')[0] ?? '')}/check`,
});

const openDonor = ({ subject }: Item): ReviewAction => ({
  action: 'donor',
  label: 'Open the donor',
  method: 'GET',
  path: `/donors/${subject.replace(/^donor:/, '')}`,
});

const sendAgain = ({ subject }: Item): ReviewAction => ({
  action: 'retry',
  label: 'Send again',
  method: 'POST',
  path: `/emails/${encodeURIComponent(subject.replace(/^email:/, ''))}/retry`,
});

const ofProvider = (item: Item): ReviewAction | undefined =>
  item.donationId === null ? checkProvider(item) : seeDonation(item);

const WORDS: Readonly<Record<ReviewKind | 'recorded_at_rejected' | 'email_failed', Words>> = {
  amount_mismatch: {
    title: 'The amount paid is different',
    meaning:
      'The donor paid a different amount than requested. The amount received is in the books and in the total.',
    actions: [seeDonation, refund],
  },
  late_success: {
    title: 'Paid after it was cancelled',
    meaning: 'The donation was cancelled, but the money arrived later. It counts now.',
    actions: [refund, seeDonation],
  },
  refund_failed: {
    title: 'A refund failed',
    meaning:
      "The provider could not refund the money, for example because the donor's card is closed. The donation counts again, and the donor has not received the refund.",
    actions: [refund, seeDonation],
  },
  dispute: {
    title: 'A payment is disputed',
    meaning:
      "The donor's bank or the provider disputes this payment. Without an answer in time, the money is lost, often with a fee.",
    actions: [seeDonation],
  },
  unmatched_payment: {
    title: 'A payment without an event',
    meaning:
      'Somebody paid, but the payment does not belong to one of your events. It is not in any total yet.',
    actions: [assign],
  },
  reconciliation: {
    title: 'A payment could not be checked',
    meaning:
      'The server asked the provider for this payment several times and got no usable answer. The books may not be up to date.',
    actions: [ofProvider],
  },
  paid_twice: {
    title: 'Possibly paid twice',
    meaning: 'One visit to the donate page led to two payments. Both count until you decide.',
    actions: [refund, seeDonation],
  },
  other_payee: {
    title: 'A payment went to another account',
    meaning: 'A payment for your event went to an account that is not yours. It is not in the books.',
  },
  unsettled_event: {
    title: 'A webhook event could not be read',
    meaning: 'The provider reports a payment but does not let the server read it. Nothing is booked yet.',
    actions: [checkProvider],
  },
  payment_missing: {
    title: 'The provider does not know a payment',
    meaning:
      'The provider does not know a payment from your books. The keys may belong to another account now, and refunds would fail.',
    actions: [seeDonation, checkProvider],
  },
  total_out_of_range: {
    title: 'A total is far too large',
    meaning:
      'A wrong amount was probably recorded. The event accepts no more records until that record is cancelled.',
    actions: [seeDonation],
  },
  relay_stalled: {
    title: 'The wall is late',
    meaning:
      'Donations of an event have been waiting for more than a minute to appear on the wall. The books are correct.',
  },
  follower_stalled: {
    title: 'Results of donations are late',
    meaning:
      'A part of the server, such as match pools or milestones, has not counted the newest donations of an event for more than a minute. The donations and their totals are correct.',
  },
  match_overpaid: {
    title: 'A match pool is overpaid',
    meaning:
      'The matcher has paid more than donations drew from the pool, for example because a donation was refunded later. No money moves by itself.',
  },
  webhook_disabled: {
    title: 'A webhook endpoint was disabled',
    meaning: 'Another system gets no more messages from this server. Donations and totals are correct.',
  },
  rehearsal_ending: {
    title: 'A rehearsal ends tomorrow',
    meaning: 'The rehearsal of this event was not used for 13 days. Its data is deleted tomorrow.',
  },
  provider_unreachable: {
    title: 'A payment provider does not answer',
    meaning:
      'Donors may be unable to pay with this provider, and refunds wait. Payments already made are not lost: the server asks again, and this item closes automatically.',
    actions: [checkProvider],
  },
  recorded_at_rejected: {
    title: 'A record has an impossible time',
    meaning:
      'The clock of the terminal was wrong when this was recorded. The donation counts. Its time is the time when it reached the server.',
    actions: [seeDonation],
  },
  email_failed: {
    title: 'An e-mail could not be delivered',
    meaning:
      'A receipt could not be sent or was returned. The address may be wrong. Correct the address and send it again, or give the donor the receipt on paper.',
    actions: [sendAgain, seeDonation],
  },
  unknown_status: {
    title: 'A payment has an unknown status',
    meaning:
      'The provider reports a status of a payment or refund that this server does not know. The money may have moved.',
    actions: [seeDonation],
  },
  webhooks_missing: {
    title: 'No webhook events arrive from a payment provider',
    meaning:
      'Payments were made at the provider, but its webhook events did not arrive. The server asks for the payments instead. Nothing is lost, but donations appear a few minutes late.',
    actions: [checkProvider],
  },
  webhooks_incomplete: {
    title: 'A payment provider does not send all webhook events',
    meaning:
      'The webhook endpoint at the provider is not subscribed to all event types that this server needs. The server asks for the missing ones, a few minutes late.',
    actions: [checkProvider],
  },
  events_expired: {
    title: 'Webhook events were missed',
    meaning:
      'The server read no webhook events for longer than the provider keeps them. Refunds and disputes of that time may be missing from the books.',
  },
  payment_held: {
    title: 'The provider holds a payment',
    meaning:
      'The donor has paid, but the provider keeps the money until you act in your provider account. The donation does not count yet.',
    actions: [seeDonation],
  },
  debit_failed: {
    title: 'A bank debit failed',
    meaning:
      'The donor agreed to pay, but the bank refused the debit after the donor had left the page. The donation does not count, and the donor may not know it.',
    actions: [seeDonation],
  },
  fraud_warning: {
    title: "The card's bank reports fraud",
    meaning:
      "The card's bank reports that somebody used the card without permission. The donation still counts. Usually a chargeback with a fee follows.",
    actions: [refund, seeDonation],
  },
  missing_right: {
    title: 'A provider key lacks a permission',
    meaning:
      "The provider answers, but the server's key lacks a permission that the server needs. Until you add this permission, payments, refunds or disputes may be missing here.",
    actions: [checkProvider],
  },
  erasure_requested: {
    title: 'A donor asks for the erasure of their data',
    meaning:
      'A donor asked on their own page that you delete their personal data. The law usually gives you a month to answer.',
    actions: [openDonor],
  },
};

const KINDS: Readonly<Partial<typeof WORDS>> = WORDS;
const UNKNOWN_KIND: Words = { title: NEUTRAL.title, meaning: NEUTRAL.meaning, actions: [seeDonation] };

/** Returns an item's texts for readers who do not know this service, and the requests that can resolve the item. */
export function plainWordsOn(item: Item): { title: string; meaning: string; actions: ReviewAction[] } {
  const { title, meaning, actions = [] } = KINDS[item.kind] ?? UNKNOWN_KIND;
  const resolve: ReviewAction = {
    action: 'resolve',
    label: 'Mark as resolved',
    method: 'POST',
    path: `/review-items/${item.id}/resolve`,
  };
  return { title, meaning, actions: [...actions.flatMap((of) => of(item) ?? []), resolve] };
}
