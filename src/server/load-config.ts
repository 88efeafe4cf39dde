import { type AppConfig, readConfig } from '../config/app-config.js';
import type { ProviderDefinition } from '../payments/providers/provider-definition.js';
import { PROVIDERS } from '../payments/providers/provider-registry.js';

/**
 * Loads the configuration with the sections of all payment providers of the application.
 * @throws ConfigError with the name of every wrong variable, but never its value
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
