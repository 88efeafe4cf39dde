import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../../common/access/access.decorators.js';
import type { Principal } from '../../common/access/principal.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { DonorMessageDto, ListMessagesDto, ModerateDto } from '../dto/moderation.dto.js';
import { ModerationService } from './moderation.service.js';

@ApiTags('Donations')
@Controller('donations')
export class ModerationController {
  constructor(private readonly moderation: ModerationService) {}

  @Get('messages')
  @Auth('messages:list')
  @ApiOperation({
    summary:
      'List messages, names and tributes of donors at an event; by default those that wait for approval',
  })
  @ApiOkResponse({ type: [DonorMessageDto] })
  @ApiErrors(400, 404)
  list(@Caller() caller: Principal, @Query() query: ListMessagesDto) {
    return this.moderation.list(caller, query);
  }

  @Post(':id/moderation')
  @HttpCode(200)
  @Auth('messages:moderate')
  @ApiOperation({
    summary:
      'Decide about the message, the name and the tribute of a donation in one step, or show a large record',
    description: 'A repeat changes nothing. `held` takes a decision back.',
  })
  @ApiOkResponse({ type: DonorMessageDto })
  @ApiErrors(404, 409)
  moderate(@Caller() caller: Principal, @Param('id') id: string, @Body() body: ModerateDto) {
    return this.moderation.moderate(caller, id, body);
  }

  @Post(':id/message/approve')
  @HttpCode(200)
  @Auth('messages:moderate')
  @ApiOperation({ summary: 'Approve a message for the wall' })
  @ApiOkResponse({ type: DonorMessageDto })
  @ApiErrors(404, 409)
  approve(@Caller() caller: Principal, @Param('id') id: string) {
    return this.moderation.approve(caller, id);
  }

  @Post(':id/message/hide')
  @HttpCode(200)
  @Auth('messages:moderate')
  @ApiOperation({ summary: 'Hide a message from the walls' })
  @ApiOkResponse({ type: DonorMessageDto })
  @ApiErrors(404, 409)
  hide(@Caller() caller: Principal, @Param('id') id: string) {
    return this.moderation.hide(caller, id);
  }

  @Post(':id/name/approve')
  @HttpCode(200)
  @Auth('messages:moderate')
  @ApiOperation({ summary: 'Approve a name for the wall' })
  @ApiOkResponse({ type: DonorMessageDto })
  @ApiErrors(404, 409)
  approveName(@Caller() caller: Principal, @Param('id') id: string) {
    return this.moderation.approveName(caller, id);
  }

  @Post(':id/name/hide')
  @HttpCode(200)
  @Auth('messages:moderate')
  @ApiOperation({ summary: 'Show a donor as Anonymous on the walls' })
  @ApiOkResponse({ type: DonorMessageDto })
  @ApiErrors(404, 409)
  hideName(@Caller() caller: Principal, @Param('id') id: string) {
    return this.moderation.hideName(caller, id);
  }
}
