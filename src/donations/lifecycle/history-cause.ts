import type { DonationStatus } from './donation-lifecycle.js';

/** Kinds of causes. The dashboard has words for each in every language. */
export const CAUSE_KINDS = [
  'refund_requested',
  'refunded_by_hand',
  'refund_status',
  'dispute_status',
  'books_corrected',
  'pledge_fulfilled',
  'pledge_paid_online',
  'pledge_withdrawn',
  'undone',
  'message_approved',
  'message_hidden',
  'message_held',
  'name_approved',
  'name_hidden',
  'name_held',
  'donor_erased',
  'donor_erased_before',
  'unpaid_donor_erased',
  'notified_person_erased',
  'tribute_approved',
  'tribute_hidden',
  'tribute_held',
  'record_shown',
  'receipt_replaced',
  'payment_without_intent',
  'payment_failed',
  'payment_refused',
  'paid_another_way',
  'further_capture',
  'transfer_received',
  'pledge_transfer_received',
  'transfer_booked_apart',
  'transfer_expired',
  'imported',
  'match_settlement',
] as const;
export type CauseKind = (typeof CAUSE_KINDS)[number];

/**
 * Cause of a step in the history of a donation. Contains no personal data, so an erasure does not change it.
 */
export interface HistoryCause {
  readonly kind: CauseKind;
  /** Minor units of `currency`. */
  readonly amount?: number;
  readonly currency?: string;
  /** New status of the refund or dispute. */
  readonly status?: string;
  /** Pledged amount, if another amount was paid. Minor units of `currency`. */
  readonly pledged?: number;
  /** Type of the payment of a pledge. */
  readonly type?: string;
  /** Code of the provider, such as `insufficient_funds`, or the reason of a donor who withdrew a pledge. */
  readonly code?: string;
  /** The donation that paid the pledge, or the donation that a transfer with the reference of the pledge became. */
  readonly donationId?: string;
  /** Numbers of receipts. */
  readonly number?: string;
  readonly replacedBy?: string;
}

type Form = readonly [write: (cause: HistoryCause) => string, read: RegExp];

/** @param text without characters that are special in a regular expression */
const fixed = (text: string): Form => [() => text, new RegExp(`^${text}$`)];

/**
 * The stored text of each cause. Clients of version 1.0 read it, and rows of version 1.0 have only this text. The names of the groups
 * are fields of the cause. A failed payment has the provider's code as its text.
 */
const FORMS: Readonly<Record<Exclude<CauseKind, 'payment_failed'>, Form>> = {
  refund_requested: [({ amount }) => `refund of ${amount} requested`, /^refund of (?<amount>\d+) requested$/],
  refunded_by_hand: [({ amount }) => `${amount} given back`, /^(?<amount>\d+) given back$/],
  refund_status: [
    ({ status }) => `refund ${status}`,
    /^refund (?<status>requested|pending|succeeded|failed|cancelled)$/,
  ],
  dispute_status: [({ status }) => `dispute ${status}`, /^dispute (?<status>open|won|lost)$/],
  books_corrected: fixed('book correction'),
  pledge_fulfilled: [({ type }) => `pledge fulfilled (${type})`, /^pledge fulfilled \((?<type>\w+)\)$/],
  pledge_paid_online: [({ donationId }) => `paid by ${donationId}`, /^paid by (?<donationId>[\da-f-]{36})$/],
  pledge_withdrawn: [
    ({ code }) => `withdrawn by the donor (${code})`,
    /^withdrawn by the donor \((?<code>\w+)\)$/,
  ],
  undone: fixed('undone'),
  imported: fixed('imported'),
  match_settlement: fixed('counted as the payment of a matcher'),
  message_approved: fixed('message approved'),
  message_hidden: fixed('message hidden'),
  message_held: fixed('message awaits approval again'),
  name_approved: fixed('name approved'),
  name_hidden: fixed('name hidden'),
  name_held: fixed('name awaits approval again'),
  donor_erased: fixed('the donor was erased'),
  donor_erased_before: fixed('the donor was erased before this record arrived'),
  unpaid_donor_erased: fixed('never paid: personal data erased after the time in the settings'),
  notified_person_erased: fixed('the address of the notified person was erased'),
  tribute_approved: fixed('tribute approved'),
  tribute_hidden: fixed('tribute hidden'),
  tribute_held: fixed('tribute awaits approval again'),
  record_shown: fixed('shown after a second look'),
  receipt_replaced: [
    ({ number, replacedBy }) => `receipt ${number} replaced by ${replacedBy}`,
    /^receipt (?<number>\S+) replaced by (?<replacedBy>\S+)$/,
  ],
  payment_without_intent: fixed('payment made without an intent of this service'),
  payment_refused: [
    ({ code }) => `refused by the provider: ${code}`,
    /^refused by the provider: (?<code>[^]+)$/,
  ],
  paid_another_way: fixed('the donor chose another way to pay'),
  further_capture: fixed('a further capture'),
  transfer_received: [
    ({ amount }) => `bank transfer of ${amount} received`,
    /^bank transfer of (?<amount>\d+) received$/,
  ],
  pledge_transfer_received: [
    ({ amount, pledged }) => `bank transfer of ${amount} received for the pledge of ${pledged}`,
    /^bank transfer of (?<amount>\d+) received for the pledge of (?<pledged>\d+)$/,
  ],
  transfer_booked_apart: [
    ({ amount, donationId }) => `bank transfer of ${amount} booked as ${donationId}`,
    /^bank transfer of (?<amount>\d+) booked as (?<donationId>[\da-f-]{36})$/,
  ],
  transfer_expired: fixed('no bank transfer arrived in time'),
};

/** Text of a cause for the column `reason`; null if the provider gave no code. */
export function textOfCause(cause: HistoryCause): string | null {
  if (cause.kind === 'payment_failed') return cause.code ?? null;
  return FORMS[cause.kind][0](cause);
}

/**
 * Reads the cause from the text of a row of version 1.0. Returns undefined for a text that a person typed.
 * @param currency of the donation; amounts of such rows are in this currency
 */
export function causeOfText(text: string, to: DonationStatus, currency: string): HistoryCause | undefined {
  for (const [kind, [, read]] of Object.entries(FORMS) as [keyof typeof FORMS, Form][]) {
    const found = read.exec(text);
    if (!found) continue;
    const { amount, pledged, ...named } = found.groups ?? {};
    return {
      kind,
      ...named,
      ...(amount !== undefined && { amount: Number(amount), currency }),
      ...(pledged !== undefined && { pledged: Number(pledged) }),
    };
  }
  return to === 'FAILED' ? { kind: 'payment_failed', code: text } : undefined;
}

/** JSON of a cause. Replaces characters that PostgreSQL cannot store; codes of providers may contain them. */
export const causeJson = (cause: HistoryCause | null): string | null =>
  cause &&
  JSON.stringify(cause, (_name, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value,
  );
