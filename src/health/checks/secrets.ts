import type { CheckResult } from './check.js';

const SECRET_NAME = /SECRET|PASSWORD|_KEY$/;
const PUBLIC_NAME = /PUBLISHABLE|SITE_KEY/;
/** A shorter value would also remove parts of ordinary words. */
const SHORTEST = 6;

/** Returns the secrets in the values of variables, each with the name of its variable. */
export function secretsOf(source: NodeJS.ProcessEnv): (readonly [name: string, secret: string])[] {
  return Object.entries(source).flatMap(([name, value = '']) => {
    const secrets =
      SECRET_NAME.test(name) && !PUBLIC_NAME.test(name)
        ? value.split(',').map((one) => one.trim())
        : URL.canParse(value)
          ? [new URL(value).password, decodeURIComponent(new URL(value).password)]
          : [];
    return [...new Set(secrets)].filter((one) => one.length >= SHORTEST).map((one) => [name, one] as const);
  });
}

/** Removes secrets from texts that may contain messages of other programs. */
export function withoutSecrets(
  results: readonly CheckResult[],
  secrets: readonly (readonly [string, string])[],
): CheckResult[] {
  const clean = (text: string) => secrets.reduce((rest, [, secret]) => rest.replaceAll(secret, '…'), text);
  return results.map((result) => ({
    ...result,
    findings: result.findings.map((finding) => ({
      ...finding,
      says: clean(finding.says),
      ...(finding.write !== undefined && { write: clean(finding.write) }),
    })),
  }));
}
