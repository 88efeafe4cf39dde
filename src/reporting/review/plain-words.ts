import type { ReviewItem } from '../../data/generated/client.js';
import { NEUTRAL } from './neutral-words.js';
import type { ReviewKind } from '../../review/review-items.js';

/** An action for a review item: an API request and the label of its button. */
export interface ReviewAction {
  readonly action: string;
  readonly label: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Sent unchanged; the user fills in fields that are null. */
  readonly body?: Readonly<Record<string, string | boolean | null>>;
}

type Item = Pick<ReviewItem, 'id' | 'kind' | 'subject' | 'donationId' | 'particulars'>;

interface Words {
  readonly title: string;
  /** Meaning for the charity's money and donors. */
  readonly meaning: string;
  /** At most two actions, the likelier one first. Every item can also be resolved directly. */
  readonly actions?: readonly ((item: Item) => ReviewAction | undefined)[];
}

const seeDonation = ({ donationId }: Item): ReviewAction | undefined =>
  donationId === null
    ? undefined
    : { action: 'story', label: 'See the donation', method: 'GET', path: `/donations/${donationId}/story` };

const refund = ({ donationId }: Item): ReviewAction | undefined =>
  donationId === null
    ? undefined
    : {
        action: 'refund',
        label: 'Give the money back',
        method: 'POST',
        path: `/donations/${donationId}/cancel`,
        body: { shouldRefund: true },
      };

const assign = ({ id }: Item): ReviewAction => ({
  action: 'assign',
  label: 'Assign it to an event',
  method: 'POST',
  path: `/review-items/${id}/assign`,
  body: { eventId: null },
});

/** Action for an item whose subject names a provider, such as `provider:<name>` or `<name>:<payment>`. */
const checkProvider = ({ subject }: Item): ReviewAction => ({
  action: 'check',
  label: 'Check the provider now',
  method: 'POST',
  path: `/settings/providers/${encodeURIComponent(subject.replace(/^(?:provider|message|walk|payouts|right):/, '').split(':')[0] ?? '')}/check`,
});

const sendAgain = ({ subject }: Item): ReviewAction => ({
  action: 'retry',
  label: 'Send it again',
  method: 'POST',
  path: `/emails/${encodeURIComponent(subject.replace(/^email:/, ''))}/retry`,
});

const ofProvider = (item: Item): ReviewAction | undefined =>
  item.donationId === null ? checkProvider(item) : seeDonation(item);

const WORDS: Readonly<Record<ReviewKind | 'recorded_at_rejected' | 'email_failed', Words>> = {
  amount_mismatch: {
    title: 'Another amount was paid',
    meaning:
      'The donor paid another amount than was asked for. What really came is in the books and in the total.',
    actions: [seeDonation, refund],
  },
  late_success: {
    title: 'Paid after it was cancelled',
    meaning: 'The donation had been cancelled and the money came all the same. It counts now.',
    actions: [refund, seeDonation],
  },
  refund_failed: {
    title: 'Money could not be given back',
    meaning:
      "The provider could not return the money, for instance because the donor's card is closed. The donation counts again, and the donor is still waiting.",
    actions: [refund, seeDonation],
  },
  dispute: {
    title: 'A payment is disputed',
    meaning:
      "The donor's bank or the provider questions this payment. Without an answer in time the money is lost, often with a fee.",
    actions: [seeDonation],
  },
  unmatched_payment: {
    title: 'Money that belongs to no event',
    meaning: 'Somebody paid, and the payment names no event of yours. It is in no total until it has one.',
    actions: [assign],
  },
  reconciliation: {
    title: 'A question to the provider fails',
    meaning:
      'The service asks again and again how this payment stands and gets no usable answer. The books may be behind.',
    actions: [ofProvider],
  },
  paid_twice: {
    title: 'Perhaps paid twice',
    meaning: 'One visit to the donate page ended in two payments. Both count until you decide.',
    actions: [refund, seeDonation],
  },
  other_payee: {
    title: 'A payment went to somebody else',
    meaning: 'A payment that names your event pays an account that is not yours. None of it is in the books.',
  },
  unsettled_event: {
    title: 'A message that cannot be read in full',
    meaning: 'The provider tells of a payment and does not show it. Nothing of it is booked so far.',
    actions: [checkProvider],
  },
  payment_missing: {
    title: 'The provider does not know a payment',
    meaning:
      'A payment of your books is unknown to the provider: the keys may belong to another account now, and refunds would fail.',
    actions: [seeDonation, checkProvider],
  },
  total_out_of_range: {
    title: 'A total is far too large',
    meaning:
      'A mistaken amount was probably recorded. Nothing more can be recorded into this event until it is cancelled.',
    actions: [seeDonation],
  },
  relay_stalled: {
    title: 'The wall is behind',
    meaning: 'Donations of an event have waited for more than a minute to be shown. The books are right.',
  },
  provider_unreachable: {
    title: 'A payment provider does not answer',
    meaning:
      'Donors may be unable to pay with it, and refunds wait. What was paid is not lost: it is asked for again once the provider answers, and this item closes by itself.',
    actions: [checkProvider],
  },
  recorded_at_rejected: {
    title: 'A record with an impossible time',
    meaning:
      "A terminal's clock was wrong when this was recorded. The money counts; the time of arrival here stands in its place.",
    actions: [seeDonation],
  },
  email_failed: {
    title: 'An e-mail did not arrive',
    meaning:
      'A receipt came back or could not be sent: the address may be wrong. Correct the address and send it again, or hand the receipt over on paper.',
    actions: [sendAgain, seeDonation],
  },
  unknown_status: {
    title: 'A status that this service does not know',
    meaning:
      'The provider gives a payment or refund a status that this service has no word for. Its money may have moved.',
    actions: [seeDonation],
  },
  webhooks_missing: {
    title: 'No messages from a payment provider arrive',
    meaning:
      'Money moved at the provider, and its webhook events did not arrive. This server asks for them instead: nothing is lost, but donations appear minutes late.',
    actions: [checkProvider],
  },
  webhooks_incomplete: {
    title: 'A payment provider does not send every message',
    meaning:
      'The webhook endpoint at the provider is not subscribed to everything that this service uses. What is missing is asked for, minutes late.',
    actions: [checkProvider],
  },
  events_expired: {
    title: 'A gap longer than a provider keeps its messages',
    meaning:
      'For longer than the provider keeps its webhook events, none were read. Refunds and disputes of that time may be missing in the books.',
  },
  payment_held: {
    title: 'Money is held at the provider',
    meaning:
      'The donor has paid, and the provider does not hand the money over until you have done something there. The donation does not count yet.',
    actions: [seeDonation],
  },
  debit_failed: {
    title: 'A debit failed at the bank',
    meaning:
      'The donor agreed to pay, and the bank refused the money after the donor had left the page. The donation does not count, and the donor may not know.',
    actions: [seeDonation],
  },
  fraud_warning: {
    title: "The card's bank reports fraud",
    meaning:
      'The bank of the card reports that somebody used it without permission. The donation still counts; a chargeback with a fee usually follows.',
    actions: [refund, seeDonation],
  },
  missing_right: {
    title: 'An API key lacks a right',
    meaning:
      'The provider answers, but its key may not do everything that the service needs. Payments, refunds or disputes may be missing here until it may.',
    actions: [checkProvider],
  },
};

const KINDS: Readonly<Partial<typeof WORDS>> = WORDS;
const UNKNOWN_KIND: Words = { title: NEUTRAL.title, meaning: NEUTRAL.meaning, actions: [seeDonation] };

/** Texts of an item for readers who do not know this service, and the requests that resolve it. */
export function plainWordsOn(item: Item): { title: string; meaning: string; actions: ReviewAction[] } {
  const { title, meaning, actions = [] } = KINDS[item.kind] ?? UNKNOWN_KIND;
  const resolve: ReviewAction = {
    action: 'resolve',
    label: 'Done: take it off the list',
    method: 'POST',
    path: `/review-items/${item.id}/resolve`,
  };
  return { title, meaning, actions: [...actions.flatMap((of) => of(item) ?? []), resolve] };
}
