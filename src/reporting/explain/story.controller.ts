import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Auth } from '../../common/access/access.decorators.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { DonationStoryDto } from './dto/story.dto.js';
import { StoryService } from './story.service.js';

@ApiTags('Donations')
@Controller('donations')
export class StoryController {
  constructor(private readonly stories: StoryService) {}

  @Get(':id/story')
  @Auth('donations:story')
  @ApiOperation({
    summary:
      'Everything on record about a donation: payment, messages, refunds, disputes, receipts, e-mails, who changed what',
  })
  @ApiOkResponse({ type: DonationStoryDto })
  @ApiErrors(404)
  of(@Param('id') id: string) {
    return this.stories.of(id);
  }
}
