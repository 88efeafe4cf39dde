import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

export interface Media {
  readonly schema?: object;
  readonly example?: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly schema?: SchemaObject;
}

export interface SchemaObject {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly maxProperties?: number;
  readonly propertyNames?: SchemaObject;
  readonly readOnly?: boolean;
  readonly items?: SchemaObject;
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaObject;
  readonly allOf?: readonly SchemaObject[];
  readonly anyOf?: readonly SchemaObject[];
  readonly oneOf?: readonly SchemaObject[];
  readonly example?: unknown;
}

export interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, SchemaObject>> };
}

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

export const readDescription = (): Description =>
  JSON.parse(readFileSync('openapi.json', 'utf8')) as Description;

export const routesOf = (description: Description): Route[] =>
  Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );

/** Returns a function that validates JSON with a schema of the document. A JSON pointer selects the schema. */
export function validator(document: object, name: string) {
  // Formats of this service. The document describes them only in words.
  const own = { 'iana-time-zone': true, 'css-value': true, iban: true } as const;
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true, formats: own });
  (formats as unknown as (to: Ajv2020) => void)(ajv);
  ajv.addSchema(document, name);
  return (pointer: string, value: unknown): string | undefined => {
    const check = ajv.getSchema(`${name}#${pointer}`);
    if (!check) throw new Error(`no schema at ${pointer}`);
    return check(value) ? undefined : ajv.errorsText(check.errors);
  };
}

/** Encodes a name as a part of a JSON pointer in a URI fragment. */
export const pointerPart = (name: string): string =>
  encodeURIComponent(name.replace(/~/g, '~0').replace(/\//g, '~1'));
