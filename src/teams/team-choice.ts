import { InvalidInputError, NotFoundError } from '../common/errors/domain-errors.js';
import type { SqlExecutor } from '../data/database.js';
import { BY_SLUG, IN_EVENT } from './teams.sql.js';

export const teamNotFound = () => new NotFoundError('TEAM_NOT_FOUND', 'The event has no such team');

/**
 * Checks that a team belongs to an event.
 * @throws NotFoundError `TEAM_NOT_FOUND`
 */
export async function assertTeamOf(db: SqlExecutor, eventId: string, teamId: string): Promise<void> {
  if ((await db.query(IN_EVENT, [eventId, teamId])).length === 0) throw teamNotFound();
}

export interface ChosenTeam {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** Null for a table or a team: only the page of a person has a text and a picture. */
  readonly text: string | null;
  /** Digest of the picture. */
  readonly image: string | null;
}

/** Returns the listed team with this address, also with an earlier address that is still valid. */
export async function teamWithSlug(
  db: SqlExecutor,
  eventId: string,
  slug: string,
): Promise<ChosenTeam | undefined> {
  return (await db.query<ChosenTeam>(BY_SLUG, [eventId, slug]))[0];
}

/**
 * Returns the id of the team that a donor chose on the donate page; null for none.
 * @throws InvalidInputError `UNKNOWN_TEAM`
 */
export async function teamChosen(
  db: SqlExecutor,
  eventId: string,
  slug: string | undefined,
): Promise<string | null> {
  if (slug === undefined) return null;
  const team = await teamWithSlug(db, eventId, slug);
  if (!team) throw new InvalidInputError('UNKNOWN_TEAM', 'The event has no team with this address');
  return team.id;
}
