import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth, Caller } from '../../common/access/access.decorators.js';
import type { Principal } from '../../common/access/principal.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { AssignmentService } from './assignment.service.js';
import { AssignmentDto, AssignPaymentDto } from './dto/assignment.dto.js';

@ApiTags('Review items')
@Controller('review-items')
export class AssignmentController {
  constructor(private readonly assignment: AssignmentService) {}

  @Post(':id/assign')
  @HttpCode(200)
  @Auth('reviews:assign')
  @ApiOperation({ summary: 'Assign a payment without an event to an event; it becomes a donation' })
  @ApiOkResponse({ type: AssignmentDto })
  @ApiErrors(400, 404, 409, 503)
  assign(@Caller() caller: Principal, @Param('id') id: string, @Body() sent: AssignPaymentDto) {
    return this.assignment.assign(caller, id, sent.eventId);
  }
}
