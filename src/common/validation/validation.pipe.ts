import { type ArgumentMetadata, type ValidationError, ValidationPipe } from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import { type ClassTransformOptions, TransformationType, type TransformFnParams } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import * as validatorPackage from 'class-validator';
import {
  getMetadataStorage,
  type ValidationArguments,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { InvalidInputError } from '../errors/domain-errors.js';

type Fields = Record<string, unknown>;
type Class = new () => object;
/** The body as an instance of the class, or undefined where the libraries have to say what is wrong with it. */
type QuickCheck = (sent: object) => object | undefined;

/** What the decorators of one property said. */
interface Rule {
  readonly name: string;
  readonly changes: readonly ((given: TransformFnParams) => unknown)[];
  /** All must hold, or nothing else is asked. */
  readonly conditions: readonly ((object: object, value: unknown) => boolean)[];
  readonly checks: readonly {
    readonly constraint: ValidatorConstraintInterface;
    readonly constraints: unknown[];
    readonly onlyIf: ((object: object, value: unknown) => boolean) | undefined;
  }[];
}

const known = new Map<unknown, QuickCheck | undefined>();

/**
 * What class-transformer and class-validator would make of a right body of the class, from what the same decorators told
 * them: they look all of that up again for every body, and make an error for every field before they look at it. It
 * only says yes. Of a body that is wrong, or that has lists or objects in it, it says nothing.
 * @returns undefined for a class with a rule that it does not know, such as one about what is nested
 */
export function quickCheckOf(type: unknown, options: ClassTransformOptions): QuickCheck | undefined {
  if (!known.has(type)) {
    const rules = typeof type === 'function' ? rulesOf(type as Class) : undefined;
    known.set(type, rules && quickCheck(type as Class, rules, options));
  }
  return known.get(type);
}

function quickCheck(type: Class, rules: readonly Rule[], options: ClassTransformOptions): QuickCheck {
  const byName = new Map(rules.map((rule) => [rule.name, rule]));
  return (sent) => {
    const made = new type() as Fields;
    for (const key of Object.keys(sent)) {
      const rule = byName.get(key);
      let value = (sent as Fields)[key];
      if (!rule || (typeof value === 'object' && value !== null)) return undefined;
      for (const change of rule.changes)
        value = change({ value, key, obj: sent, type: TransformationType.PLAIN_TO_CLASS, options });
      if (value !== undefined) made[key] = value;
    }
    for (const rule of rules) if (!holds(rule, made, type.name)) return undefined;
    return made;
  };
}

function holds({ name, conditions, checks }: Rule, object: Fields, targetName: string): boolean {
  const value = object[name];
  for (const condition of conditions) if (!condition(object, value)) return true;
  for (const { constraint, constraints, onlyIf } of checks) {
    if (onlyIf && !onlyIf(object, value)) continue;
    const asked: ValidationArguments = { targetName, property: name, object, value, constraints };
    // A promise is no answer.
    if (constraint.validate(value, asked) !== true) return false;
  }
  return true;
}

function rulesOf(type: Class): Rule[] | undefined {
  const storage = getMetadataStorage();
  // Without a schema, as the pipe asks.
  const all = storage.getTargetValidationMetadatas(type, undefined as unknown as string, false, false);
  const hasOwnIdeas =
    defaultMetadataStorage.getStrategy(type) !== 'none' ||
    defaultMetadataStorage.getExposedMetadatas(type).length > 0 ||
    defaultMetadataStorage.getExcludedMetadatas(type).length > 0;
  if (all.length === 0 || hasOwnIdeas || Object.keys(new type()).length > 0) return undefined;
  const rules: Rule[] = [];
  for (const [name, ofName] of Object.entries(storage.groupByPropertyName(all))) {
    const transforms = defaultMetadataStorage.findTransformMetadatas(
      type,
      name,
      TransformationType.PLAIN_TO_CLASS,
    );
    const typed = defaultMetadataStorage.findTypeMetadata(type, name) as object | undefined;
    if (typed || name in type.prototype) return undefined;
    if (transforms.some(({ options }) => Object.keys(options).length > 0)) return undefined;
    const checks: Rule['checks'][number][] = [];
    const conditions: Rule['conditions'][number][] = [];
    for (const { type: kind, constraintCls, constraints, validateIf, each, groups } of ofName) {
      // Undefined where a decorator was given other options.
      if (each || (groups as string[] | undefined)?.length) return undefined;
      if (kind === 'conditionalValidation') conditions.push(constraints[0] as Rule['conditions'][number]);
      else if (kind === 'customValidation')
        for (const { async, instance } of storage.getTargetValidatorConstraints(constraintCls)) {
          if (async) return undefined;
          checks.push({ constraint: instance, constraints: constraints as unknown[], onlyIf: validateIf });
        }
      // `@Allow` asks nothing; whatever else there is, is none of this one's.
      else if (kind !== 'whitelistValidation') return undefined;
    }
    rules.push({ name, changes: transforms.map(({ transformFn }) => transformFn), conditions, checks });
  }
  return rules;
}

const TRANSFORM = { enableImplicitConversion: false, exposeUnsetFields: false };

/** Unknown fields are refused, nothing is converted silently, all problems are reported at once. */
export const validationPipe = () =>
  new ObjectBodyPipe({
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    transform: true,
    transformOptions: TRANSFORM,
    stopAtFirstError: true,
    // Nest would load them by name: within a bundle those are others than the ones that our decorators spoke to.
    validatorPackage,
    transformerPackage,
    exceptionFactory: (errors) =>
      new InvalidInputError('VALIDATION_FAILED', problems(errors).join('; ') || 'The request is not valid'),
  });

/** A list, a text or `null` where an object is meant would pass as an object without any field. */
class ObjectBodyPipe extends ValidationPipe {
  // The library declares a promise and waits for whatever it is given.
  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    // What our own decorators give is no input; the library's pipe hands it on, too, by way of a promise.
    if (metadata.type === 'custom') return value as Promise<unknown>;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (metadata.type === 'body' && value !== undefined && !isObject && this.toValidate(metadata))
      throw new InvalidInputError('VALIDATION_FAILED', 'The body must be an object');
    const right = isObject && quickCheckOf(metadata.metatype, TRANSFORM)?.(value);
    if (right) return right as Promise<unknown>;
    // What is wrong with it, the libraries say.
    return super.transform(value, metadata) as Promise<unknown>;
  }
}

function problems(errors: readonly ValidationError[], path = ''): string[] {
  return errors.flatMap((error) => {
    const at = path ? `${path}.${error.property}` : error.property;
    const own = Object.values(error.constraints ?? {}).map((message) => {
      const named = message.replace(/^property (.*) should not exist$/, '$1 is not a known field');
      return path ? `${path}.${named}` : named;
    });
    return [...own, ...problems(error.children ?? [], at)];
  });
}
