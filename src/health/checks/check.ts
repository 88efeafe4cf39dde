import type { LookupFunction } from 'node:net';
import type { AppConfig } from '../../config/app-config.js';
import type { ProviderDefinition } from '../../payments/providers/provider-definition.js';

/** States of a check, the best first. */
export const CHECK_STATES = ['ok', 'off', 'unknown', 'doubtful', 'wrong'] as const;

/** `off`: this part is not set up. `unknown`: the check got no answer; it is never shown as fine. */
export type CheckState = (typeof CHECK_STATES)[number];

export interface Finding {
  readonly state: 'unknown' | 'doubtful' | 'wrong';
  /** The variable or setting to change. */
  readonly change: string;
  /** End of the sentence that begins with `change`. It contains no secret. */
  readonly says: string;
  /** The text to write or the command to run, if the format of the variable is not enough. */
  readonly write?: string;
}

/** The installation to check, and how to reach it. */
export interface Installation {
  readonly config: AppConfig;
  /** Providers whose sections `config` contains. */
  readonly providers: readonly ProviderDefinition[];
  readonly now: () => number;
  /** Resolves names of hosts. Default: that of the machine. */
  readonly lookup?: LookupFunction;
  /** An additional certificate authority (PEM). */
  readonly ca?: string;
  /** Returns the hosts that accept e-mails for a domain. */
  readonly mailHosts: (domain: string) => Promise<readonly unknown[]>;
}

/** A check with its own connections. */
export interface Check {
  readonly name: CheckName;
  /** The check is unknown if one of these variables cannot be read. */
  readonly needs: readonly string[];
  /** @throws Error if there is no answer, with the reason for the operator */
  readonly run: (installation: Installation) => Promise<readonly Finding[] | 'off'>;
}

export const CHECK_NAMES = [
  'configuration',
  'database',
  'schema',
  'rights',
  'durability',
  'text order',
  'connections',
  'PIN_SECRET',
  'accounts',
  'backups',
  'redis',
  'e-mail',
  'identity provider',
  'payments',
  'webhooks',
  'public address',
  'certificate',
  'live channel',
  'client addresses',
  'forged addresses',
  'ports',
  'files',
  'disk',
  'clock',
  'database clock',
] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

export const wrong = (change: string, says: string, write?: string): Finding => ({
  state: 'wrong',
  change,
  says,
  ...(write !== undefined && { write }),
});

export const doubtful = (change: string, says: string, write?: string): Finding => ({
  ...wrong(change, says, write),
  state: 'doubtful',
});

export const unknown = (change: string, says: string, write?: string): Finding => ({
  ...wrong(change, says, write),
  state: 'unknown',
});

export interface CheckResult {
  readonly check: CheckName;
  readonly state: CheckState;
  readonly findings: readonly Finding[];
}

export function resultOf(check: CheckName, findings: readonly Finding[] | 'off'): CheckResult {
  if (findings === 'off') return { check, state: 'off', findings: [] };
  const worst = Math.max(0, ...findings.map(({ state }) => CHECK_STATES.indexOf(state)));
  return { check, state: CHECK_STATES[worst] ?? 'unknown', findings };
}

/** Runs a check. Without an answer, the result is `unknown`. */
export async function ran(
  name: CheckName,
  change: string,
  run: () => Promise<readonly Finding[] | 'off'>,
): Promise<CheckResult> {
  try {
    return resultOf(name, await run());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return resultOf(name, [unknown(change, `could not be checked: ${reason}`)]);
  }
}

/** The result of a check that needs variables that cannot be read. */
export const unreadable = (name: CheckName, variables: readonly string[]): CheckResult =>
  resultOf(name, [unknown(variables.join(', '), 'must be corrected before this can be checked')]);

/** Command that corrects a wrong clock. */
export const SYNCHRONIZE = 'timedatectl set-ntp true';

/** Returns the variable of a provider whose name matches. */
export const variableOf = (
  providers: readonly ProviderDefinition[],
  provider: string,
  pattern: RegExp,
): string =>
  providers.find(({ name }) => name === provider)?.environment.variables.find((name) => pattern.test(name)) ??
  provider;

/** Splits a line of the configuration, which begins with the name of its variable. */
export function partsOf(line: string): [change: string, says: string] {
  const [change = line, says = ''] = line.split(/[,\s]+(.*)/s, 2);
  return [change, says];
}
