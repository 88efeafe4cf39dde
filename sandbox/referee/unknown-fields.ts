import { resolved, type Schema, type Specification } from './specification.js';

/**
 * Returns pointers to the fields that a schema does not contain. This check is needed because JSON Schema accepts
 * unknown fields, such as misspelled names.
 */
export function unknownFields(
  specification: Specification,
  schema: Schema | undefined,
  value: unknown,
  pointer = '',
): string[] {
  if (schema === undefined || typeof value !== 'object' || value === null) return [];
  const parts = flattened(specification, schema);
  if (Array.isArray(value)) {
    const items = parts.find((part) => part.items)?.items;
    return value.flatMap((item, index) =>
      unknownFields(specification, items, item, `${pointer}/${String(index)}`),
    );
  }
  // An object without described fields may have any field.
  if (!parts.some((part) => part.properties) || parts.some((part) => part.additionalProperties)) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const described = parts.map((part) => part.properties?.[name]).filter((part) => part !== undefined);
    const here = `${pointer}/${name}`;
    if (described.length === 0) return [here];
    return unknownFields(specification, { allOf: described }, field, here);
  });
}

function flattened(specification: Specification, schema: Schema): Schema[] {
  const here: Schema = resolved<Schema>(specification, schema);
  const parts = [...(here.allOf ?? []), ...(here.anyOf ?? []), ...(here.oneOf ?? [])];
  return [here, ...parts.flatMap((part) => flattened(specification, part))];
}
