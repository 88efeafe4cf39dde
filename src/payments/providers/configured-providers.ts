import type { AppConfig } from '../../config/app-config.js';
import type { PaymentProvider } from './provider-port.js';
import { assertDistinct, type ProviderContext, type ProviderDefinition } from './provider-definition.js';

export const configuredOf = (definitions: readonly ProviderDefinition[], sections: AppConfig['sections']) =>
  definitions.filter(({ name }) => sections.has(name));

/** Injection token of the configured providers. A provider is configured if its keys are set. */
export const CONFIGURED_PROVIDERS = Symbol('configured payment providers');

/** Returns the providers whose keys are set, in the order of their definitions. */
export async function configuredProviders(
  definitions: readonly ProviderDefinition[],
  { sections, publicUrl, providerTimeoutMs: timeoutMs }: AppConfig,
): Promise<PaymentProvider[]> {
  assertDistinct(definitions);
  return await Promise.all(
    configuredOf(definitions, sections).map((definition) =>
      made(definition, sections.get(definition.name), { publicUrl, timeoutMs }),
    ),
  );
}

async function made(
  definition: ProviderDefinition,
  settings: unknown,
  context: ProviderContext,
): Promise<PaymentProvider> {
  const provider = await definition.create(settings, context);
  // Donations store the provider's name, and look-ups use the definition's name. So both names must be equal.
  if (provider.name !== definition.name || provider.type !== definition.type)
    throw new Error(
      `The payment provider ${provider.name} differs from its definition ${definition.name} in name or type`,
    );
  return provider;
}
