import type { PayPalAccount } from '../account.js';
import { invalid, notFound } from '../errors.js';
import { link, type PayPalEvent } from '../objects.js';
import { type Add, asObject, optionalText, type WebhookSide } from './call.js';
import { instant, pageLinks, wholeNumber } from './queries.js';

const EVENTS_PATH = '/v1/notifications/webhooks-events';

export function addEventRoutes(account: PayPalAccount, webhooks: WebhookSide, add: Add): void {
  add('POST', '/v1/notifications/verify-webhook-signature', 'webhooks.verify', ({ body }) => {
    for (const name of [
      'auth_algo',
      'cert_url',
      'transmission_id',
      'transmission_sig',
      'transmission_time',
      'webhook_id',
    ]) {
      if (optionalText(body, name, `/${name}`, 500) === undefined) {
        throw invalid('MISSING_REQUIRED_PARAMETER', 'A required parameter is missing.', `/${name}`);
      }
    }
    if (!asObject(body.webhook_event)) {
      throw invalid('MISSING_REQUIRED_PARAMETER', 'A required parameter is missing.', '/webhook_event');
    }
    const verified = webhooks.verify(body);
    return { status: 200, body: { verification_status: verified ? 'SUCCESS' : 'FAILURE' } };
  });

  add('GET', '/v1/notifications/webhooks/:id', 'webhooks.get', ({ params }) => {
    const id = params.id ?? '';
    const webhook = webhooks.webhook(id);
    if (!webhook) throw notFound();
    const status = webhook.isEnabled ? 'ENABLED' : 'DISABLED';
    return {
      status: 200,
      body: {
        id,
        url: webhook.url,
        event_types: webhook.types.map((name) => ({ name, description: name, status })),
        links: [link(`${account.baseUrl}/v1/notifications/webhooks/${id}`, 'self')],
      },
    };
  });

  add('GET', EVENTS_PATH, 'events.list', ({ query }) => {
    return { status: 200, body: eventPage(account, query) };
  });

  add('GET', '/v1/notifications/webhooks-events/:id', 'events.get', ({ params }) => {
    const event = found(account, params.id ?? '');
    return { status: 200, body: event };
  });

  add('POST', '/v1/notifications/webhooks-events/:id/resend', 'events.resend', ({ params }) => {
    const event = found(account, params.id ?? '');
    webhooks.resend(event.id);
    return { status: 202, body: event };
  });
}

function found(account: PayPalAccount, id: string): PayPalEvent {
  const event = account.events.get(id);
  if (!event) throw notFound();
  return event;
}

/** Lists events newest first. The link `next` leads to the events after the last event on this page. */
function eventPage(account: PayPalAccount, query: URLSearchParams) {
  const size = wholeNumber(query, 'page_size', { otherwise: 10, from: 1, to: 300 });
  const [start, end] = [instant(query, 'start_time', -Infinity), instant(query, 'end_time', Infinity)];
  const [type, transaction] = [query.get('event_type'), query.get('transaction_id')];
  const before = query.get('next_token');
  const all = account.keptEvents();
  const from = before === null ? 0 : all.findIndex((event) => event.id === before) + 1;
  const matching = all.slice(from).filter((event) => {
    const time = Date.parse(event.create_time);
    return (
      time >= start &&
      time <= end &&
      (type === null || event.event_type === type) &&
      (transaction === null || event.resource.id === transaction)
    );
  });
  const events = matching.slice(0, size);
  const last = events.at(-1);
  const next = last && matching.length > events.length ? { next_token: last.id } : undefined;
  return { events, count: events.length, links: pageLinks(account, EVENTS_PATH, query, next) };
}
