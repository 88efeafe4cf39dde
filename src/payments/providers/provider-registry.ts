import { paypal } from './paypal/paypal.definition.js';
import type { ProviderDefinition } from './provider-definition.js';
import { stripe } from './stripe/stripe.definition.js';

/** All payment providers. The first configured provider of a method is its default. */
export const PROVIDERS: readonly ProviderDefinition[] = [stripe, paypal];
