import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Auth, Caller, Public } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiEditConflict, ApiErrors } from '../common/http/api-errors.decorator.js';
import {
  CreateMilestone,
  DeletedMilestone,
  ListMilestones,
  MarkMilestone,
  MilestoneDto,
  MilestoneList,
  PublicMilestoneList,
  UpdateMilestone,
  WithdrawMilestone,
} from './dto/milestone.dto.js';
import { ShowWallMoment, WallMomentDto } from './dto/wall-moment.dto.js';
import { Milestones } from './milestones.service.js';
import { ShownMilestones } from './shown-milestones.service.js';
import { WallMoments } from './wall-moments.service.js';

const EVENT = { description: 'Id or slug of the event', example: 'summer-gala' };
const MILESTONE = { name: 'id', format: 'uuid', example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' };

@ApiTags('Milestones')
@Controller()
export class MilestonesController {
  constructor(
    private readonly milestones: Milestones,
    private readonly shown: ShownMilestones,
    private readonly moments: WallMoments,
  ) {}

  @Get('events/:slug/milestones')
  @Public()
  @ApiParam({ name: 'slug', ...EVENT })
  @ApiOperation({ summary: 'List the milestones that guests see, lowest first' })
  @ApiOkResponse({ type: PublicMilestoneList })
  @ApiErrors(404, 429)
  listPublic(@Param('slug') ref: string): Promise<PublicMilestoneList> {
    return this.shown.list(ref);
  }

  @Get('milestones')
  @Auth('milestones:list')
  @ApiOperation({ summary: 'List all milestones of an event, lowest first' })
  @ApiOkResponse({ type: MilestoneList })
  @ApiErrors(400, 404, 429)
  list(@Caller() caller: Principal, @Query() { eventId }: ListMilestones): Promise<MilestoneList> {
    return this.milestones.list(caller, eventId);
  }

  @Post('events/:id/milestones')
  @Auth('milestones:manage')
  @ApiParam({ name: 'id', ...EVENT })
  @ApiOperation({
    summary: 'Add a milestone',
    description:
      'A milestone at or below the present sum is reached at once. The walls then show it without a scene, unless `announceNow` is true.',
  })
  @ApiCreatedResponse({ type: MilestoneDto })
  @ApiErrors(400, 404, 409, 429)
  create(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: CreateMilestone,
  ): Promise<MilestoneDto> {
    return this.milestones.create(caller, id, body);
  }

  @Patch('milestones/:id')
  @Auth('milestones:manage')
  @ApiParam(MILESTONE)
  @ApiOperation({ summary: 'Change a milestone; its amount only before it is reached' })
  @ApiOkResponse({ type: MilestoneDto })
  @ApiEditConflict()
  @ApiErrors(400, 404, 429)
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateMilestone,
  ): Promise<MilestoneDto> {
    return this.milestones.update(caller, id, body);
  }

  @Delete('milestones/:id')
  @Auth('milestones:manage')
  @ApiParam(MILESTONE)
  @ApiOperation({ summary: 'Delete a milestone that is not reached' })
  @ApiOkResponse({ type: DeletedMilestone })
  @ApiErrors(404, 409, 429)
  remove(@Caller() caller: Principal, @Param('id') id: string): Promise<DeletedMilestone> {
    return this.milestones.remove(caller, id);
  }

  @Post('milestones/:id/announce')
  @HttpCode(200)
  @Auth('messages:moderate')
  @ApiParam(MILESTONE)
  @ApiOperation({ summary: 'Show a reached milestone on the walls; a repeat changes nothing' })
  @ApiOkResponse({ type: MilestoneDto })
  @ApiErrors(404, 409, 429)
  announce(@Caller() caller: Principal, @Param('id') id: string): Promise<MilestoneDto> {
    return this.milestones.announce(caller, id);
  }

  @Post('milestones/:id/done')
  @HttpCode(200)
  @Auth('messages:moderate')
  @ApiParam(MILESTONE)
  @ApiOperation({ summary: 'Mark what a reached milestone promises as done; a repeat changes nothing' })
  @ApiOkResponse({ type: MilestoneDto })
  @ApiErrors(400, 404, 409, 429)
  done(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() { done }: MarkMilestone,
  ): Promise<MilestoneDto> {
    return this.milestones.mark(caller, id, done ?? true);
  }

  @Post('milestones/:id/withdraw')
  @HttpCode(200)
  @Auth('milestones:manage')
  @ApiParam(MILESTONE)
  @ApiOperation({
    summary: 'Make a milestone unreached after a mistake; it can then be reached again',
    description:
      'Only while the sum is below the amount. Correct the mistake first, such as a wrong cash record.',
  })
  @ApiOkResponse({ type: MilestoneDto })
  @ApiErrors(400, 404, 409, 429)
  withdraw(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() { reason }: WithdrawMilestone,
  ): Promise<MilestoneDto> {
    return this.milestones.withdraw(caller, id, reason);
  }

  @Post('wall-moments')
  @Auth('milestones:manage')
  @ApiOperation({ summary: 'Show a moment on all walls of an event, such as the start of the raffle' })
  @ApiCreatedResponse({ type: WallMomentDto })
  @ApiErrors(400, 404, 409, 429)
  showMoment(@Caller() caller: Principal, @Body() body: ShowWallMoment): Promise<WallMomentDto> {
    return this.moments.show(caller, body);
  }
}
