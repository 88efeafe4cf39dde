import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../common/access/access.decorators.js';
import { ApiErrors } from '../../common/http/api-errors.decorator.js';
import { WallService } from './wall.service.js';

@ApiTags('Live')
@Controller('wall')
export class WallController {
  constructor(private readonly wall: WallService) {}

  @Get('assets/:file')
  @Public()
  @ApiOperation({ summary: "One of the wall's own files" })
  @ApiOkResponse({ description: 'The file' })
  @ApiErrors(404, 429)
  file(@Param('file') name: string, @Res() response: Response): void {
    const { type, content } = this.wall.file(name);
    response.setHeader('Cache-Control', 'no-cache');
    response.type(type).send(content);
  }

  @Get(':slug')
  @Public()
  @ApiOperation({ summary: 'The donation wall of an event, a page to project' })
  @ApiParam({ name: 'slug', description: 'Id or slug of the event', example: 'summer-gala' })
  @ApiProduces('text/html')
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiErrors(404, 429)
  async page(@Param('slug') ref: string, @Res() response: Response): Promise<void> {
    const { html, policy } = await this.wall.page(ref);
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader('Cache-Control', 'no-store');
    response.type('html').send(html);
  }
}
