import type Stripe from 'stripe';
import { USED_EVENTS } from './stripe-facts.js';
import { RIGHTS, type StripeAccess } from './stripe-access.js';
import { STRIPE_WEBHOOK_PATH } from './stripe-environment.js';

/** Only older API versions send this type, instead of `refund.updated`. */
const OF_OLD_VERSIONS: ReadonlySet<string> = new Set(['charge.refund.updated']);

/**
 * Returns the used event types without a subscription in our Stripe endpoints. Our endpoints are those with the path
 * of our webhook route. If some of them have the host of this server, only these are used; the others belong to other
 * servers. Returns undefined if there is no such endpoint, or if the key has no permission to read endpoints.
 */
export async function unsubscribedTypes(
  stripe: Stripe,
  access: StripeAccess,
  publicUrl: string,
): Promise<string[] | undefined> {
  const endpoints = await access.listed(RIGHTS.readEndpoints, stripe.webhookEndpoints.list({ limit: 100 }));
  const ours = endpoints.filter(({ url }) =>
    urlOf(url)?.pathname.endsWith(`/donations/${STRIPE_WEBHOOK_PATH}/webhook`),
  );
  const here = ours.filter(({ url }) => urlOf(url)?.host === urlOf(publicUrl)?.host);
  const among = here.length > 0 ? here : ours;
  if (among.length === 0) return undefined;
  const subscribed = new Set(
    among.filter(({ status }) => status === 'enabled').flatMap(({ enabled_events: types }) => types),
  );
  return USED_EVENTS.filter(
    (type) => !OF_OLD_VERSIONS.has(type) && !subscribed.has('*') && !subscribed.has(type),
  );
}

const urlOf = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);
