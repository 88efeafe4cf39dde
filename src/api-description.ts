import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ErrorBody } from './common/http/error-body.js';

/** The OpenAPI 3.1 description, generated from the code. */
export function apiDescription(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Fundraising Donations Service')
    .setDescription(
      "Every amount is an integer in the currency's minor unit (cents; yen for JPY). " +
        'Every error has the body `{ statusCode, message, error, code? }`.',
    )
    .setVersion('0.1.0')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    .addCookieAuth('refresh_token', {
      type: 'apiKey',
      description: "An admin's refresh token, for /auth only",
    })
    .build();
  return SwaggerModule.createDocument(app, config, {
    extraModels: [ErrorBody],
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
}

/** `/docs` (page) and `/docs/openapi.json`; made at the first request, not at start-up. */
export function serveApiDescription(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => apiDescription(app), {
    jsonDocumentUrl: 'docs/openapi.json',
    customSiteTitle: 'Fundraising Donations API',
  });
}
