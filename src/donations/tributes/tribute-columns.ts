import type { KeyRing } from '../../common/crypto/key-ring.js';
import { donorKeyOf, type Moderation } from '../recording/new-donation.js';
import type { DonationRow, MessageState } from '../store/donation-columns.js';
import type { Tribute } from './tribute.js';
import type { TributeDto } from './tribute.dto.js';

type TributeColumns = Pick<DonationRow, 'tribute' | 'tribute_state' | 'notified_key'>;

/** Returns the complete tribute: absent fields are null. */
export const readTribute = (sent: TributeDto | null | undefined): Tribute | null =>
  sent
    ? {
        kind: sent.kind,
        name: sent.name,
        message: sent.message ?? null,
        notifyEmail: sent.notifyEmail ?? null,
      }
    : null;

/** State of the tribute of a new donation. Its name and message wait for approval where messages do. */
export const tributeState = (moderate: Moderation, tribute: Tribute | null): MessageState | null =>
  tribute && (moderate === 'none' ? 'visible' : 'held');

/** The columns of a new donation's tribute. */
export const tributeColumns = (
  keys: KeyRing,
  moderate: Moderation,
  tribute: Tribute | null,
): TributeColumns => ({
  tribute,
  tribute_state: tributeState(moderate, tribute),
  notified_key: donorKeyOf(keys, tribute?.notifyEmail ?? null),
});

/**
 * The columns after a correction. A changed name or message waits for approval like a new one; a hidden tribute stays hidden. If the
 * address is unchanged, its key is kept, because a new key could differ after a change of the secret.
 */
export function correctedTribute(
  keys: KeyRing,
  moderate: Moderation,
  before: TributeColumns,
  tribute: Tribute | null,
): TributeColumns {
  const fresh = tributeColumns(keys, moderate, tribute);
  const old = before.tribute;
  const isSame =
    tribute?.kind === old?.kind && tribute?.name === old?.name && tribute?.message === old?.message;
  const decided = before.tribute_state !== null && (isSame || before.tribute_state !== 'visible');
  return {
    tribute,
    tribute_state: tribute && decided ? before.tribute_state : fresh.tribute_state,
    notified_key: tribute?.notifyEmail === old?.notifyEmail ? before.notified_key : fresh.notified_key,
  };
}
