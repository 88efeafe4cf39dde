import type { HistoryCauseDto, HistoryEntryDto } from '../../../src/donations/dto/history.dto.js';
import { known, money, t, word } from '../../desk/texts.js';

/** Text key of the usual codes with which banks and providers refuse a payment. */
const FAILURES: Readonly<Record<string, string>> = {
  card_declined: 'declined',
  generic_decline: 'declined',
  do_not_honor: 'declined',
  declined: 'declined',
  instrument_declined: 'declined',
  transaction_not_allowed: 'declined',
  card_not_supported: 'notSupported',
  currency_not_supported: 'notSupported',
  insufficient_funds: 'funds',
  card_velocity_exceeded: 'limit',
  withdrawal_count_limit_exceeded: 'limit',
  expired_card: 'expired',
  incorrect_cvc: 'details',
  invalid_cvc: 'details',
  incorrect_number: 'details',
  invalid_number: 'details',
  invalid_account: 'details',
  authentication_required: 'notConfirmed',
  payment_intent_authentication_failure: 'notConfirmed',
  lost_card: 'blocked',
  stolen_card: 'blocked',
  pickup_card: 'blocked',
  restricted_card: 'blocked',
  fraudulent: 'fraud',
  debit_not_authorized: 'notConfirmed',
  processing_error: 'technical',
};

/** Reason of a refused payment in the reader's language; the provider's code if the dashboard has no text for it. */
export const failureReason = (code: string): string =>
  known('failure', FAILURES[code.toLowerCase()] ?? '') ?? t('failure.code', { code });

/** Cause of a step in the reader's language, with its amount. */
export function causeText({
  kind,
  amount,
  currency,
  status,
  type,
  code,
  number,
  replacedBy,
}: HistoryCauseDto): string {
  const sum = amount !== undefined && currency !== undefined ? money(amount, currency) : '';
  switch (kind) {
    case 'refund_requested':
      return t('cause.refund_requested', { amount: sum });
    case 'refunded_by_hand':
      return t('cause.refunded_by_hand', { amount: sum });
    case 'refund_status':
    case 'dispute_status':
      return [word(`cause.${kind}`, status ?? ''), sum].filter(Boolean).join(' · ');
    case 'pledge_fulfilled':
      return t('cause.pledge_fulfilled', { type: word('type', type ?? 'other') });
    case 'receipt_replaced':
      return t('cause.receipt_replaced', { number: number ?? '', other: replacedBy ?? '' });
    case 'payment_failed':
    case 'payment_refused':
      return code === undefined ? t(`cause.${kind}`) : `${t(`cause.${kind}`)} · ${failureReason(code)}`;
    default:
      // A newer server may send a kind without a text.
      return known('cause', kind) ?? word('cause', kind);
  }
}

/** One step of the history of a donation: its event, then the reasons. */
export function stepText(entry: HistoryEntryDto): { readonly what: string; readonly why: readonly string[] } {
  const { from, to, fields, cause } = entry;
  // Servers of version 1.0 send only the reason.
  const note = cause ? entry.note : (entry.note ?? entry.reason ?? undefined);
  const status = word('donation.status', to);
  const because = cause && causeText(cause);
  if (fields && !because)
    return {
      what: t('story.corrected', { fields: fields.map((field) => word('fieldname', field)).join(', ') }),
      why: note === undefined ? [] : [note],
    };
  const texts = [
    ...(from === to || cause?.kind === 'undone' ? [] : [status]),
    ...[because, note].filter((text) => text !== undefined),
  ];
  const [what = status, ...why] = texts;
  return { what, why };
}
