import type { NamesById } from '../audit/names.service.js';
import { NotFoundError } from '../common/errors/domain-errors.js';
import type { Prisma } from '../data/generated/client.js';
import type { FloorMessageDto, FloorRequestDto, OwnFloorRequest, RequestKind } from './dto/floor.dto.js';

/** The kind of a message of the dashboard. All other kinds are requests of tills. */
export const MESSAGE = 'message';

const PARTY = { select: { id: true, name: true } } as const;
const READING = { staff: PARTY, terminal: PARTY } as const;

/** The related rows that the dashboard shows. */
export const WITH_PARTIES = {
  staff: PARTY,
  terminal: PARTY,
  readings: { include: READING, orderBy: [{ readAt: 'asc' }, { staffId: 'asc' }] },
} as const satisfies Prisma.FloorMessageInclude;

export type FloorRow = Prisma.FloorMessageGetPayload<{ include: typeof WITH_PARTIES }>;

/** Accounts whose names an answer shows. */
export const accountsOf = (rows: readonly FloorRow[]): (string | null)[] =>
  rows.flatMap(({ sentById, seenById, closedById }) => [sentById, seenById, closedById]);

const nameOf = (names: NamesById, id: string | null): string | null => names[id ?? ''] ?? null;
const timeOf = (time: Date | null): string | null => time?.toISOString() ?? null;

export const toMessage = (row: FloorRow, names: NamesById): FloorMessageDto => ({
  id: row.id,
  text: row.text ?? '',
  terminal: row.terminal,
  staff: row.staff,
  createdAt: row.createdAt.toISOString(),
  sentBy: nameOf(names, row.sentById),
  withdrawnAt: timeOf(row.closedAt),
  readings: row.readings.map(({ staff, terminal, readAt }) => ({
    staff,
    terminal,
    readAt: readAt.toISOString(),
  })),
});

export function toRequest(row: FloorRow, names: NamesById): FloorRequestDto {
  if (!row.staff) throw new Error(`The request ${row.id} has no member`);
  return {
    ...fieldsOf(row),
    staff: row.staff,
    terminal: row.terminal,
    seenBy: nameOf(names, row.seenById),
    closedBy: nameOf(names, row.closedById),
  };
}

type RequestRow = Pick<FloorRow, 'id' | 'kind' | 'place' | 'createdAt' | 'seenAt' | 'closedAt'>;

const fieldsOf = (row: RequestRow) => ({
  id: row.id,
  kind: row.kind as RequestKind,
  place: row.place,
  createdAt: row.createdAt.toISOString(),
  seenAt: timeOf(row.seenAt),
  closedAt: timeOf(row.closedAt),
});

export const toOwnRequest = (row: RequestRow): OwnFloorRequest => fieldsOf(row);

export const noSuchMessage = () =>
  new NotFoundError('FLOOR_MESSAGE_NOT_FOUND', 'There is no such message to the tills');
export const noSuchRequest = () =>
  new NotFoundError('FLOOR_REQUEST_NOT_FOUND', 'There is no such request of a till');
