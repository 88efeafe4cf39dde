import { ApiOkResponse } from '@nestjs/swagger';

/** Documents a route that answers a file; its errors are JSON like all others. */
export const ApiDownload = (contentType: string, description: string) =>
  ApiOkResponse({
    description,
    content: { [contentType]: { schema: { type: 'string', format: 'binary' } } },
    headers: {
      'Content-Disposition': { description: 'The file name (RFC 6266)', schema: { type: 'string' } },
    },
  });
