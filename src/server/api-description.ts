import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { PROBES } from '../auth/limits/rate-limit.guard.js';
import { completeDescription } from './openapi/complete-description.js';
import { IntentMetadataDto } from '../payments/intents/dto/intent.dto.js';
import { PaymentProviders } from '../payments/providers/payment-providers.js';
import { ErrorBody } from '../common/errors/error-body.js';
import { VERSION } from '../common/version.js';

const DESCRIPTION = [
  "Every amount is an integer in the currency's minor unit (cents; yen for JPY).",
  'Every error has the body `{ statusCode, message, error, code }`; a 500 has the code `INTERNAL_ERROR`.',
  'Requests that are no HTTP, too slow, or with headers too large are answered 400, 408 and 431 in the same form.',
  'Texts are trimmed, brought into the Unicode form NFC, and measured in code points; a text without any visible character is refused.',
  'Where null is described, null and blank text mean that the value is absent. Unknown fields of bodies and queries are refused.',
  'Fields that are marked read-only may be sent back as they were read.',
  'The messages of the live channel (Socket.IO) are described by asyncapi.json.',
].join('\n\n');

const TAGS: Readonly<Record<string, string>> = {
  Authentication: 'Sign-in of admins and staff, sessions',
  Events: 'Events and the staff assigned to them',
  Donations: 'Recording, lists, corrections, cancelling and messages',
  Payments: 'Online donations and the webhooks of the payment providers',
  'Review items': 'Items that need attention',
  'Staff members': 'Staff members who collect donations',
  Users: 'Admins and accountants: invited, changed, removed',
  'Own account': 'The signed-in account: password, sessions, second factor',
  Donors: 'Donors over all events: search, export, erasure',
  'Match pools': 'Promises to add to donations: pools, draws, payments of the matchers',
  'API keys': 'Keys with which other programs use the API',
  Changes: 'Changes of all events in order, for programs that copy the data',
  Webhooks: 'Messages to other systems: endpoints, their messages, repeated sending',
  'Gift Aid': 'Gift Aid of the United Kingdom: declarations, cancellation, claims, list for the treasurer',
  Terminals: 'Enrolled terminals: waiting records, release, revocation',
  Shifts: 'Drawers: floats, blind counts, second signatures',
  Guests: 'Guest list, check-in and paddles',
  Teams: 'Teams of an event (tables, teams and persons) and their board',
  Imports: 'Uploaded guest lists: columns, check, import, undo',
  'Saved cards': 'Cards that guests save for their pledges, and their charges',
  Pledges: 'Paddle raises, and payment links of pledges',
  Milestones: 'Milestones of an event, and moments on the walls',
  'Floor messages': 'Messages of the dashboard to the tills, and requests of the tills',
  Rehearsals: 'Rehearsals of events: start, state, end',
  'Bank transfers': 'References of bank transfers, and transfers that were received',
  Totals: 'Explanations of totals',
  Reports: 'Figures of an event, during and after it, and payouts',
  'E-mails': 'Sent, queued and failed e-mails',
  Images: 'Uploaded pictures',
  Settings: 'Global settings, and overrides of events',
  Exports: 'Receipts, and their check by anybody',
  Audit: 'The audit log',
  Live: 'The page for the projector',
  Health: 'Health of the service',
};

/** Paths of version 0.1 that still work. */
const ALIASES = { '/donations/attention': '/review-items' };

/** A checkout page may send any metadata of a payment. The service drops unknown keys. */
const OPEN: ReadonlySet<string> = new Set([IntentMetadataDto.name]);

/** Returns the OpenAPI 3.1 description, generated from the code. */
export function apiDescription(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Fundraising Donations Service')
    .setDescription(DESCRIPTION)
    .setVersion(VERSION)
    .addServer('/', 'The server that this description comes from')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    .addCookieAuth('refresh_token', {
      type: 'apiKey',
      description: "An admin's refresh token, for /auth only",
    });
  for (const [name, description] of Object.entries(TAGS)) config.addTag(name, description);
  const document = SwaggerModule.createDocument(app, config.build(), {
    extraModels: [ErrorBody],
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  const unlimited = new Set([...PROBES, ...app.get(PaymentProviders).webhookPaths]);
  return completeDescription(document, { unlimited, aliases: ALIASES, open: OPEN });
}

/** Serves `/docs` (page) and `/docs/openapi.json`, created at the first request, not at start-up. */
export function serveApiDescription(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => apiDescription(app), {
    jsonDocumentUrl: 'docs/openapi.json',
    customSiteTitle: 'Fundraising Donations API',
  });
}
