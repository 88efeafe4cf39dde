import type { ApiBodyOptions, ApiResponseOptions } from '@nestjs/swagger';
import * as z from 'zod';
import { EXPECTED_DESCRIPTION } from '../common/validation/expected.js';
import { bare } from './stored-settings.js';

type BodySchema = Extract<ApiBodyOptions, { schema: unknown }>['schema'];

/** API description of a PATCH body: no field is required, and `null` deletes. */
export function patchBody(
  schema: z.ZodObject,
  example: object,
  readOnly: z.ZodRawShape = {},
): ApiBodyOptions {
  const described = z.toJSONSchema(patchOf(schema).extend(z.object(readOnly).partial().shape), {
    io: 'input',
  });
  delete described.$schema;
  delete described.$defs;
  const expected = z.toJSONSchema(patchOf(schema), { io: 'input' });
  delete expected.$schema;
  delete expected.$defs;
  const description = `${EXPECTED_DESCRIPTION}. Null is a setting without a value`;
  described.properties = { ...described.properties, expected: { ...expected, description } };
  // The description of the response already contains the named parts, so this schema refers to them.
  const text = JSON.stringify({ ...described, example }).replaceAll('#/$defs/', '#/components/schemas/');
  return { schema: JSON.parse(text) as BodySchema };
}

/** API description of a response. Named parts of the schema become components of the document. */
export const answered = (schema: z.ZodObject): ApiResponseOptions => ({
  standardSchema: {
    '~standard': {
      version: 1,
      vendor: 'zod',
      validate: schema['~standard'].validate,
      // By default, the generator asks zod for OpenAPI 3.0. This document is OpenAPI 3.1, which uses plain JSON schema.
      jsonSchema: { input: () => jsonSchemaOf(schema), output: () => jsonSchemaOf(schema) },
    },
  },
});

/** JSON schema of a patch. */
export const patchSchemaOf = (schema: z.ZodObject, readOnly: z.ZodRawShape = {}): Record<string, unknown> =>
  z.toJSONSchema(patchOf(schema).extend(z.object(readOnly).partial().shape), { io: 'input' });

/** JSON schema of a response. */
export const jsonSchemaOf = (schema: z.ZodObject): Record<string, unknown> =>
  z.toJSONSchema(schema, {
    io: 'output',
    // Later versions add fields to responses, so the schema must allow unknown fields.
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });

function patchOf(schema: z.ZodObject): z.ZodObject {
  return z.strictObject(
    Object.fromEntries(
      Object.entries(schema.shape as z.core.$ZodShape).map(([name, field]) => [
        name,
        z.nullable(patchField(field)).optional(),
      ]),
    ),
  );
}

function patchField(given: z.core.$ZodType): z.core.$ZodType {
  const schema = bare(given);
  if (schema instanceof z.ZodObject) return patchOf(schema);
  if (schema instanceof z.ZodRecord)
    return z.record(schema.keyType, z.nullable(schema.valueType)).meta(schema.meta() ?? {});
  return schema;
}
