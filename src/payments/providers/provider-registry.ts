import { paypal } from './paypal/paypal.definition.js';
import type { ProviderDefinition } from './provider-definition.js';
import { stripe } from './stripe/stripe.definition.js';

/** Every payment provider, a line each. Of several of one method, the first that is configured is the default. */
export const PROVIDERS: readonly ProviderDefinition[] = [stripe, paypal];
