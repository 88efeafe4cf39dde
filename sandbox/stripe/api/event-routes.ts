import { stripeId } from '../../common/ids.js';
import type { Deliveries } from '../../webhooks/deliveries.js';
import type { StripeAccount } from '../account.js';
import { invalidParameter, noSuch } from '../errors.js';
import { API_VERSION, type StripeEvent } from '../objects.js';
import { type Add, oneOf, onlyKnown, optionalText, textList } from './call.js';
import { page, PAGING } from './lists.js';

export function addEventRoutes(
  account: StripeAccount,
  pendingWebhooks: (id: string) => number,
  add: Add,
): void {
  const asOfNow = (event: StripeEvent) => ({ ...event, pending_webhooks: pendingWebhooks(event.id) });

  add('GET', '/v1/events/:id', 'events.retrieve', ({ params, form }) => {
    onlyKnown(form, []);
    const event = account.keptEvents().find(({ id }) => id === params.id);
    if (!event) throw noSuch('event', params.id ?? '');
    return asOfNow(event);
  });

  add('GET', '/v1/events', 'events.list', ({ form }) => {
    onlyKnown(form, [...PAGING, 'delivery_success', 'type', 'types']);
    const types = textList(form, 'types');
    const type = optionalText(form, 'type');
    if (type !== undefined && types.length > 0) {
      throw invalidParameter('types', 'You may not specify both type and types.');
    }
    const wanted = type === undefined ? types : [type];
    const delivered = oneOf(form, 'delivery_success', ['true', 'false']);
    const rows = account
      .keptEvents()
      .filter((event) => wanted.length === 0 || wanted.some((pattern) => isOfType(event.type, pattern)))
      .map(asOfNow)
      .filter(
        (event) => delivered === undefined || (event.pending_webhooks === 0) === (delivered === 'true'),
      );
    return page(rows, form, '/v1/events');
  });
}

/** Routes of the webhook endpoints, as configured at the dashboard. */
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

/** True if an event type matches a pattern. `charge.*` matches all types that begin with `charge.`. */
function isOfType(type: string, pattern: string): boolean {
  return (
    pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))
  );
}
