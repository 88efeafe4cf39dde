import { ApiProperty, type ApiPropertyOptions, ApiPropertyOptional } from '@nestjs/swagger';
import { API_SCOPE_NAMES, type ApiScope } from '../../common/access/api-scope-names.js';
import { Check, Instant, Text, WhenSent } from '../../common/validation/field.decorators.js';
import type { Prisma } from '../../data/generated/client.js';
import { isId } from '../../common/crypto/ids.js';

export const MOST_KEYS = 100;
const MOST_EVENTS = 100;

const ID = { format: 'uuid', example: '01937a5e-9e2b-7c31-8f40-5a7f0d1be6c2' };
const NAME = { example: 'Bookkeeping' };
const SCOPES = {
  enum: API_SCOPE_NAMES,
  enumName: 'ApiScope',
  isArray: true,
  example: ['read'],
  description:
    '`read`: events, donations and statistics without persons; `read:personal`: events and donations with names, ' +
    'e-mail addresses, postal addresses and messages; `export`: donations as CSV; `record`: record offline donations; ' +
    '`guests`: read and change guest lists and check guests in; `webhooks`: manage webhook endpoints, only for all events',
};
const EVENTS: ApiPropertyOptions = {
  type: [String],
  format: 'uuid',
  example: [ID.example],
  description: 'Ids of the events that the key may see; empty for all events, also later ones',
};
const KEY_STATES = ['works', 'expired', 'revoked', 'stopped'] as const;
type KeyState = (typeof KEY_STATES)[number];

const Scopes = () =>
  Check(
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      new Set(value).size === value.length &&
      value.every((one) => API_SCOPE_NAMES.includes(one as ApiScope))
        ? undefined
        : `must be a list of different scopes: ${API_SCOPE_NAMES.join(', ')}`,
    { type: 'array', items: { type: 'string', enum: [...API_SCOPE_NAMES] }, minItems: 1, uniqueItems: true },
  );

const EventIds = () =>
  Check(
    (value) => {
      if (!Array.isArray(value)) return 'must be a list of ids';
      if (value.length > MOST_EVENTS) return `must have at most ${MOST_EVENTS} entries`;
      return value.every((one) => typeof one === 'string' && isId(one)) ? undefined : 'must contain ids';
    },
    { type: 'array', items: { type: 'string', format: 'uuid' }, maxItems: MOST_EVENTS },
  );

/** Body of `POST /api-keys`. */
export class CreateApiKey {
  @ApiProperty(NAME)
  @Text({ max: 80 })
  name: string;

  @ApiProperty(SCOPES)
  @Scopes()
  scopes: ApiScope[];

  @ApiPropertyOptional({ ...EVENTS, default: [] })
  @WhenSent()
  @EventIds()
  eventIds?: string[];

  @ApiPropertyOptional({
    format: 'date-time',
    example: '2027-11-21T00:00:00.000Z',
    description: 'At most five years from now; without it, one year',
  })
  @WhenSent()
  @Instant()
  expiresAt?: string;
}

/** An API key without its secret. */
export class ApiKeyDto {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(NAME)
  name: string;

  @ApiProperty({ example: 'fdk_4tBn2QxL', description: 'The start of the key' })
  prefix: string;

  @ApiProperty(SCOPES)
  scopes: ApiScope[];

  @ApiProperty(EVENTS)
  eventIds: string[];

  @ApiProperty({
    enum: KEY_STATES,
    enumName: 'ApiKeyState',
    example: 'works',
    description:
      '`stopped`: the account that made the key was disabled or removed, or all sessions were ended since',
  })
  state: KeyState;

  @ApiProperty({ format: 'date-time', example: '2027-11-21T18:00:00.000Z' })
  expiresAt: string;

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    example: '2026-11-21T19:30:00.000Z',
    description: 'Time of the last request, at most a minute old',
  })
  lastUsedAt: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T18:00:00.000Z' })
  createdAt: string;

  @ApiProperty({ ...ID, type: String, nullable: true, description: 'Account that made the key' })
  createdBy: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Ada Lovelace', description: 'Name of that account' })
  createdByName: string | null;
}

/** Answer of `POST /api-keys`. */
export class CreatedApiKey extends ApiKeyDto {
  @ApiProperty({
    example: 'fdk_4tBn2QxL_8hJ2kLm4Np6Qr8St0Uv2Wx4Yz6Ab8Cd0Ef01a2b3c',
    description: 'The key. The server shows it only once',
  })
  key: string;
}

/** Answer of `GET /api-keys`. */
export class ApiKeys {
  @ApiProperty({ type: [ApiKeyDto] })
  data: ApiKeyDto[];
}

/** Answer of `DELETE /api-keys/:id`. */
export class RevokedApiKey {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: true })
  revoked: true;
}

export const WITH_CREATOR = { creator: { select: { name: true, email: true } } } as const;

type ApiKeyRow = Prisma.ApiKeyGetPayload<{ include: typeof WITH_CREATOR }>;

/** @param works true if the server accepts the key now */
export const toApiKey = (row: ApiKeyRow, works: boolean): ApiKeyDto => ({
  id: row.id,
  name: row.name,
  prefix: `fdk_${row.prefix}`,
  scopes: API_SCOPE_NAMES.filter((scope) => row.scopes.includes(scope)),
  eventIds: row.eventIds,
  state: stateOf(row, works),
  expiresAt: row.expiresAt.toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  createdBy: row.createdBy,
  createdByName: row.creator && (row.creator.name ?? row.creator.email),
});

function stateOf({ revokedAt, expiresAt }: ApiKeyRow, works: boolean): KeyState {
  if (revokedAt) return 'revoked';
  if (expiresAt.getTime() <= Date.now()) return 'expired';
  return works ? 'works' : 'stopped';
}
