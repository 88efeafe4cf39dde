import { InvalidInputError } from '../common/errors/domain-errors.js';

/** What a client asks to join or leave. */
export interface JoinRequest {
  /** Id or slug. */
  readonly event: string;
  /** The last sequence the client has; null when it has none and wants no replay. */
  readonly since: number | null;
  /** Whether the answer is to carry a snapshot to start from. */
  readonly snapshot: boolean;
}

const MAX_REFERENCE = 100;

/**
 * Reads `"id-or-slug"` or `{ eventId, since?, snapshot? }`.
 * @throws InvalidInputError for everything else.
 */
export function readJoinRequest(body: unknown): JoinRequest {
  const fields: Record<string, unknown> =
    typeof body === 'object' && body !== null ? { ...body } : { eventId: body };
  const { eventId, since, snapshot } = fields;
  if (typeof eventId !== 'string' || eventId === '' || eventId.length > MAX_REFERENCE)
    throw new InvalidInputError('VALIDATION_FAILED', 'eventId must be the id or slug of an event');
  if (since !== undefined && since !== null && !(Number.isSafeInteger(since) && Number(since) >= 0))
    throw new InvalidInputError('VALIDATION_FAILED', 'since must be the sequence of a message');
  if (snapshot !== undefined && typeof snapshot !== 'boolean')
    throw new InvalidInputError('VALIDATION_FAILED', 'snapshot must be a boolean');
  return { event: eventId, since: typeof since === 'number' ? since : null, snapshot: snapshot === true };
}
