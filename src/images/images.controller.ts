import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Auth, Caller, Public } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ApiErrors } from '../common/http/api-errors.decorator.js';
import { readUpload } from '../common/http/read-upload.js';
import { ImageDto } from './dto/image.dto.js';
import { IMAGE_TYPES } from './image-encoder.js';
import { ImagesService } from './images.service.js';

const BINARY = { type: 'string', format: 'binary' } as const;

@ApiTags('Images')
@Controller('images')
export class ImagesController {
  constructor(private readonly images: ImagesService) {}

  @Post()
  @Auth('images:upload')
  @ApiOperation({
    summary: 'Upload a picture, such as a logo',
    description:
      'The file is the body: at most 5 MB and 25 million pixels, not animated. It is converted to WebP without its place ' +
      'and camera data.',
  })
  @ApiConsumes(...IMAGE_TYPES)
  @ApiBody({ schema: BINARY })
  @ApiCreatedResponse({ type: ImageDto })
  @ApiErrors(400, 409, 413, 415)
  async add(@Caller() caller: Principal, @Req() request: Request): Promise<ImageDto> {
    const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    return await this.images.add(caller, await readUpload(request), type);
  }

  @Get(':file')
  @Public()
  @ApiOperation({ summary: 'A picture' })
  @ApiOkResponse({ description: 'Never changes', content: { 'image/webp': { schema: BINARY } } })
  @ApiErrors(404)
  async read(@Param('file') file: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { digest, content } = await this.images.read(file);
    const etag = `"${digest}"`;
    response.set({ 'Cache-Control': 'public, max-age=31536000, immutable', ETag: etag });
    if (request.headers['if-none-match'] === etag) response.status(304).end();
    else response.set('Content-Type', 'image/webp').end(content);
  }
}
