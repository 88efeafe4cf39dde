import { ApiPropertyOptional } from '@nestjs/swagger';
import {
  BlankIsAbsent,
  Check,
  Id,
  OneOf,
  QueryInteger,
  WhenSent,
} from '../../common/validation/field.decorators.js';
import { textProblem } from '../../common/text/text.js';
import {
  MOST_CARDS,
  PRINT_LANGUAGES,
  type PrintLanguage,
  TEAM_LAYOUTS,
  type TeamLayout,
} from '../print-limits.js';

export const PAPERS = ['a4', 'a3'] as const;
export type PaperName = (typeof PAPERS)[number];

const NAME_LENGTH = 40;

class PrintQuery {
  @ApiPropertyOptional({
    default: 'en',
    description: 'Language of the words; the default language of the event if absent',
  })
  @BlankIsAbsent()
  @OneOf(PRINT_LANGUAGES)
  language?: PrintLanguage;
}

/** Query of `GET /events/:id/poster`. */
export class PosterQuery extends PrintQuery {
  @ApiPropertyOptional({ default: 'a4' })
  @BlankIsAbsent()
  @OneOf(PAPERS)
  paper?: PaperName;
}

export const GUEST_ORDERS = ['table', 'name'] as const;
export type GuestOrder = (typeof GUEST_ORDERS)[number];

/** Query of `GET /events/:id/guests/print`. */
export class GuestListQuery extends PrintQuery {
  @ApiPropertyOptional({ default: 'table' })
  @BlankIsAbsent()
  @OneOf(GUEST_ORDERS)
  order?: GuestOrder;
}

/** Returns the problem of a list of table names as the end of a sentence. */
function namesProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  const names = tableNames(value);
  if (names.length === 0 || names.length > MOST_CARDS) return `must have 1 to ${MOST_CARDS} names`;
  for (const name of names) {
    const problem = textProblem(name, { max: NAME_LENGTH });
    if (problem !== undefined) return `must have only names of tables; each name ${problem}`;
  }
  return undefined;
}

/** Reads the names of tables, separated by commas. */
export const tableNames = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Query of `GET /events/:id/table-cards`. */
export class TableCardsQuery extends PrintQuery {
  @ApiPropertyOptional({ example: 1, description: 'Number of the first table' })
  @WhenSent()
  @QueryInteger(1, 9_999)
  from?: number;

  @ApiPropertyOptional({ example: 20, description: `Number of the last table; at most ${MOST_CARDS} tables` })
  @WhenSent()
  @QueryInteger(1, 9_999)
  to?: number;

  @ApiPropertyOptional({
    example: 'Gold, Silver, Garden',
    description: 'Names of tables instead of numbers, with commas',
  })
  @BlankIsAbsent()
  @Check(namesProblem, { type: 'string', maxLength: 8_000 })
  names?: string;
}

/** Query of `GET /events/:id/teams/print`. */
export class TeamCodesQuery extends PrintQuery {
  @ApiPropertyOptional({
    default: 'tent',
    description:
      'Codes on each A4 page: `sheet`, one large code; `tent`, two tent cards to fold, with a code on each side; `cards`, eight small cards',
  })
  @BlankIsAbsent()
  @OneOf(TEAM_LAYOUTS)
  layout?: TeamLayout;

  @ApiPropertyOptional({ description: 'Id of the only team to print; all listed teams if absent' })
  @BlankIsAbsent()
  @Id()
  teamId?: string;
}
