import { type Call, header } from '../../calls/http.js';
import type { StripeAccount } from '../account.js';
import { noSuch, StripeError } from '../errors.js';
import type { Form } from './form.js';

/** Calls that a donor's browser may make with the publishable key and a client secret. */
const FOR_BROWSERS = new Set([
  'payment_intents.retrieve',
  'payment_intents.confirm',
  'setup_intents.retrieve',
  'setup_intents.confirm',
]);

/** Fields that are omitted in an answer to a browser, because they are private to the account. */
const PRIVATE = ['application', 'latest_charge', 'metadata', 'customer', 'transfer_data', 'review', 'source'];

/**
 * Returns the key of a call: from the `Authorization` header (Basic or Bearer), or from the parameter `key` that
 * Stripe.js uses.
 */
export function keyOf(call: Call, form: Form): string {
  const [scheme, credentials = ''] = (header(call.headers, 'authorization') ?? '').split(' ');
  if (scheme === '') return typeof form.key === 'string' ? form.key : '';
  const basic = scheme?.toLowerCase() === 'basic';
  return basic ? (Buffer.from(credentials, 'base64').toString().split(':')[0] ?? '') : credentials;
}

/**
 * Checks a call with the publishable key. This key gives access to an intent only together with the client secret of
 * the intent.
 */
export function allowBrowser(account: StripeAccount, operation: string, call: Call, form: Form): void {
  if (!FOR_BROWSERS.has(operation)) {
    const message =
      'This API call cannot be made with a publishable API key. Please use a secret API key. You can find a list ' +
      'of your API keys at https://dashboard.stripe.com/account/apikeys.';
    throw new StripeError(
      401,
      { type: 'invalid_request_error', code: 'secret_key_required', message },
      false,
    );
  }
  const id = call.params.id ?? '';
  const isSetup = operation.startsWith('setup_intents.');
  const found = isSetup ? account.setups.get(id) : account.intents.get(id);
  if (found?.client_secret !== form.client_secret)
    throw noSuch(isSetup ? 'setup_intent' : 'payment_intent', id, 'intent');
}

export function withoutPrivate(answer: object): object {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !PRIVATE.includes(name)));
}

/** Allows calls from pages of any origin. */
export const CORS: Record<string, string> = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, content-type, stripe-version, idempotency-key',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-max-age': '300',
};
