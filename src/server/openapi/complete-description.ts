import type { OpenAPIObject } from '@nestjs/swagger';
import { bodyOfStatus } from '../../common/errors/code-of-status.js';
import { MEANING } from '../../common/http/api-errors.decorator.js';
import { closeRequests, queriesWithoutNull } from './described-requests.js';
import { exampleOf, resolve, type Schema } from './examples.js';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
}

interface MediaType {
  schema?: Schema;
  example?: unknown;
}

interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, { content?: Record<string, MediaType> }>;
  security?: object[];
}

type PathItem = Partial<Record<(typeof METHODS)[number], Operation>>;

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;
const JSON_TYPE = 'application/json';
const PAGE_TYPE = 'text/html';

export interface CompletionOptions {
  /** Paths without a rate limit. */
  readonly unlimited: ReadonlySet<string>;
  /** Old paths that still work, each with its replacement. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Schemas of requests whose unknown fields are dropped, not refused. */
  readonly open: ReadonlySet<string>;
}

/**
 * Adds facts common to all routes: errors that occur before a controller, the mark of public routes, and an example for each
 * body. Also corrects mistakes of the generator.
 */
export function completeDescription(document: OpenAPIObject, options: CompletionOptions): OpenAPIObject {
  const paths = document.paths as Record<string, PathItem>;
  document.paths = mergeEquivalent(paths) as OpenAPIObject['paths'];
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(document.paths as Record<string, PathItem>))
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      operations.push(operation);
      operation.security ??= [];
      operation.parameters = oncePerHeader(operation.parameters ?? []);
      nameAlias(operation, path, options.aliases);
      addErrors(operation, options.unlimited.has(path));
      addErrorPages(operation);
      queriesWithoutNull(operation);
      defaultsAsText(document, operation);
      addExamples(document, operation);
    }
  closeRequests(document, operations, options.open);
  return document;
}

/** Merges `/events/{slug}` and `/events/{id}` into one path (OpenAPI 3.1, 4.8.8.2). The parameter is called `id`. */
function mergeEquivalent(paths: Record<string, PathItem>): Record<string, PathItem> {
  const merged = new Map<string, [path: string, item: PathItem]>();
  for (const [path, item] of Object.entries(paths)) {
    const shape = path.replace(/\{[^}]+\}/g, '{}');
    const found = merged.get(shape);
    // Uses the name `id`, because other paths of this kind also use it. This parameter also accepts a slug.
    const name = found && !path.includes('{slug}') ? path : (found?.[0] ?? path);
    merged.set(shape, [name, { ...found?.[1], ...item }]);
  }
  return Object.fromEntries([...merged.values()].map(([path, item]) => [path, renamed(path, item)]));
}

function renamed(path: string, item: PathItem): PathItem {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? '');
  for (const method of METHODS) {
    const inPath = item[method]?.parameters?.filter((parameter) => parameter.in === 'path') ?? [];
    if (inPath.length === 1 && names.length === 1 && inPath[0]) inPath[0].name = names[0] ?? '';
  }
  return item;
}

/**
 * Removes duplicate headers. If the code reads a header and the documentation describes it too, the generator lists the header
 * twice. The described header stays.
 */
function oncePerHeader(parameters: Parameter[]): Parameter[] {
  const described = new Map<string, Parameter>();
  for (const parameter of parameters) {
    const key = `${parameter.in}:${parameter.name.toLowerCase()}`;
    const first = described.get(key);
    if (!first || 'description' in parameter) described.set(key, parameter);
  }
  return [...described.values()];
}

function nameAlias(operation: Operation, path: string, aliases: CompletionOptions['aliases']): void {
  // If a controller has several paths, the generator adds a number to the operation id.
  operation.operationId = operation.operationId?.replace(/\[\d+\]$/, '');
  const alias = Object.keys(aliases).find((one) => path === one || path.startsWith(`${one}/`));
  if (alias === undefined) return;
  operation.operationId = `${operation.operationId ?? ''}_alias`;
  operation.deprecated = true;
  operation.description = `The path of version 0.1; use \`${aliases[alias] ?? ''}\`.`;
}

function addErrors(operation: Operation, unlimited: boolean): void {
  const statuses = [
    400,
    431,
    500,
    503,
    ...(operation.requestBody ? [413, 415] : []),
    ...(unlimited ? [] : [429]),
  ];
  for (const status of statuses.filter((one) => !(one in operation.responses)))
    operation.responses[status] = {
      description: MEANING[status] ?? '',
      content: {
        [JSON_TYPE]: {
          schema: { $ref: '#/components/schemas/ErrorBody' },
          example: bodyOfStatus(status, MEANING[status] ?? ''),
        },
      },
    } as Operation['responses'][string];
}

/**
 * Adds error pages: errors usually have a JSON body, but browsers get some errors as pages (not found, too many requests, a
 * dependency is down).
 */
function addErrorPages({ responses }: Operation): void {
  if (!responses[200]?.content?.[PAGE_TYPE]) return;
  for (const [status, { content }] of Object.entries(responses)) {
    if (!content || status < '400') continue;
    content[JSON_TYPE] ??= content[PAGE_TYPE] ?? {};
    if (status === '404' || status === '429' || status >= '500')
      content[PAGE_TYPE] = { schema: { type: 'string' } };
    else Reflect.deleteProperty(content, PAGE_TYPE);
  }
}

/**
 * Moves each `default` of a request into the description, because client generators treat a field with a `default` as always
 * present.
 */
function defaultsAsText(document: OpenAPIObject, operation: Operation): void {
  for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
    for (const property of Object.values(resolve(document, schema ?? {}).properties ?? {})) {
      if (property.default === undefined) continue;
      const remark = `Default: \`${JSON.stringify(property.default)}\``;
      property.description = property.description ? `${property.description}. ${remark}` : remark;
      delete property.default;
    }
}

function addExamples(document: OpenAPIObject, operation: Operation): void {
  const answers = Object.values(operation.responses).map(({ content }) => content?.[JSON_TYPE]);
  const sent = operation.requestBody?.content[JSON_TYPE];
  if (sent?.schema) sent.example ??= exampleOf(document, sent.schema, true);
  for (const body of answers) if (body?.schema) body.example ??= exampleOf(document, body.schema);
}
