import type { Deliveries } from '../deliveries.js';
import { stripeId } from '../ids.js';
import type { StripeAccount } from './account.js';
import { page, PAGING } from './lists.js';
import { API_VERSION } from './objects.js';
import { onlyKnown } from './params.js';
import type { Add } from './routes.js';

/** The addresses that webhook events are sent to, as somebody set them up at the dashboard. */
export function addEndpointRoutes(account: StripeAccount, deliveries: Deliveries, add: Add): void {
  const created = account.seconds();
  const ids = new Map<string, string>();
  const idOf = (url: string) => {
    const id = ids.get(url) ?? stripeId('we');
    ids.set(url, id);
    return id;
  };
  add('GET', '/v1/webhook_endpoints', 'webhook_endpoints.list', ({ form }) => {
    onlyKnown(form, [...PAGING]);
    const rows = deliveries.getUrls().map((url) => ({
      api_version: API_VERSION,
      application: null,
      created,
      description: null,
      enabled_events: [...(deliveries.subscribed ?? ['*'])],
      id: idOf(url),
      livemode: false,
      metadata: {},
      object: 'webhook_endpoint',
      status: deliveries.isEnabled ? 'enabled' : 'disabled',
      url,
    }));
    return page(rows, form, '/v1/webhook_endpoints');
  });
}
