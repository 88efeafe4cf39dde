import { readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { doubtful, type Finding, wrong } from '../health/checks/check.js';

export interface EnvironmentFile {
  readonly name: string;
  readonly values: NodeJS.ProcessEnv;
  /** Line of each variable, from 1. */
  readonly lines: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
}

const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_]\w*)(\s*)=(\s*)/;
const READABLE_BY_ALL = 0o004;

/**
 * Reads a file of variables such as `.env`, with the mistakes that its form shows.
 * @throws Error if the file cannot be read
 */
export function readEnvironmentFile(name: string): EnvironmentFile {
  const text = readFileSync(name, 'utf8');
  const lines = new Map<string, number>();
  const findings: Finding[] = [];
  text.split(/\r?\n/).forEach((content, index) => {
    if (/^\s*(#|$)/.test(content)) return;
    const [, variable, before, after] = ASSIGNMENT.exec(content) ?? [];
    const line = index + 1;
    if (variable === undefined) {
      findings.push(wrong(`line ${line}`, 'is no assignment', 'NAME=value, or # before a comment'));
      return;
    }
    const first = lines.get(variable);
    if (first !== undefined)
      findings.push(
        wrong(variable, `is set twice, in lines ${first} and ${line}; only the last one counts`, 'one line'),
      );
    if (before !== '' || after !== '')
      findings.push(
        wrong(variable, 'has a space next to its =, which not every program accepts', `${variable}=value`),
      );
    lines.set(variable, line);
  });
  if ((statSync(name).mode & READABLE_BY_ALL) !== 0)
    findings.push(doubtful(name, 'can be read by every user of this machine', `chmod 600 ${name}`));
  const values = parseEnv(text) as NodeJS.ProcessEnv;
  return { name, values: { ...composed(values), ...values }, lines, findings };
}

/** The variables that docker-compose.yml gives to the service in addition to those of the file. */
function composed({ DATABASE_URL, POSTGRES_PASSWORD, REDIS_PASSWORD }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (DATABASE_URL?.trim() || !POSTGRES_PASSWORD) return {};
  return {
    NODE_ENV: 'production',
    DATABASE_URL: `postgresql://donations:${encodeURIComponent(POSTGRES_PASSWORD)}@postgres:5432/donations`,
    ...(REDIS_PASSWORD && { REDIS_URL: `redis://:${encodeURIComponent(REDIS_PASSWORD)}@redis:6379` }),
    TRUST_PROXY: '1',
  };
}
