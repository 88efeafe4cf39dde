import { type ArgumentMetadata, type ValidationError, ValidationPipe } from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import * as validatorPackage from 'class-validator';
import { InvalidInputError } from '../errors/domain-errors.js';

/** Checks request bodies and queries. Refuses unknown fields, converts no value silently, and reports all problems at once. */
export const validationPipe = () =>
  new ObjectBodyPipe({
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    transform: true,
    transformOptions: { enableImplicitConversion: false, exposeUnsetFields: false },
    stopAtFirstError: true,
    // Passes the packages themselves. In a bundle, Nest would load them by name and get other copies than the decorators use.
    validatorPackage,
    transformerPackage,
    exceptionFactory: (errors) =>
      new InvalidInputError('VALIDATION_FAILED', problems(errors).join('; ') || 'The request is not valid'),
  });

/** Refuses bodies that are not objects. Otherwise, a list, a text or `null` would be accepted as an object without fields. */
class ObjectBodyPipe extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (metadata.type === 'body' && value !== undefined && !isObject && this.toValidate(metadata))
      throw new InvalidInputError('VALIDATION_FAILED', 'The body must be an object');
    return await super.transform(value, metadata);
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
