import { Ajv, type ValidateFunction } from 'ajv';
import {
  type Operation,
  operationsOf,
  readSpecifications,
  type Schema,
  type Specification,
} from './specification.js';
import { unknownFields } from './unknown-fields.js';

/** A call of PayPal's API and its answer. */
export interface Exchange {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string | string[] | undefined>;
  /** The body as sent; empty without a body. */
  body: string;
  status: number;
  answer: unknown;
}

export interface Violation {
  /** `POST /v2/checkout/orders` */
  operation: string;
  side: 'request' | 'answer';
  status: number;
  /** JSON pointer, or the parameter's name. */
  where: string;
  problem: string;
}

/** Checks every call against PayPal's published API descriptions: the client's requests and the sandbox's answers. */
export class Referee {
  private readonly operations: Operation[];
  private readonly compiled = new Map<Schema, ValidateFunction>();
  private readonly found: Violation[] = [];
  private readonly seen = new Map<string, number>();
  /** Patterns that are invalid under the `u` flag and valid without it. */
  readonly loosePatterns = new Set<string>();
  private readonly ajv: Ajv;

  constructor(private readonly specifications: Specification[] = readSpecifications()) {
    this.operations = specifications.flatMap(operationsOf);
    const regExp = Object.assign((pattern: string, flags: string) => this.pattern(pattern, flags), {
      code: 'new RegExp',
    });
    this.ajv = new Ajv({
      allErrors: true,
      strict: false,
      validateFormats: false,
      logger: false,
      code: { regExp },
    });
  }

  /** Returns all violations of the descriptions so far. */
  violations(side?: Violation['side']): Violation[] {
    return this.found.filter((violation) => side === undefined || violation.side === side);
  }

  /** Returns how often each described call was checked. Tests use it to check that the referee saw the call. */
  judged(): Record<string, number> {
    return Object.fromEntries(this.seen);
  }

  clear(): void {
    this.found.length = 0;
    this.seen.clear();
  }

  /** Checks a call. Calls without a description (access tokens, certificates) are not checked. */
  judge(exchange: Exchange): void {
    const operation = this.operations.find(
      ({ method, pattern }) => method === exchange.method && pattern.test(exchange.path),
    );
    if (!operation) return;
    this.seen.set(operation.name, (this.seen.get(operation.name) ?? 0) + 1);
    const { status } = exchange;
    const note = (side: Violation['side'], where: string, problem: string) =>
      this.found.push({ operation: operation.name, side, status, where, problem });
    // An invalid request is reported even if the sandbox refused it. The refusal is checked like any other answer.
    this.judgeParameters(operation, exchange, (where, problem) => note('request', where, problem));
    this.judgeRequest(operation, exchange, (where, problem) => note('request', where, problem));
    this.judgeAnswer(operation, exchange, (where, problem) => note('answer', where, problem));
  }

  /**
   * Checks a value against a schema of a file and returns the problems: `check('payments_payment_v2', 'capture',
   * value)`.
   */
  check(file: string, schemaName: string, value: unknown): string[] {
    const problems: string[] = [];
    const specification = this.specifications.find(({ name }) => name === file);
    const schema = specification?.components.schemas?.[schemaName];
    if (!specification || !schema) throw new Error(`Schema ${schemaName} not found in ${file}`);
    this.validate(specification, schema as Schema, value, (where, problem) => {
      problems.push(`${where} ${problem}`);
    });
    return problems;
  }

  private judgeParameters(operation: Operation, exchange: Exchange, note: Note): void {
    const values = operation.pattern.exec(exchange.path) ?? [];
    const given = new URLSearchParams(exchange.query);
    for (const { name, in: place, required, schema } of operation.parameters) {
      const value =
        place === 'path'
          ? values[operation.pathNames.indexOf(name) + 1]
          : place === 'query'
            ? (given.get(name) ?? undefined)
            : exchange.headers[name.toLowerCase()];
      given.delete(name);
      if (value === undefined) {
        if (required === true) note(name, 'is missing');
      } else if (schema) {
        const number = schema.type === 'integer' || schema.type === 'number';
        const typed = number && /^-?\d+$/.test(String(value)) ? Number(value) : value;
        this.validate(operation.specification, schema, typed, (_, problem) => note(name, problem));
      }
    }
    // Accept parameters such as `next_token` without a description, because they come from PayPal's own links.
    for (const name of given.keys()) if (!name.endsWith('token')) note(name, 'is not described');
  }

  private judgeRequest({ request, specification }: Operation, { body }: Exchange, note: Note): void {
    if (body === '') {
      if (request?.required === true) note('', 'has no body');
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      note('', 'is not JSON');
      return;
    }
    if (request) this.validate(specification, request.schema, value, note);
  }

  private judgeAnswer(
    { responses, specification }: Operation,
    { status, answer }: Exchange,
    note: Note,
  ): void {
    const key = String(status) in responses ? String(status) : status >= 400 ? 'default' : '';
    if (!(key in responses)) {
      note('', `the status ${String(status)} is not described`);
      return;
    }
    const schema = responses[key];
    if (schema) this.validate(specification, schema, answer, note);
  }

  private validate(specification: Specification, schema: Schema, value: unknown, note: Note): void {
    const check = this.compile(specification, schema);
    if (!check(value)) {
      for (const error of check.errors ?? []) note(error.instancePath, error.message ?? error.keyword);
    }
    for (const pointer of unknownFields(specification, schema, value)) note(pointer, 'is not described');
  }

  private compile({ components }: Specification, schema: Schema): ValidateFunction {
    const known = this.compiled.get(schema);
    if (known) return known;
    const check = this.ajv.compile({ allOf: [schema], components });
    this.compiled.set(schema, check);
    return check;
  }

  private pattern(pattern: string, flags: string): RegExp {
    try {
      return new RegExp(pattern, flags);
    } catch {
      this.loosePatterns.add(pattern);
      return new RegExp(pattern, flags.replace('u', ''));
    }
  }
}

type Note = (where: string, problem: string) => void;
