import type { CheckResult } from '../../health/checks/check.js';
import type { PlayedRows } from '../play/play.sql.js';
import type { PlayDto } from '../play/dto/play.dto.js';
import type { FactsRow } from './report.sql.js';

export const CHECKS = [
  'phone',
  'mail',
  'provider',
  'webhook',
  'terminals',
  'queues',
  'pins',
  'wall',
  'networks',
  'backup',
  'evening',
  'server',
] as const;
export type CheckName = (typeof CHECKS)[number];
export const CHECK_STATES = ['passed', 'failed', 'unknown'] as const;
export type CheckState = (typeof CHECK_STATES)[number];

export interface Facts extends Omit<FactsRow, 'addresses'> {
  /** Addresses of sign-ins, and those of them that are not in `TRUSTED_NETWORKS`. */
  readonly addresses: readonly string[];
  readonly untrusted: readonly string[];
  readonly hasMail: boolean;
  readonly providers: readonly { readonly name: string; readonly isTest?: boolean | undefined }[];
  readonly isWallOpen: boolean;
  readonly play: PlayDto | undefined;
  readonly rows: PlayedRows | undefined;
  /** The checks of `npm run doctor`. */
  readonly installation: readonly Pick<CheckResult, 'check' | 'state'>[];
}

interface Finding {
  readonly name: CheckName;
  readonly state: CheckState;
  /** Names of the missing things, such as terminals. */
  readonly missing: readonly string[];
}

/** Judges the facts of a rehearsal. A check without facts is unknown, never passed. */
export function judgeFacts(facts: Facts): Finding[] {
  const { play, rows, installation } = facts;
  const paid = play === undefined ? 0 : play.figures.online - play.figures.declined;
  const isMailAccepted = facts.mail_sent || (play?.figures.isMailAccepted ?? null);
  const states: Record<CheckName, CheckState | readonly string[]> = {
    phone: facts.visited_at === null ? 'unknown' : 'passed',
    mail: isMailAccepted ? 'passed' : isMailAccepted === false || !facts.hasMail ? 'failed' : 'unknown',
    // With live keys nothing can be paid in a rehearsal, so nothing is known about them.
    provider:
      facts.providers.length === 0
        ? 'failed'
        : facts.providers.some(({ isTest }) => isTest)
          ? 'passed'
          : 'unknown',
    webhook: facts.webhook_heard ? 'passed' : paid > 0 && hasEnded(play) ? 'failed' : 'unknown',
    terminals: facts.terminals === 0 ? 'unknown' : facts.silent_terminals,
    queues: facts.terminals === 0 ? 'unknown' : facts.untried_queues,
    pins: facts.members === 0 ? 'unknown' : facts.unused_pins,
    wall: facts.isWallOpen ? 'passed' : 'unknown',
    networks: facts.addresses.length === 0 ? 'unknown' : facts.untrusted,
    backup: stateOfServer(installation.filter(({ check }) => check === 'backups')),
    evening: !play || !rows || !hasEnded(play) ? 'unknown' : differencesOf(play, rows),
    server: stateOfServer(installation.filter(({ check }) => check !== 'backups')),
  };
  return CHECKS.map((name) => {
    const state = states[name];
    if (typeof state === 'string') return { name, state, missing: [] };
    return { name, state: state.length === 0 ? 'passed' : 'failed', missing: state };
  });
}

/** Names the wrong parts of the server. A doubtful part passes: the technician decided about it. */
function stateOfServer(parts: Facts['installation']): CheckState | readonly string[] {
  const wrong = parts.filter(({ state }) => state === 'wrong').map(({ check }) => check);
  return wrong.length === 0 && parts.some(({ state }) => state === 'unknown') ? 'unknown' : wrong;
}

const hasEnded = (play: PlayDto | undefined): boolean => typeof play?.endedAt === 'string';

/** Compares the answers that the guests got with the stored donations. */
function differencesOf({ figures, profile, done, reason }: PlayDto, rows: PlayedRows): string[] {
  const differences = (['cash', 'pledges', 'online', 'refunded'] as const)
    .filter((name) => figures[name] !== rows[name])
    .map((name) => `${name}: ${figures[name]} ≠ ${rows[name]}`);
  if (figures.leftOut > 0) differences.push(`online: −${figures.leftOut}`);
  if (figures.errors > 0) differences.push(`${figures.lastError ?? ''} × ${figures.errors}`);
  if (done < profile.guests) differences.push(`${reason ?? ''}: ${done}/${profile.guests}`);
  return differences;
}
