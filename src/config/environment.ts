import { CORE_RULES, isElsewhere } from './core-rules.js';
import { coreVariables, type Environment } from './core-variables.js';
import { judge, type Judgement } from './rules.js';
import { blankIsAbsent, groupProblem, parseEach } from './variables.js';

/** The server cannot start with this environment. The message lists all problems, but no values. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is invalid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** Groups of variables that must be set together. */
const GROUPS = [
  ['SMTP_URL', 'MAIL_FROM'],
  ['IDP_ISSUER', 'IDP_CLIENT_ID', 'IDP_CLIENT_SECRET', 'IDP_CALLBACK_URL'],
  ['CHALLENGE_VERIFY_URL', 'CHALLENGE_SECRET', 'CHALLENGE_SITE_KEY'],
];

/**
 * Parses the environment and reports all problems at once: problems of single variables, contradictions between variables, and
 * problems of the optional sections.
 * @param others the configured optional sections, with the problems of their variables
 * @throws ConfigError
 */
export function parseEnvironment(
  source: NodeJS.ProcessEnv,
  others: { readonly configured: readonly string[] } & Judgement,
): { env: Environment; warnings: readonly string[] } {
  const { values, wrong, problems } = parseEach(coreVariables.shape, source);
  const env = values as Partial<Environment>;
  const production = env.NODE_ENV === 'production';
  const judged = judge(CORE_RULES, { ...env, configured: others.configured }, production, wrong);
  const partial = GROUPS.flatMap((names) => groupProblem(names, given(names, source)) ?? []);
  const all = [...problems, ...modeProblem(source, env), ...partial, ...judged.problems, ...others.problems];
  if (all.length > 0) throw new ConfigError([...new Set(all)]);
  return { env: env as Environment, warnings: [...judged.warnings, ...others.warnings] };
}

/**
 * Returns a problem if NODE_ENV is missing but the database is on another machine, because this is probably a mistake. Without
 * NODE_ENV, the service runs in development mode, with generated secrets and without the rules of production.
 */
function modeProblem(source: NodeJS.ProcessEnv, { DATABASE_URL: database }: Partial<Environment>): string[] {
  if (blankIsAbsent(source.NODE_ENV) !== undefined || !isElsewhere(database)) return [];
  return [
    'NODE_ENV is required while DATABASE_URL names another machine: set production, or development if intended',
  ];
}

/** Returns the variables that are set. A variable with a wrong value is included, because it is not missing. */
const given = (names: readonly string[], source: NodeJS.ProcessEnv): object =>
  Object.fromEntries(names.filter((name) => source[name]?.trim()).map((name) => [name, source[name]]));
