import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { BlankIsAbsent, Check } from '../../common/validation/field.decorators.js';

/** Starts with a letter or digit, so that no spreadsheet reads it as a formula, and needs no escaping in an address. */
const SOURCE = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/**
 * Reads the source of a donor, such as `table-7` from `?from=table-7`: the name of a place or a campaign.
 * Ignores an invalid value, because it must not prevent a donation.
 * @returns the source in lower case, so that all spellings are counted together; undefined if there is none
 */
export function readSource(value: unknown): string | undefined {
  const source = typeof value === 'string' ? value.toLowerCase() : '';
  return SOURCE.test(source) ? source : undefined;
}

/** Field with the source of a donor. An invalid source counts as absent. */
export const Source = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? readSource(value) : value)),
    BlankIsAbsent(),
    Check((value) => (typeof value === 'string' ? undefined : 'must be a string'), { type: 'string' }),
  );
