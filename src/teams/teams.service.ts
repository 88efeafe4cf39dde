import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { EditConflicts } from '../audit/edit-conflicts.service.js';
import { actorOf, type Principal, reachesEvent } from '../common/access/principal.js';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import { isId, newId } from '../common/crypto/ids.js';
import { ConflictError, EditConflictError, InvalidInputError } from '../common/errors/domain-errors.js';
import { unexpectedValues } from '../common/validation/expected.js';
import { Database } from '../data/database.js';
import type { Prisma, Team } from '../data/generated/client.js';
import { afterCommit, isPrismaConflict, PrismaService } from '../data/prisma.service.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { eventNotFound } from '../events/event-record.js';
import { digestOf, imagePathOf } from '../images/dto/image-path.js';
import {
  type CreateTables,
  type CreateTablesOfGuests,
  type CreateTeam,
  type DeletedTeam,
  type ExactFigures,
  MOST_TEAMS,
  type TeamDto,
  type TeamList,
  toTeam,
  type UpdateTeam,
} from './dto/team.dto.js';
import { teamNotFound } from './team-choice.js';
import { EXACT, HAS_DONATIONS, TABLES_OF_GUESTS } from './teams.sql.js';

/** Time for which an earlier address of a team stays valid. */
const OLD_SLUG_DAYS = 90;
const NOTHING: ExactFigures = { raised: 0n, gifts: 0, givers: 0 };

/** Lists and changes the teams of an event: tables, teams and persons. */
@Injectable()
export class TeamsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly audit: Audit,
    private readonly conflicts: EditConflicts,
    private readonly changes: CommittedChanges,
  ) {}

  /**
   * Lists all teams of an event with their exact figures, by number and then by name.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async list(caller: Principal, ref: string): Promise<TeamList> {
    const eventId = await this.eventOf(caller, ref);
    const { team } = await this.prisma.client();
    const [teams, figures] = await Promise.all([
      team.findMany({
        where: { eventId },
        orderBy: [{ number: { sort: 'asc', nulls: 'last' } }, { name: 'asc' }, { id: 'asc' }],
      }),
      this.database.query<ExactFigures & { id: string }>(EXACT, [eventId]),
    ]);
    const byId = new Map(figures.map((row) => [row.id, row]));
    return { data: teams.map((row) => toTeam(row, byId.get(row.id) ?? NOTHING)) };
  }

  /**
   * @throws NotFoundError `EVENT_NOT_FOUND`
   * @throws InvalidInputError `IMAGE_UNKNOWN`
   * @throws ConflictError `TEAM_TAKEN`; `TOO_MANY_TEAMS`
   */
  async create(caller: Principal, ref: string, sent: CreateTeam): Promise<TeamDto> {
    const eventId = await this.eventOf(caller, ref);
    const team = await this.changing(eventId, async (tx) => {
      await this.assertRoom(tx, eventId, 1);
      const created = newTeam(eventId, sent);
      await refuseUnknownImage(tx, created.image);
      const row = await tx.team.create({ data: created });
      await this.audit.record(actorOf(caller), 'team.create', row.id, { eventId }, tx);
      return row;
    });
    return toTeam(team, NOTHING);
  }

  /**
   * Creates the tables 1 to `count`. Tables whose number exists already are left unchanged.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   * @throws ConflictError `TEAM_TAKEN`; `TOO_MANY_TEAMS`
   */
  async createTables(caller: Principal, ref: string, sent: CreateTables): Promise<TeamList> {
    const eventId = await this.eventOf(caller, ref);
    await this.changing(eventId, async (tx) => {
      const existing = await tx.team.findMany({
        where: { eventId, number: { not: null } },
        select: { number: true },
      });
      const taken = new Set(existing.map(({ number }) => number));
      const numbers = Array.from({ length: sent.count }, (_, index) => index + 1).filter(
        (number) => !taken.has(number),
      );
      const table = (number: number) => numbered(sent.name, number, sent.seats ?? null);
      await this.addAll(tx, caller, eventId, numbers.map(table));
    });
    return await this.list(caller, eventId);
  }

  /**
   * Creates the tables of the guest list that no team has, by number or by name. A table has as many seats as guests.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   * @throws ConflictError `TEAM_TAKEN`; `TOO_MANY_TEAMS`
   */
  async createTablesOfGuests(
    caller: Principal,
    ref: string,
    { name }: CreateTablesOfGuests,
  ): Promise<TeamList> {
    const eventId = await this.eventOf(caller, ref);
    const missing = await this.database.query<{ table: string; guests: number }>(TABLES_OF_GUESTS, [eventId]);
    await this.changing(eventId, async (tx) => {
      const tables = missing.map(({ table, guests }) =>
        /^[1-9]\d{0,3}$/.test(table)
          ? numbered(name, Number(table), guests)
          : { name: table, kind: 'table' as const, seats: guests },
      );
      await this.addAll(tx, caller, eventId, tables);
    });
    return await this.list(caller, eventId);
  }

  /**
   * Changes a team. A former address stays valid for 90 days, because printed codes have it.
   * @throws NotFoundError `TEAM_NOT_FOUND`
   * @throws InvalidInputError `IMAGE_UNKNOWN`
   * @throws ConflictError `TEAM_TAKEN`
   * @throws EditConflictError if a field does not have the expected value
   */
  async update(caller: Principal, id: string, sent: UpdateTeam): Promise<TeamDto> {
    const found = await this.teamOf(caller, id);
    const trail = { subjectId: found.id, actions: ['team.update'] };
    const after = await this.conflicts.explaining(caller, [trail], () =>
      this.changing(found.eventId, async (tx) => {
        const before = await lockTeam(tx, found.id);
        const { expected = {}, ...change } = sent;
        const unexpected = unexpectedValues(expected, change, {
          ...before,
          goalAmount: before.goalAmount === null ? null : Number(before.goalAmount),
          image: before.image === null ? null : imagePathOf(before.image),
        });
        if (unexpected.length > 0) throw new EditConflictError(unexpected);
        const { goalAmount, image, ...rest } = change;
        const picture = image === undefined ? before.image : digestOf(image);
        await refuseUnknownImage(tx, picture);
        const row = await tx.team.update({
          where: { id: before.id },
          data: {
            ...withoutAbsent(rest),
            image: picture,
            ...(goalAmount === undefined
              ? {}
              : { goalAmount: goalAmount === null ? null : BigInt(goalAmount) }),
          },
        });
        if (row.slug !== before.slug) await keepOldSlug(tx, before, row.slug);
        const fields = Object.keys(withoutAbsent(change));
        await this.audit.record(actorOf(caller), 'team.update', before.id, { fields }, tx);
        return row;
      }),
    );
    const [figures] = (
      await this.database.query<ExactFigures & { id: string }>(EXACT, [found.eventId])
    ).filter((row) => row.id === found.id);
    return toTeam(after, figures ?? NOTHING);
  }

  /**
   * Deletes a team without donations.
   * @throws NotFoundError `TEAM_NOT_FOUND`
   * @throws ConflictError `TEAM_HAS_DONATIONS`
   */
  async remove(caller: Principal, id: string): Promise<DeletedTeam> {
    const found = await this.teamOf(caller, id);
    await this.changing(found.eventId, async (tx) => {
      await lockTeam(tx, found.id);
      if ((await this.database.query(HAS_DONATIONS, [found.id])).length > 0)
        throw new ConflictError(
          'TEAM_HAS_DONATIONS',
          'The team has donations. It can be taken off the list instead',
        );
      await tx.team.delete({ where: { id: found.id } });
      await this.audit.record(actorOf(caller), 'team.delete', found.id, { eventId: found.eventId }, tx);
    });
    return { id: found.id, deleted: true };
  }

  private async eventOf(caller: Principal, ref: string): Promise<string> {
    const { id } = await this.events.get(ref);
    if (!reachesEvent(caller, id)) throw eventNotFound();
    return id;
  }

  private async teamOf(caller: Principal, id: string): Promise<Team> {
    const { team } = await this.prisma.client();
    const found = isId(id) ? await team.findUnique({ where: { id } }) : null;
    if (!found || !reachesEvent(caller, found.eventId)) throw teamNotFound();
    return found;
  }

  /** Runs a change of teams, and then lets the boards of all processes read them again. */
  private async changing<Result>(
    eventId: string,
    change: (tx: Prisma.TransactionClient) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await this.prisma.transaction(async (tx) => {
        const result = await change(tx);
        afterCommit(tx, () => {
          this.changes.announceTotals(eventId);
        });
        return result;
      });
    } catch (error) {
      if (isPrismaConflict(error))
        throw new ConflictError('TEAM_TAKEN', 'Another team of the event has this address or number');
      throw error;
    }
  }

  private async addAll(
    tx: Prisma.TransactionClient,
    caller: Principal,
    eventId: string,
    teams: readonly CreateTeam[],
  ): Promise<void> {
    await this.assertRoom(tx, eventId, teams.length);
    const existing = await tx.team.findMany({ where: { eventId }, select: { slug: true } });
    const taken = new Set(existing.map(({ slug }) => slug));
    const rows = teams.map((team) => {
      const row = newTeam(eventId, team);
      const slug = taken.has(row.slug) ? slugOfId(team.kind, row.id) : row.slug;
      taken.add(slug);
      return { ...row, slug };
    });
    await tx.team.createMany({ data: rows });
    for (const { id } of rows) await this.audit.record(actorOf(caller), 'team.create', id, { eventId }, tx);
  }

  private async assertRoom(tx: Prisma.TransactionClient, eventId: string, more: number): Promise<void> {
    if ((await tx.team.count({ where: { eventId } })) + more > MOST_TEAMS)
      throw new ConflictError('TOO_MANY_TEAMS', `An event has at most ${MOST_TEAMS} teams`);
  }
}

function newTeam(eventId: string, sent: CreateTeam) {
  const id = newId();
  return {
    id,
    eventId,
    name: sent.name,
    kind: sent.kind,
    slug: sent.slug ?? slugOf(sent, id),
    number: sent.number ?? null,
    seats: sent.seats ?? null,
    goalAmount: typeof sent.goalAmount === 'number' ? BigInt(sent.goalAmount) : null,
    isListed: sent.isListed ?? true,
    text: sent.text ?? null,
    image: digestOf(sent.image ?? null),
  };
}

const numbered = (name: string, number: number, seats: number | null): CreateTeam => ({
  name: `${name} ${number}`,
  kind: 'table',
  number,
  seats,
});

const slugOfId = (kind: string, id: string): string => `${kind}-${id.slice(-8)}`;

/** An address made of the name, or of the id if the name has no Latin letters or digits. */
function slugOf({ name, kind, number }: CreateTeam, id: string): string {
  if (kind === 'table' && typeof number === 'number') return `table-${number}`;
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  return words.join('-').slice(0, 40).replace(/-$/, '') || slugOfId(kind, id);
}

const withoutAbsent = <Fields extends object>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;

async function refuseUnknownImage(tx: Prisma.TransactionClient, digest: string | null): Promise<void> {
  if (digest !== null && (await tx.image.count({ where: { digest } })) === 0)
    throw new InvalidInputError('IMAGE_UNKNOWN', 'image is not a picture of this service');
}

async function lockTeam(tx: Prisma.TransactionClient, id: string): Promise<Team> {
  await tx.$queryRaw`SELECT 1 FROM team WHERE id = ${id}::uuid FOR UPDATE`;
  const team = await tx.team.findUnique({ where: { id } });
  if (!team) throw teamNotFound();
  return team;
}

/** Keeps the former address. An earlier address that is in use again is no longer an earlier one. */
async function keepOldSlug(
  tx: Prisma.TransactionClient,
  { id, eventId, slug }: Team,
  current: string,
): Promise<void> {
  const keptUntil = new Date(Date.now() + OLD_SLUG_DAYS * 86_400_000);
  await tx.teamOldSlug.deleteMany({ where: { eventId, slug: current } });
  await tx.teamOldSlug.upsert({
    where: { eventId_slug: { eventId, slug } },
    create: { eventId, slug, teamId: id, keptUntil },
    update: { teamId: id, keptUntil },
  });
}
