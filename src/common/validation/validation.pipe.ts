import { type ArgumentMetadata, type ValidationError, ValidationPipe } from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import * as validatorPackage from 'class-validator';
import { InvalidInputError } from '../errors/domain-errors.js';

/** Refuses unknown fields, converts nothing silently, and reports all problems at once. */
export const validationPipe = () =>
  new ObjectBodyPipe({
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    transform: true,
    transformOptions: { enableImplicitConversion: false, exposeUnsetFields: false },
    stopAtFirstError: true,
    // Nest would load them by name: in a bundle, those are other copies than the ones that the decorators use.
    validatorPackage,
    transformerPackage,
    exceptionFactory: (errors) =>
      new InvalidInputError('VALIDATION_FAILED', problems(errors).join('; ') || 'The request is not valid'),
  });

/** Without this pipe, a list, a text or `null` would pass as an object without any field. */
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
