import type { PayPalAccount } from '../account.js';
import { disputeSummary } from '../views.js';
import type { Add } from './call.js';
import { instant, invalidQuery, pageLinks, wholeNumber } from './queries.js';

const PATH = '/v1/customer/disputes';

export function addDisputeRoutes(account: PayPalAccount, add: Add): void {
  add('GET', PATH, 'disputes.list', ({ query }) => ({ status: 200, body: disputePage(account, query) }));

  add('GET', `${PATH}/:id`, 'disputes.get', ({ params }) => {
    const dispute = account.dispute(params.id ?? '');
    return { status: 200, show: 'dispute', id: dispute.id };
  });
}

/** Lists disputes newest first, as PayPal does. */
function disputePage(account: PayPalAccount, query: URLSearchParams) {
  const size = wholeNumber(query, 'page_size', { otherwise: 10, from: 1, to: 50 });
  const transaction = query.get('disputed_transaction_id');
  if (transaction !== null && query.has('start_time')) {
    const description = 'Either start_time or disputed_transaction_id, not both.';
    throw invalidQuery('INVALID_PARAMETER_COMBINATION', description, 'start_time');
  }
  const created = instant(query, 'start_time', -Infinity);
  const [from, to] = [
    instant(query, 'update_time_after', -Infinity),
    instant(query, 'update_time_before', Infinity),
  ];
  const states = query.get('dispute_state')?.split(',');
  const matching = [...account.disputes.values()]
    .reverse()
    .filter(
      (dispute) =>
        (transaction ?? dispute.captureId) === dispute.captureId &&
        Date.parse(dispute.created) >= created &&
        Date.parse(dispute.updated) >= from &&
        Date.parse(dispute.updated) <= to,
    )
    .sort((one, other) => Date.parse(other.created) - Date.parse(one.created))
    .map((dispute) => disputeSummary(account, dispute))
    .filter(({ dispute_state: state }) => states?.includes(state) ?? true);
  const token = query.get('next_page_token');
  const first = token === null ? 0 : matching.findIndex(({ dispute_id: id }) => id === token) + 1;
  const items = matching.slice(first, first + size);
  const last = items.at(-1);
  const next = last && first + size < matching.length ? { next_page_token: last.dispute_id } : undefined;
  return { items, links: pageLinks(account, PATH, query, next) };
}
