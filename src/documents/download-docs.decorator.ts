import { ApiOkResponse } from '@nestjs/swagger';

/** Adds a route that returns a file to the API description. The errors of the route are JSON, as on all other routes. */
export const ApiDownload = (contentTypes: string | readonly string[], description: string) =>
  ApiOkResponse({
    description,
    content: Object.fromEntries(
      [contentTypes].flat().map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
    ),
    headers: {
      'Content-Disposition': { description: 'The file name (RFC 6266)', schema: { type: 'string' } },
    },
  });
