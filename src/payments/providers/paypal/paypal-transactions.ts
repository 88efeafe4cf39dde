import * as z from 'zod';
import type { WalkedFacts } from '../provider-port.js';
import { PaymentUnreadableError, ProviderRefusedError } from '../provider-errors.js';
import type { PayPalClient } from './paypal-client.js';
import { namesOurs, orderFacts, orderRef, otherPayee } from './paypal-facts.js';
import { ifUnreadable, type PayPalReader } from './paypal-reader.js';

const PATH = '/v1/reporting/transactions';
const DAY_MS = 24 * 60 * 60 * 1000;

/** PayPal searches at most 31 days at once. */
const WINDOW_MS = 30 * DAY_MS;
const PAGE_SIZE = 500;

/** PayPal's code for a search with more than 10,000 results. The answer then contains no results. */
const TOO_MANY = 'RESULTSET_TOO_LARGE';
/** The shortest time range to search. */
const LEAST_WINDOW_MS = 60 * 1000;

/** Maximum time after which a pending payment or refund may still change. */
const CHANGES_FOR_MS = 14 * DAY_MS;

/** Event code of a reversal. Codes of payments begin with T00, codes of refunds and reversals with T11. */
const REVERSAL = 'T1106';

const rowSchema = z.object({
  transaction_info: z.object({
    transaction_id: z.string(),
    transaction_event_code: z.string().nullish(),
    paypal_reference_id: z.string().nullish(),
    paypal_reference_id_type: z.string().nullish(),
    custom_field: z.string().nullish(),
  }),
});

const pageSchema = z.object({
  transaction_details: z.array(rowSchema).nullish(),
  total_pages: z.number().nullish(),
});

type Row = z.infer<typeof rowSchema>['transaction_info'];

/**
 * Finds all payments and refunds since a time with PayPal's transaction search. The search shows a payment up to
 * three hours late. For newer payments, this service uses webhook events and the check of open donations.
 */
export class PayPalTransactions {
  constructor(
    private readonly client: PayPalClient,
    private readonly reader: PayPalReader,
    private readonly merchantId: string | undefined,
  ) {}

  /**
   * PayPal's list also contains payments without an order (from a button or a subscription) and payments to others.
   * PayPal does not show the details of these payments.
   * @returns the reason if PayPal does not show a payment that refers to our donation or event
   */
  async *walk(since: Date): AsyncGenerator<WalkedFacts, PaymentUnreadableError | undefined> {
    const end = Date.now();
    let hidden: PaymentUnreadableError | undefined;
    for (let start = since.getTime() - CHANGES_FOR_MS; start < end; start += WINDOW_MS) {
      const seen = new Set<string>();
      for await (const row of this.rows(start, Math.min(start + WINDOW_MS, end))) {
        const captureId = captureOf(row);
        if (captureId === undefined) continue;
        const isReversal = row.transaction_event_code === REVERSAL;
        // Read the payment again for a reversal.
        if (seen.has(captureId) && !isReversal) continue;
        seen.add(captureId);
        const walked = await this.read(captureId, isReversal);
        if (walked instanceof PaymentUnreadableError && namesOurs(row.custom_field)) hidden ??= walked;
        yield walked instanceof PaymentUnreadableError ? { facts: [] } : walked;
      }
    }
    return hidden;
  }

  private async read(captureId: string, isReversal: boolean): Promise<WalkedFacts | PaymentUnreadableError> {
    const found = await this.reader.follow({ captureId }).catch(ifUnreadable);
    if (found instanceof PaymentUnreadableError) return found;
    // An order from another page is created in the donor's browser, so a donor could set another payee.
    if (!found || otherPayee(found.order, this.merchantId) !== undefined) return { facts: [] };
    const { donationId, eventRef } = orderRef(found.order);
    if (donationId === undefined && eventRef === undefined) return { facts: [] };
    return { facts: orderFacts(found.order), isReversal };
  }

  /** If a time range has too many rows, its two halves are searched instead. */
  private async *rows(start: number, end: number): AsyncIterable<Row> {
    try {
      yield* this.pages(start, end);
    } catch (error) {
      const isTooMany = error instanceof ProviderRefusedError && error.reason === TOO_MANY;
      if (!isTooMany || end - start < 2 * LEAST_WINDOW_MS) throw error;
      const middle = Math.floor((start + end) / 2);
      yield* this.rows(start, middle);
      yield* this.rows(middle, end);
    }
  }

  private async *pages(start: number, end: number): AsyncIterable<Row> {
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const query = new URLSearchParams({
        start_date: new Date(start).toISOString(),
        end_date: new Date(end).toISOString(),
        page_size: String(PAGE_SIZE),
        page: String(page),
      });
      const answer = await this.client.get(`${PATH}?${query.toString()}`, pageSchema);
      for (const { transaction_info: row } of answer?.transaction_details ?? []) yield row;
      pages = answer?.total_pages ?? 1;
    }
  }
}

function captureOf({
  transaction_id: id,
  transaction_event_code: code,
  paypal_reference_id: reference,
  paypal_reference_id_type: type,
}: Row): string | undefined {
  if ((code ?? '').startsWith('T00')) return id;
  return (code ?? '').startsWith('T11') && type === 'TXN' ? (reference ?? undefined) : undefined;
}
