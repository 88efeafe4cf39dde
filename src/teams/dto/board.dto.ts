import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { toJsonAmount } from '../../common/money/money.js';
import { OneOf, WhenSent } from '../../common/validation/field.decorators.js';
import type { TeamKind } from '../../data/generated/client.js';
import { BOARD_ORDERS, type BoardOrder, type RankedTeam } from '../board.js';
import { TEAM_KINDS } from './team.dto.js';

const FEW = 'null while too few donors have given';

/** Query of `GET /events/:slug/board`. */
export class BoardQuery {
  @ApiPropertyOptional({
    enum: BOARD_ORDERS,
    enumName: 'BoardOrder',
    example: 'share',
    description:
      'Order: by the donated amount, by the share of the seats that gave, or by the number of donations; default: setting `boards.order`',
  })
  @WhenSent()
  @OneOf(BOARD_ORDERS)
  by?: BoardOrder;
}

export class BoardRow {
  @ApiProperty({ example: 'table-12' }) slug: string;
  @ApiProperty({ example: 'Table 12' }) name: string;
  @ApiProperty({ enum: TEAM_KINDS, enumName: 'TeamKind', example: 'table' }) kind: TeamKind;
  @ApiProperty({ type: 'integer', nullable: true, example: 12 }) number: number | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 1,
    description: `Teams with the same figure share a rank; ${FEW}`,
  })
  rank: number | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 120_000,
    description: `Minor units, rounded down; ${FEW}`,
  })
  raised: number | null;
  @ApiProperty({ type: 'integer', nullable: true, example: 8, description: `Number of donations; ${FEW}` })
  gifts: number | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 70,
    description: `Donors as a share of the seats, in whole per cent; null without seats, and ${FEW}`,
  })
  share: number | null;
  @ApiProperty({ type: 'integer', nullable: true, example: 100_000, description: 'Goal in minor units' })
  goalAmount: number | null;
  @ApiProperty({ example: true, description: 'True if somebody has given for the team' })
  hasBegun: boolean;
}

export class BoardDto {
  @ApiProperty({ example: 'eur' }) currency: string;
  @ApiProperty({ enum: BOARD_ORDERS, enumName: 'BoardOrder', example: 'share' }) by: BoardOrder;
  @ApiProperty({ type: 'integer', example: 3, description: 'Fewest donors of a team with figures' })
  minGifts: number;
  @ApiProperty({
    type: [BoardRow],
    description:
      'Listed teams, the first rank first. Donations without a public name or amount are added some minutes later, together with others of the team',
  })
  data: BoardRow[];
}

export const toBoardRow = ({ team, rank, raised, gifts, share, hasBegun }: RankedTeam): BoardRow => ({
  slug: team.slug,
  name: team.name,
  kind: team.kind,
  number: team.number,
  rank,
  raised: raised === null ? null : toJsonAmount(raised),
  gifts,
  share,
  goalAmount: team.goal_amount === null ? null : toJsonAmount(team.goal_amount),
  hasBegun,
});
