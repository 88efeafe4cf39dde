import { newId, timeOfId } from '../../common/crypto/ids.js';
import type { KeyRing } from '../../common/crypto/key-ring.js';
import {
  donorFields,
  donorKeyOf,
  moderationStates,
  NOT_AT_A_TERMINAL,
  staysUnnamed,
} from '../../donations/recording/new-donation.js';
import type { DonationRow, NewDonation } from '../../donations/store/donation-columns.js';
import { readTribute, tributeColumns } from '../../donations/tributes/tribute-columns.js';
import type { EventRecord } from '../../events/event-record.js';
import type { IntentMetadataDto } from './dto/intent.dto.js';
import type { AcceptedIntent } from './intent-rules.js';

/** An intent that passed the checks, with its event and the pledge that it pays. */
interface Intended {
  readonly event: Pick<EventRecord, 'id'>;
  readonly metadata: IntentMetadataDto;
  readonly pledge: DonationRow | undefined;
  readonly accepted: AcceptedIntent;
  /** The team that the donor chose. */
  readonly teamId: string | null;
}

/** How the donor pays. */
interface Way {
  readonly type: NewDonation['type'];
  /** Name of the provider; null for a bank transfer. */
  readonly name: string | null;
}

/** Returns the columns of the PENDING donation of an intent. */
export function intendedDonation(
  keys: KeyRing,
  { event, metadata, pledge, accepted, teamId }: Intended,
  { type, name }: Way,
): NewDonation {
  const id = newId();
  const { amount, currency, moderate, details, declaration } = accepted;
  // If the pledge is anonymous, the donation is anonymous too, unless the donor changes this choice now.
  const unnamed = metadata.isAnonymous ?? (pledge && staysUnnamed(pledge));
  const { donorName, donorEmail, message } = metadata;
  const donor = donorFields({ donorName, donorEmail, message, isAnonymous: unnamed });
  // The name of a declaration makes the donor findable, but a donor who typed no other name stays anonymous.
  const legalName = declaration ? `${declaration.firstName} ${declaration.lastName}` : null;
  return {
    id,
    event_id: event.id,
    match_pool_id: null,
    amount,
    currency,
    type,
    donor_name: donor.donorName ?? legalName,
    donor_email: donor.donorEmail,
    is_anonymous: donor.isAnonymous,
    message: donor.message,
    ...moderationStates(moderate, donor),
    donor_key: donorKeyOf(keys, donor.donorEmail),
    staff_id: null,
    staff_name: null,
    provider: name,
    payment_id: null,
    expected_amount: amount,
    expected_currency: currency,
    ...details,
    ...tributeOf(keys, moderate, metadata, pledge),
    is_amount_hidden: metadata.isAmountHidden ?? pledge?.is_amount_hidden ?? false,
    team_id: teamId ?? pledge?.team_id ?? null,
    created_at: timeOfId(id),
    ...NOT_AT_A_TERMINAL,
  };
}

/** The tribute that the donor enters now, or that of the pledge with the decision about it. */
function tributeOf(
  keys: KeyRing,
  moderate: AcceptedIntent['moderate'],
  { tribute }: IntentMetadataDto,
  pledge: DonationRow | undefined,
): Pick<NewDonation, 'tribute' | 'tribute_state' | 'notified_key'> {
  if (tribute !== undefined || !pledge) return tributeColumns(keys, moderate, readTribute(tribute));
  const { tribute: kept, tribute_state, notified_key } = pledge;
  return { tribute: kept, tribute_state, notified_key };
}
