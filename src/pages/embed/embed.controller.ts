import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Uncounted } from '../../auth/limits/rate-limit.decorators.js';
import { Public } from '../../common/access/access.decorators.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { webFiles } from '../web-files.js';
import { EmbedDto, EmbedQuery } from './dto/embed.dto.js';
import { EmbedService } from './embed.service.js';

/** The button, goal bar and form that a charity shows on its own website. */
@ApiTags('Events')
@Controller()
export class EmbedController {
  constructor(private readonly embed: EmbedService) {}

  @Get('embed.js')
  @Public()
  @Uncounted()
  @ApiExcludeEndpoint()
  async script(@Req() request: Request, @Res() response: Response) {
    await webFiles().sendEmbedScript(request, response);
  }

  @Get('embed/:slug')
  @Public()
  @ApiOperation({
    summary: 'Get the data of the donate button, goal bar and form that other websites show with `/embed.js`',
    description: 'Pages of the sites in the setting `embed.origins` may read the answer (CORS).',
  })
  @ApiParam({ name: 'slug', description: 'Id or slug of the event', example: 'summer-gala' })
  @ApiOkResponse({ type: EmbedDto })
  @ApiErrors(400, 404, 409, 429)
  read(
    @Param('slug') ref: string,
    @Query() { lang }: EmbedQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EmbedDto> {
    return this.embed.read(ref, lang, request, response);
  }
}
