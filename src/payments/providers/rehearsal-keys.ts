import { isRehearsal } from '../../common/crypto/rehearsal-ids.js';
import { ConflictError } from '../../common/errors/domain-errors.js';
import type { PaymentProvider } from './provider-port.js';

/**
 * Call it before each request that begins a payment or saves a card.
 * @throws ConflictError `REHEARSAL_NEEDS_TEST_KEYS` for a rehearsal if the keys can move real money
 */
export function refuseLiveRehearsal({ name, isTest }: PaymentProvider, eventId: string): void {
  if (isRehearsal(eventId) && isTest !== true)
    throw new ConflictError(
      'REHEARSAL_NEEDS_TEST_KEYS',
      `This is a rehearsal, and ${name} has live keys here, so nothing can be paid with it`,
    );
}
