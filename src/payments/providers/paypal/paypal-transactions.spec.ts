import { describe, expect, it } from '@jest/globals';
import { ProviderRefusedError } from '../provider-errors.js';
import type { PayPalClient } from './paypal-client.js';
import type { PayPalReader } from './paypal-reader.js';
import { PayPalTransactions } from './paypal-transactions.js';

const DAY = 24 * 60 * 60 * 1000;
const MOST = 10_000;
const PAGE = 500;

interface Payment {
  readonly id: string;
  readonly at: number;
}

/** An account with PayPal's search limits. `read` contains the id of each payment that was read. */
function account(payments: readonly Payment[]) {
  const read: string[] = [];
  const get = (path: string) => {
    const query = new URLSearchParams(path.split('?')[1]);
    const [start, end] = ['start_date', 'end_date'].map((name) => Date.parse(query.get(name) ?? ''));
    const found = payments.filter(({ at }) => at >= Number(start) && at <= Number(end));
    if (found.length > MOST) return Promise.reject(new ProviderRefusedError('RESULTSET_TOO_LARGE'));
    const page = Number(query.get('page'));
    return Promise.resolve({
      transaction_details: found.slice((page - 1) * PAGE, page * PAGE).map(({ id }) => ({
        transaction_info: { transaction_id: id, transaction_event_code: 'T0006' },
      })),
      total_pages: Math.ceil(found.length / PAGE),
    });
  };
  const follow = ({ captureId }: { captureId?: string }) => {
    read.push(captureId ?? '');
    return Promise.resolve(undefined);
  };
  const transactions = new PayPalTransactions(
    { get } as unknown as PayPalClient,
    { follow } as unknown as PayPalReader,
    undefined,
  );
  const walk = async (days: number) => {
    for await (const walked of transactions.walk(new Date(Date.now() - days * DAY)))
      expect(walked.facts).toEqual([]);
    return read;
  };
  return { walk };
}

const evening = (count: number, daysAgo: number, lastsMs: number): Payment[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `P${daysAgo}-${index}`,
    at: Math.floor(Date.now() - daysAgo * DAY + (index * lastsMs) / count),
  }));

describe('a walk through the transactions of an account', () => {
  it('reads all payments although one search shows at most ten thousand', async () => {
    const payments = [...evening(300, 3, DAY), ...evening(25_000, 9, 6 * 60 * 60 * 1000)];
    const read = await account(payments).walk(20);
    expect(new Set(read)).toEqual(new Set(payments.map(({ id }) => id)));
  });

  it('fails if one minute has more than ten thousand transactions, instead of searching forever', async () => {
    await expect(account(evening(10_001, 2, 1)).walk(5)).rejects.toMatchObject({
      reason: 'RESULTSET_TOO_LARGE',
    });
  });
});
