import { DAY_MS } from '../../common/clock.js';
import { MERCHANT_ID, type PayPalAccount } from '../account.js';
import { money } from '../money.js';
import { type Capture, link, type Refund } from '../objects.js';
import type { Add } from './call.js';
import { instant, invalidQuery, pageLinks, wholeNumber } from './queries.js';

const PATH = '/v1/reporting/transactions';
const MAX_WINDOW_DAYS = 31;
const MAX_RESULTS = 10_000;

interface Row {
  at: number;
  affectsBalance: boolean;
  info: ReturnType<typeof captureInfo> | ReturnType<typeof refundInfo>;
}

/** The transaction search: all transactions in a time range of at most 31 days, oldest first. */
export function addTransactionRoutes(account: PayPalAccount, add: Add): void {
  add('GET', PATH, 'transactions.list', ({ query }) => ({
    status: 200,
    body: transactionPage(account, query),
  }));
}

function transactionPage(account: PayPalAccount, query: URLSearchParams) {
  const [start, end] = [required(query, 'start_date'), required(query, 'end_date')];
  if (end < start) throw invalidQuery('INVALID_DATE_RANGE', 'End date is before the start date.', 'end_date');
  if (end - start > MAX_WINDOW_DAYS * DAY_MS) {
    throw invalidQuery('INVALID_DATE_RANGE', 'Date range is greater than 31 days', 'end_date');
  }
  const size = wholeNumber(query, 'page_size', { otherwise: 100, from: 1, to: 500 });
  const page = wholeNumber(query, 'page', { otherwise: 1, from: 1, to: 2_147_483_647 });
  const matching = rows(account)
    .filter(({ at }) => at >= start && at <= end && at <= account.clock.now() - account.searchLagMs)
    .filter((row) => isWanted(row, query));
  if (matching.length > MAX_RESULTS) {
    throw invalidQuery(
      'RESULTSET_TOO_LARGE',
      'Result set size is greater than the maximum limit.',
      'end_date',
    );
  }
  const pages = Math.ceil(matching.length / size);
  const details = matching.slice((page - 1) * size, page * size);
  const next = page < pages ? { page: String(page + 1) } : undefined;
  const last = new URLSearchParams(query);
  last.set('page', String(Math.max(pages, 1)));
  return {
    transaction_details: details.map(({ info }) => ({ transaction_info: info })),
    account_number: MERCHANT_ID,
    start_date: text(start),
    end_date: text(end),
    last_refreshed_datetime: account.clock.timestamp(-account.searchLagMs),
    page,
    total_items: matching.length,
    total_pages: pages,
    links: [
      ...pageLinks(account, PATH, query, next),
      link(`${account.baseUrl}${PATH}?${last.toString()}`, 'last'),
    ],
  };
}

function rows(account: PayPalAccount): Row[] {
  const captures = [...account.captures.values()].map((capture) => ({
    at: Date.parse(capture.created),
    affectsBalance: capture.status !== 'PENDING' && capture.status !== 'DECLINED',
    info: captureInfo(capture),
  }));
  const refunds = [...account.refunds.values()].map((refund) => ({
    at: Date.parse(refund.created),
    affectsBalance: refund.status === 'COMPLETED',
    info: refundInfo(refund),
  }));
  return [...captures, ...refunds].sort((one, other) => one.at - other.at);
}

function captureInfo(capture: Capture) {
  const status = capture.status === 'PENDING' ? 'P' : capture.status === 'DECLINED' ? 'D' : 'S';
  return {
    transaction_id: capture.id,
    paypal_reference_id: capture.orderId,
    paypal_reference_id_type: 'ODR',
    transaction_event_code: 'T0006',
    transaction_initiation_date: capture.created,
    transaction_updated_date: capture.updated,
    transaction_amount: money(capture.amount, capture.currency),
    fee_amount: money(-(capture.fee ?? 0), capture.currency),
    transaction_status: status,
    ...(capture.customId !== undefined && { custom_field: capture.customId }),
    ...(capture.invoiceId !== undefined && { invoice_id: capture.invoiceId }),
  };
}

/** Event code T1107 is a refund, and T1106 is a reversal by PayPal. */
function refundInfo(refund: Refund) {
  const status = refund.status === 'COMPLETED' ? 'S' : refund.status === 'PENDING' ? 'P' : 'D';
  return {
    transaction_id: refund.id,
    paypal_reference_id: refund.captureId,
    paypal_reference_id_type: 'TXN',
    transaction_event_code: refund.reversal ? 'T1106' : 'T1107',
    transaction_initiation_date: refund.created,
    transaction_updated_date: refund.updated,
    transaction_amount: money(-refund.amount, refund.currency),
    transaction_status: status,
    ...(refund.customId !== undefined && { custom_field: refund.customId }),
    ...(refund.invoiceId !== undefined && { invoice_id: refund.invoiceId }),
  };
}

function isWanted({ info, affectsBalance }: Row, query: URLSearchParams): boolean {
  const [id, status, currency] = ['transaction_id', 'transaction_status', 'transaction_currency'].map(
    (name) => query.get(name),
  );
  return (
    (id ?? info.transaction_id) === info.transaction_id &&
    (status ?? info.transaction_status) === info.transaction_status &&
    (currency ?? info.transaction_amount.currency_code) === info.transaction_amount.currency_code &&
    // Pending and declined transactions have moved no money, so the list contains them only if the query asks for
    // them.
    (affectsBalance || query.get('balance_affecting_records_only') === 'N')
  );
}

function required(query: URLSearchParams, name: string): number {
  if (!query.has(name)) {
    throw invalidQuery('MISSING_REQUIRED_PARAMETER', 'A required parameter is missing.', name);
  }
  return instant(query, name, 0);
}

function text(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
