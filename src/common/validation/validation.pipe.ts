import { type ValidationError, ValidationPipe } from '@nestjs/common';
import { InvalidInputError } from '../errors/domain-errors.js';

/** Unknown fields are refused, nothing is converted silently, all problems are told at once. */
export const validationPipe = () =>
  new ValidationPipe({
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    transform: true,
    transformOptions: { enableImplicitConversion: false, exposeUnsetFields: false },
    stopAtFirstError: true,
    exceptionFactory: (errors) =>
      new InvalidInputError('VALIDATION_FAILED', problems(errors).join('; ') || 'The request is not valid'),
  });

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
