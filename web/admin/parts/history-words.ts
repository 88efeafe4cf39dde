import type { HistoryCauseDto, HistoryEntryDto } from '../../../src/donations/dto/history.dto.js';
import { known, money, t, word } from '../../desk/texts.js';
import { failureReason } from './refusal-reasons.js';

/** Cause of a step in the reader's language, with its amount. */
export function causeText({
  kind,
  amount,
  currency,
  status,
  type,
  code,
  pledged,
  number,
  replacedBy,
}: HistoryCauseDto): string {
  const sum = amount !== undefined && currency !== undefined ? money(amount, currency) : '';
  switch (kind) {
    case 'refund_requested':
      return t('cause.refund_requested', { amount: sum });
    case 'refunded_by_hand':
      return t('cause.refunded_by_hand', { amount: sum });
    case 'transfer_received':
      return t('cause.transfer_received', { amount: sum });
    case 'transfer_booked_apart':
      return t('cause.transfer_booked_apart', { amount: sum });
    case 'pledge_transfer_received':
      return t('cause.pledge_transfer_received', {
        amount: sum,
        pledged: pledged !== undefined && currency !== undefined ? money(pledged, currency) : '',
      });
    case 'refund_status':
    case 'dispute_status':
      return [word(`cause.${kind}`, status ?? ''), sum].filter(Boolean).join(' · ');
    case 'pledge_fulfilled':
      return t('cause.pledge_fulfilled', { type: word('type', type ?? 'other') });
    case 'pledge_withdrawn':
      return `${t('cause.pledge_withdrawn')} · ${word('withdrawal', code ?? 'none')}`;
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
