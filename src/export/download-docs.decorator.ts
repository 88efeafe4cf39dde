import { applyDecorators } from '@nestjs/common';
import { ApiOkResponse, ApiProduces } from '@nestjs/swagger';

/** Documents a route that answers a file. */
export const ApiDownload = (contentType: string, description: string) =>
  applyDecorators(
    ApiProduces(contentType),
    ApiOkResponse({
      description,
      content: { [contentType]: { schema: { type: 'string', format: 'binary' } } },
      headers: {
        'Content-Disposition': { description: 'The file name (RFC 6266)', schema: { type: 'string' } },
      },
    }),
  );
