import { resolveMx } from 'node:dns/promises';
import { Logger } from '@nestjs/common';
import { ADVICE, type AdvisedValues, READ_ELSEWHERE } from '../config/advice.js';
import type { AppConfig } from '../config/app-config.js';
import { coreVariables } from '../config/core-variables.js';
import { ConfigError } from '../config/environment.js';
import { judge } from '../config/rules.js';
import { blankIsAbsent, parseEach } from '../config/variables.js';
import { checkInstallation } from '../health/checks/check-installation.js';
import {
  type CheckResult,
  doubtful,
  type Finding,
  type Installation,
  partsOf,
  resultOf,
  wrong,
} from '../health/checks/check.js';
import { secretsOf, withoutSecrets } from '../health/checks/secrets.js';
import { whatToWrite } from '../health/checks/what-to-write.js';
import { PROVIDERS } from '../payments/providers/provider-registry.js';
import { loadConfig } from '../server/load-config.js';
import { type EnvironmentFile, readEnvironmentFile } from './environment-file.js';

type Surroundings = Partial<Omit<Installation, 'config'>> & { readonly file?: EnvironmentFile };

/**
 * Checks an installation from its environment.
 * @returns one result for each check; no text contains a secret
 */
export async function diagnose(
  source: NodeJS.ProcessEnv,
  surroundings: Surroundings = {},
): Promise<CheckResult[]> {
  const { file, providers = PROVIDERS, now = Date.now, mailHosts = resolveMx, ...reach } = surroundings;
  const read = readAnyway(source, providers);
  const installation: Installation = { config: read.config, providers, now, mailHosts, ...reach };
  const results = await checkInstallation(installation, read.unread);
  const configuration = [
    ...(file?.findings ?? []),
    ...read.findings,
    ...advice(source, read.findings),
    ...reused(source),
  ];
  // The texts about the configuration never contain values.
  return [resultOf('configuration', configuration), ...withoutSecrets(results, secretsOf(source))];
}

interface ReadAnyway {
  readonly config: AppConfig;
  readonly findings: readonly Finding[];
  /** Variables that `config` does not contain, because they are wrong. */
  readonly unread: ReadonlySet<string>;
}

const VARIABLE = /\b(?:[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]|PORT|HOST)\b/g;
/** Values that let the configuration be read without a required variable. Nothing uses them. */
const UNREAD = {
  DATABASE_URL: 'postgresql://unread/unread',
  JWT_SECRET: 'unread',
  PIN_SECRET: 'unread',
};

/** Reads the configuration as the server does. If it is refused, reads it again without the wrong variables. */
function readAnyway(source: NodeJS.ProcessEnv, providers: Installation['providers']): ReadAnyway {
  const refused = new Set<string>();
  const unread = new Set<string>();
  const production = source.NODE_ENV === 'production';
  let rest = source;
  for (;;) {
    try {
      const config = loadConfig(rest, rest === source ? {} : { production }, providers);
      const warned = rest === source ? config.warnings.map((line) => doubtful(...partsOf(line))) : [];
      return {
        config,
        findings: [...[...refused].map((line) => wrong(...partsOf(line))), ...warned],
        unread,
      };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (rest === source) for (const line of error.problems) refused.add(line);
      const names = error.problems.flatMap((line) => line.match(VARIABLE) ?? []);
      if (rest !== source && names.every((name) => unread.has(name))) throw error;
      for (const name of names) unread.add(name);
      const kept = Object.entries(source).filter(([name]) => !unread.has(name));
      rest = { ...UNREAD, ...Object.fromEntries(kept), NODE_ENV: 'test' };
    }
  }
}

/** Returns the advice about values that the server accepts. */
function advice(source: NodeJS.ProcessEnv, findings: readonly Finding[]): Finding[] {
  const { values, wrong: unread } = parseEach(coreVariables.shape, source);
  const elsewhere = READ_ELSEWHERE.map((name) => [name, blankIsAbsent(source[name])]);
  const known = new Set(findings.map(({ change }) => change));
  const judged = judge<AdvisedValues>(
    ADVICE.filter(({ variable }) => !known.has(variable)),
    { ...values, ...Object.fromEntries(elsewhere) } as Partial<AdvisedValues>,
    source.NODE_ENV === 'production',
    unread,
  );
  return [
    ...judged.problems.map((line) => wrong(...partsOf(line))),
    ...judged.warnings.map((line) => doubtful(...partsOf(line))),
  ];
}

/** Pairs of variables whose values are equal because one program gets the password of another one. */
const SHARED = [
  ['DATABASE_URL', 'POSTGRES_PASSWORD'],
  ['REDIS_URL', 'REDIS_PASSWORD'],
];

function reused(source: NodeJS.ProcessEnv): Finding[] {
  const secrets = secretsOf(source);
  return secrets.flatMap(([name, secret], index) => {
    const earlier = secrets.slice(0, index).find(([other, one]) => one === secret && other !== name);
    if (!earlier || SHARED.some((pair) => pair.includes(name) && pair.includes(earlier[0]))) return [];
    // The server refuses this pair itself.
    if (/^(JWT|PIN)_SECRET$/.test(name) && /^(JWT|PIN)_SECRET$/.test(earlier[0])) return [];
    return [wrong(name, `has the same secret as ${earlier[0]}`, 'another value')];
  });
}

export interface DoctorReport {
  /** True if every check was made and found nothing wrong. */
  readonly isFine: boolean;
  readonly lines: readonly string[];
}

const MARKS = { ok: '✓', off: '–', unknown: '?', doubtful: '!', wrong: '✗' } as const;

/** Runs the command. Without a file, it checks the variables of its own environment. */
export async function doctor(environment: NodeJS.ProcessEnv, fileName?: string): Promise<DoctorReport> {
  // The findings replace the log.
  Logger.overrideLogger(false);
  const file = fileName === undefined ? undefined : readEnvironmentFile(fileName);
  const results = await diagnose(file ? { ...environment, ...file.values } : environment, file && { file });
  return {
    isFine: results.every(({ state }) => state !== 'wrong' && state !== 'unknown'),
    lines: results.flatMap((result) => linesOfResult(result, file)),
  };
}

function linesOfResult({ check, state, findings }: CheckResult, file: EnvironmentFile | undefined): string[] {
  const [only] = findings;
  // A check that waits for the correction of another finding takes one line.
  if (state === 'unknown' && findings.length === 1 && only && only.write === undefined)
    return [`${MARKS[state]} ${check}: ${only.change} ${only.says}`];
  return [
    `${MARKS[state]} ${check}${state === 'off' ? ' (not set up)' : ''}`,
    ...findings.flatMap((finding) => linesOf(finding, file)),
  ];
}

function linesOf({ state, change, says, write }: Finding, file: EnvironmentFile | undefined): string[] {
  const line = file?.lines.get(change);
  const at = line === undefined ? '' : ` (${file?.name ?? ''}, line ${line})`;
  const format = write ?? whatToWrite(change, PROVIDERS);
  return [
    `    ${MARKS[state]} ${change}${at}: ${says}`,
    ...(format === undefined ? [] : [`      → ${format}`]),
  ];
}
