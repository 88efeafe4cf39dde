/** The options of a control, as received in JSON. */
export type Options = Readonly<Record<string, unknown>>;

/** A control's function; `target` is the id in its route. */
export type Action = (target: string, options: Options) => unknown;

/** The error of a control with invalid options. */
export class ControlError extends Error {}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

export function choice<T extends string | number>(value: unknown, allowed: readonly T[], name: string): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new ControlError(`${name} must be one of ${allowed.join(', ')}`);
  return found;
}

/**
 * Reads options that are numbers of days; negative numbers are in the past. Missing options are omitted in the
 * result.
 */
export function days<Name extends string>(options: Record<Name, unknown>): Partial<Record<Name, number>> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  if (given.some(([, value]) => !Number.isSafeInteger(value)))
    throw new ControlError('Days must be whole numbers');
  return Object.fromEntries(given) as Partial<Record<Name, number>>;
}

/** Reads the common options and checks their types. Other options are ignored. */
export function typed(options: Options) {
  const { amount, received, currency, force, pending, inquiry, reason, declineCode, final } = options;
  if (amount !== undefined && !isCount(amount)) throw new ControlError('amount must be whole minor units');
  if (received !== undefined && !isCount(received))
    throw new ControlError('received must be whole minor units');
  return {
    ...(isCount(received) && { received }),
    ...(typeof final === 'boolean' && { final }),
    ...(isCount(amount) && { amount }),
    ...(typeof currency === 'string' && { currency }),
    ...(typeof reason === 'string' && { reason }),
    ...(typeof declineCode === 'string' && { declineCode }),
    force: force === true,
    pending: pending === true,
    inquiry: inquiry === true,
  };
}
