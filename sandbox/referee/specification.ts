import { readFileSync } from 'node:fs';

export interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  [keyword: string]: unknown;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema?: Schema;
}

interface Body {
  required?: boolean;
  content?: Record<string, { schema?: Schema }>;
}

interface OperationText {
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: Body | { $ref: string };
  responses: Record<string, Body | { $ref: string }>;
}

export interface Specification {
  /** The file's name, without `.json`. */
  name: string;
  paths: Record<string, Record<string, OperationText>>;
  components: Record<string, Record<string, unknown>>;
}

/** One call in PayPal's description. */
export interface Operation {
  /** `POST /v2/checkout/orders/{id}/capture` */
  name: string;
  method: string;
  pattern: RegExp;
  pathNames: string[];
  parameters: Parameter[];
  /** Undefined if the description contains no request body. */
  request: { schema: Schema; required: boolean } | undefined;
  /** Schemas by status or `default`; undefined if the answer has no described body. */
  responses: Record<string, Schema | undefined>;
  specification: Specification;
}

const FILES = [
  'checkout_orders_v2',
  'payments_payment_v2',
  'notifications_webhooks_v1',
  'customer_disputes_v1',
  'reporting_transactions_v1',
];

export function readSpecifications(): Specification[] {
  return FILES.map((name) => {
    // The files are next to the sources, not next to the compiled program.
    const text = readFileSync(new URL(`../../sandbox/referee/schemas/${name}.json`, import.meta.url), 'utf8');
    const specification = { ...(JSON.parse(text) as Omit<Specification, 'name'>), name };
    for (const schema of Object.values(specification.components.schemas ?? {}))
      allowEmptyLists(schema as Schema);
    allowEventIds(specification);
    allowOrderIds(specification);
    return specification;
  });
}

/** Allows empty lists. The descriptions require at least one item, but PayPal sends an empty list for an empty page. */
function allowEmptyLists({ properties = {} }: Schema): void {
  for (const name of ['items', 'transaction_details']) {
    if (properties[name]?.type === 'array') delete properties[name].minItems;
  }
}

/** Allows hyphens in webhook event ids. The descriptions do not allow them, but all real ids contain hyphens. */
function allowEventIds({ components }: Specification): void {
  const parameter = components.parameters?.event_id as Parameter | undefined;
  if (parameter?.schema) parameter.schema.pattern = '^[a-zA-Z0-9-]+$';
}

/** Allows `supplementary_data` in captures. This field contains the order id, but some files do not describe it. */
function allowOrderIds({ components }: Specification): void {
  const capture = components.schemas?.capture as Schema | undefined;
  if (capture) capture.allOf = [...(capture.allOf ?? []), { properties: { supplementary_data: {} } }];
}

export function operationsOf(specification: Specification): Operation[] {
  const follow = <T>(value: T | { $ref: string }): T => resolved(specification, value);
  return Object.entries(specification.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, text]): Operation => {
      const request = text.requestBody && follow<Body>(text.requestBody);
      const schema = request && schemaOf(request);
      const responses = Object.entries(text.responses).map(([status, response]) => [
        status,
        schemaOf(follow<Body>(response)),
      ]);
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '([^/]+)')}$`),
        pathNames: [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''),
        parameters: (text.parameters ?? []).map((parameter) => follow<Parameter>(parameter)),
        request: schema && { schema, required: request.required === true },
        responses: Object.fromEntries(responses) as Record<string, Schema | undefined>,
        specification,
      };
    }),
  );
}

function schemaOf({ content }: Body): Schema | undefined {
  return content?.['application/json']?.schema;
}

/** Returns the target of a `$ref`. */
export function resolved<T>(specification: Specification, value: T | { $ref: string }): T {
  if (typeof value !== 'object' || value === null || !('$ref' in value) || typeof value.$ref !== 'string')
    return value as T;
  const [, , kind = '', name = ''] = value.$ref.split('/');
  const found = specification.components[kind]?.[name];
  if (found === undefined) throw new Error(`${value.$ref} is missing`);
  return resolved(specification, found as T | { $ref: string });
}
