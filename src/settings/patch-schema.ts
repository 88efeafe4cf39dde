import type { ApiBodyOptions } from '@nestjs/swagger';
import type { ValueRule } from './setting-values.js';
import type { ObjectRule, Rule } from './settings-rules.js';

type Schema = Extract<ApiBodyOptions, { schema: unknown }>['schema'];

/** The API's description of a patch that a rule reads: nothing is required, anything may be `null`. */
export const patchBody = (
  rule: ObjectRule,
  example: object,
  readOnly: Record<string, { type: string }> = {},
): ApiBodyOptions => {
  const schema = schemaOf(rule) as { properties: object };
  return {
    schema: {
      ...schema,
      type: 'object',
      properties: { ...schema.properties, ...readOnly },
      example,
    } as Schema,
  };
};

function schemaOf(rule: Rule): object {
  switch (rule.kind) {
    case 'value':
      return orNull(rule.schema);
    case 'map':
      return {
        type: ['object', 'null'],
        additionalProperties: schemaOf(rule.entry),
        maxProperties: rule.max,
        example: rule.example,
      };
    case 'object':
      return {
        type: ['object', 'null'],
        additionalProperties: false,
        properties: Object.fromEntries(
          Object.entries(rule.fields).map(([name, field]) => [name, schemaOf(field)]),
        ),
      };
  }
}

const orNull = ({ type, ...schema }: ValueRule['schema']): object => ({
  ...schema,
  type: [type, 'null'],
  ...(Array.isArray(schema.enum) ? { enum: [...(schema.enum as unknown[]), null] } : {}),
});
