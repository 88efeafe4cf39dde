import type { OpenAPIObject } from '@nestjs/swagger';

/** The parts of a JSON schema that examples need. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  example?: unknown;
  default?: unknown;
  description?: string;
  readOnly?: boolean;
  const?: unknown;
  enum?: unknown[];
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
}

/** Returns the schema behind a reference. */
export function resolve(document: OpenAPIObject, schema: Schema): Schema {
  const name = schema.$ref?.split('/').pop();
  return name === undefined ? schema : (document.components?.schemas?.[name] ?? {});
}

/**
 * Returns the example of a schema. If the schema has no example, builds one from the examples of its parts.
 * @param sent true for a request, which has no read-only fields
 */
export function exampleOf(document: OpenAPIObject, given: Schema, sent = false): unknown {
  const schema = resolve(document, given);
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  const [first] = schema.oneOf ?? schema.anyOf ?? schema.allOf ?? [];
  if (first) return exampleOf(document, first, sent);
  if (schema.enum) return schema.enum[0];
  if (schema.items) return [exampleOf(document, schema.items, sent)];
  if (!schema.properties)
    return Array.isArray(schema.type) && schema.type.includes('null') ? null : undefined;
  return Object.fromEntries(
    Object.entries(schema.properties)
      .filter(([, { readOnly }]) => !(sent && readOnly))
      .map(([name, property]) => [name, exampleOf(document, property, sent)]),
  );
}
