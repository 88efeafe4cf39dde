// Writes the referee's schemas from PayPal's published files: node sandbox/referee/trim.mjs <folder>. <folder> is the
// `openapi/` folder of paypal/paypal-rest-api-specifications.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILES = {
  checkout_orders_v2: ['/v2/checkout/orders', '/v2/checkout/orders/{id}', '/v2/checkout/orders/{id}/capture'],
  payments_payment_v2: [
    '/v2/payments/captures/{capture_id}',
    '/v2/payments/captures/{capture_id}/refund',
    '/v2/payments/refunds/{refund_id}',
  ],
  notifications_webhooks_v1: [
    '/v1/notifications/verify-webhook-signature',
    '/v1/notifications/webhooks-events',
    '/v1/notifications/webhooks-events/{event_id}',
    '/v1/notifications/webhooks-events/{event_id}/resend',
  ],
  customer_disputes_v1: ['/v1/customer/disputes', '/v1/customer/disputes/{id}'],
  reporting_transactions_v1: ['/v1/reporting/transactions'],
};

/** Keys with text for readers, which are removed. A property of a schema that has the same name is kept. */
const PROSE = new Set([
  'description',
  'title',
  'example',
  'examples',
  'externalDocs',
  'summary',
  'x-enumDescriptions',
]);

function withoutProse(value, inNames = false) {
  if (Array.isArray(value)) return value.map((item) => withoutProse(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => inNames || !PROSE.has(name))
      .map(([name, field]) => [name, withoutProse(field, name === 'properties' || name === 'schemas')]),
  );
}

function trimmed(file, paths) {
  const kept = {
    openapi: file.openapi,
    info: { title: file.info.title, version: file.info.version },
    paths: {},
    components: {},
  };
  for (const path of paths) {
    const methods = Object.entries(file.paths[path]).filter(
      ([method]) => method === 'get' || method === 'post',
    );
    kept.paths[path] = Object.fromEntries(
      methods.map(([method, { parameters, requestBody, responses }]) => [
        method,
        { ...(parameters && { parameters }), ...(requestBody && { requestBody }), responses },
      ]),
    );
  }
  const waiting = [kept.paths];
  while (waiting.length > 0) {
    for (const [, kind, name] of JSON.stringify(waiting.pop()).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      kept.components[kind] ??= {};
      if (name in kept.components[kind]) continue;
      kept.components[kind][name] = file.components[kind][name];
      waiting.push(file.components[kind][name]);
    }
  }
  return withoutProse(kept);
}

const [, , folder = '.'] = process.argv;
for (const [name, paths] of Object.entries(FILES)) {
  const file = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  const target = new URL(`./schemas/${name}.json`, import.meta.url);
  writeFileSync(target, `${JSON.stringify(trimmed(file, paths))}\n`);
}
