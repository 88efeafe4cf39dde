import type { OpenAPIObject } from '@nestjs/swagger';
import { resolve, type Schema } from './examples.js';

interface Described {
  readonly parameters?: readonly { readonly in: string; schema?: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema?: Schema }>> };
  readonly responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema?: Schema }>> }>>;
}

const REF = '#/components/schemas/';

/** Removes null from queries: a query contains only text, so an optional parameter is never null. */
export function queriesWithoutNull({ parameters = [] }: Described): void {
  for (const { in: place, schema } of parameters) {
    if (place !== 'query' || !schema) continue;
    if (Array.isArray(schema.type)) {
      const [only, ...others] = schema.type.filter((type) => type !== 'null');
      if (only !== undefined && others.length === 0) schema.type = only;
    }
    if (schema.enum) schema.enum = schema.enum.filter((word) => word !== null);
    const [one, ...more] = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
    if (one && more.length === 0) {
      delete schema.anyOf;
      Object.assign(schema, one);
    }
  }
}

/**
 * Forbids unknown fields in the schemas that only requests use, because the validators refuse unknown fields. Schemas of
 * answers allow unknown fields, because later versions add fields.
 * @param open names of request schemas whose unknown fields are dropped, not refused
 */
export function closeRequests(
  document: OpenAPIObject,
  operations: readonly Described[],
  open: ReadonlySet<string>,
): void {
  const [sent, answered] = [new Set<string>(), new Set<string>()];
  for (const { requestBody, responses } of operations) {
    for (const { schema } of Object.values(requestBody?.content ?? {})) collect(document, schema, sent);
    for (const { content } of Object.values(responses))
      for (const { schema } of Object.values(content ?? {})) collect(document, schema, answered);
  }
  for (const name of sent) {
    const schema = resolve(document, { $ref: REF + name });
    if (schema.properties && !answered.has(name) && !open.has(name)) schema.additionalProperties = false;
  }
}

/** Collects the names of all schemas that a schema refers to, at any depth. */
function collect(document: OpenAPIObject, schema: Schema | undefined, names: Set<string>): void {
  if (!schema) return;
  if (schema.$ref?.startsWith(REF)) {
    const name = schema.$ref.slice(REF.length);
    if (names.has(name)) return;
    names.add(name);
    collect(document, resolve(document, schema), names);
  }
  const { allOf = [], anyOf = [], oneOf = [], items, properties = {}, additionalProperties } = schema;
  for (const part of [...allOf, ...anyOf, ...oneOf, items, ...Object.values(properties)])
    collect(document, part, names);
  if (typeof additionalProperties === 'object') collect(document, additionalProperties, names);
}
