import type { OpenAPIObject } from '@nestjs/swagger';
import { WEBHOOK_BODIES } from '../../webhooks/dto/webhook-bodies.dto.js';
import { WEBHOOK_TOPICS } from '../../webhooks/webhook-topics.js';
import { exampleOf, resolve, type Schema } from './examples.js';

interface AsyncApi {
  channels: Record<string, object>;
  operations: Record<string, object>;
  components: { messages: Record<string, object>; schemas: Record<string, object> };
}

const CHANNEL = 'webhooks';
const HEADERS = 'WebhookHeaders';
const TEXT = { type: 'string' };
const SCHEMAS = '#/components/schemas/';

/** `webhookDonationCompleted` for `donation.completed`. */
const keyOf = (topic: string): string =>
  `webhook${topic.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`;

/**
 * Describes the outgoing webhooks in the AsyncAPI document of the live channel, whose other parts are written by hand. Replaces
 * an earlier description of them.
 * @param openapi has the schemas of the bodies
 */
export function withWebhookMessages(asyncapi: AsyncApi, openapi: OpenAPIObject): AsyncApi {
  const schemas: Record<string, Schema> = {};
  const add = (name: string): void => {
    if (schemas[name]) return;
    const schema = resolve(openapi, { $ref: `${SCHEMAS}${name}` });
    schemas[name] = { ...schema, additionalProperties: false };
    for (const [, inner] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      if (inner !== undefined) add(inner);
  };
  const messages = Object.fromEntries(
    WEBHOOK_TOPICS.map((topic) => {
      const [data, summary] = WEBHOOK_BODIES[topic];
      add(data.name);
      const payload = {
        type: 'object',
        additionalProperties: false,
        required: ['type', 'timestamp', 'data'],
        properties: {
          type: { const: topic },
          timestamp: {
            ...TEXT,
            format: 'date-time',
            example: '2026-11-28T20:14:07.312Z',
            description: 'Time of the change',
          },
          data: { $ref: `${SCHEMAS}${data.name}` },
        },
      };
      const message = {
        name: `webhook.${topic}`,
        title: topic,
        summary,
        contentType: 'application/json',
        headers: { $ref: `${SCHEMAS}${HEADERS}` },
        payload,
        examples: [{ name: topic, payload: exampleOf(openapi, payload) }],
      };
      return [keyOf(topic), message];
    }),
  );
  const names = Object.keys(messages);
  const without = (of: Record<string, object>) =>
    Object.fromEntries(Object.entries(of).filter(([name]) => !/^webhook/i.test(name)));
  const { channels, operations, components } = asyncapi;
  return {
    ...asyncapi,
    channels: {
      ...without(channels),
      [CHANNEL]: {
        address: null,
        title: 'Webhooks',
        description:
          'HTTP requests to the endpoints that administrators set up (`/webhook-endpoints`), signed as in Standard Webhooks 1.0',
        messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
      },
    },
    operations: {
      ...without(operations),
      [CHANNEL]: {
        action: 'send',
        title: 'Send webhooks',
        description:
          'The server sends a message at least once to each endpoint that chose its topic and its event',
        channel: { $ref: `#/channels/${CHANNEL}` },
        messages: names.map((name) => ({ $ref: `#/channels/${CHANNEL}/messages/${name}` })),
      },
    },
    components: {
      ...components,
      messages: { ...without(components.messages), ...messages },
      schemas: { ...withoutSchemas(components.schemas, schemas), [HEADERS]: HEADER_SCHEMA, ...schemas },
    },
  };
}

const withoutSchemas = (of: Record<string, object>, made: object) =>
  Object.fromEntries(
    Object.entries(of).filter(([name]) => !name.includes('Webhook') && !Object.hasOwn(made, name)),
  );

const HEADER_SCHEMA = {
  type: 'object',
  description: 'Verify `webhook-signature` with a library of Standard Webhooks',
  required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  properties: {
    'webhook-id': { ...TEXT, description: 'The same for each attempt and each repetition of a message' },
    'webhook-timestamp': { ...TEXT, description: 'Time of the attempt in seconds since 1970' },
    'webhook-signature': {
      ...TEXT,
      description:
        '`v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in Base64, one for each valid secret, separated by spaces',
    },
  },
};
