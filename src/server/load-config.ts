import { type AppConfig, readConfig } from '../config/app-config.js';
import type { ProviderDefinition } from '../payments/providers/provider-definition.js';
import { PROVIDERS } from '../payments/providers/provider-registry.js';

/**
 * The whole configuration, with the sections of the payment providers that the application is built with.
 * @throws ConfigError naming every variable that is wrong, never its value.
 */
export function loadConfig(
  source?: NodeJS.ProcessEnv,
  overrides: Partial<AppConfig> = {},
  providers: readonly ProviderDefinition[] = PROVIDERS,
): AppConfig {
  return readConfig(
    source,
    providers.map(({ environment }) => environment),
    overrides,
  );
}
