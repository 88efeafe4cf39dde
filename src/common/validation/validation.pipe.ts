import { type ArgumentMetadata, type ValidationError, ValidationPipe } from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import * as validatorPackage from 'class-validator';
import { type FieldProblem, RefusedFieldsError } from '../errors/domain-errors.js';
import { type BrokenRule, brokenRule, type Constraint } from './broken-rule.js';

const VALIDATION = {
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  stopAtFirstError: true,
} as const;
const TRANSFORMATION = { enableImplicitConversion: false, exposeUnsetFields: false } as const;

/**
 * Checks an object that did not come as a request body, such as a row of a file, by the rules of a body.
 * @returns the body with tidied values, or the refused fields
 */
export function readBody<Body extends object>(
  type: new () => Body,
  fields: object,
): { readonly body: Body } | { readonly problems: readonly FieldProblem[] } {
  const body = transformerPackage.plainToInstance(type, fields, TRANSFORMATION);
  const errors = validatorPackage.validateSync(body, VALIDATION);
  return errors.length === 0 ? { body } : { problems: problems(errors) };
}

/** Checks request bodies and queries. Refuses unknown fields, converts no value silently, and reports all problems at once. */
export const validationPipe = () =>
  new ObjectBodyPipe({
    ...VALIDATION,
    transform: true,
    transformOptions: TRANSFORMATION,
    // Passes the packages themselves. In a bundle, Nest would load them by name and get other copies than the decorators use.
    validatorPackage,
    transformerPackage,
    exceptionFactory: (errors) => new RefusedFieldsError(problems(errors)),
  });

/** Refuses bodies that are not objects. Otherwise, a list, a text or `null` would be accepted as an object without fields. */
class ObjectBodyPipe extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (metadata.type === 'body' && value !== undefined && !isObject && this.toValidate(metadata))
      throw new RefusedFieldsError([{ field: '', rule: 'type', message: 'The body must be an object' }]);
    return await super.transform(value, metadata);
  }
}

/** Returns every refused field with its broken rule. */
function problems(errors: readonly ValidationError[], path = ''): FieldProblem[] {
  return errors.flatMap((error) => {
    const at = path ? `${path}.${error.property}` : error.property;
    const own = Object.entries(error.constraints ?? {}).map(([name, text]) => {
      const named = text.replace(/^property (.*) should not exist$/, '$1 is not a known field');
      return { field: at, ...ruleOf(name, error), message: path ? `${path}.${named}` : named };
    });
    return [...own, ...problems(error.children ?? [], at)];
  });
}

/** Reads the rule from the schema that the check of the field has as its context. */
function ruleOf(name: string, { value, contexts }: ValidationError): BrokenRule {
  if (name === 'whitelistValidation') return { rule: 'unknown' };
  const schema = contexts?.[name] as Constraint | undefined;
  if (!schema) return { rule: value === undefined ? 'required' : 'type' };
  return brokenRule(value, schema);
}
