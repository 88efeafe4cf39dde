import { can, type Principal } from '../../common/access/principal.js';
import { ForbiddenError } from '../../common/errors/domain-errors.js';
import type { DonationDto } from '../dto/donation.dto.js';
import { FIELDS_OF_DONORS } from './fields-of-donors.js';

const HIDDEN: ReadonlySet<string> = new Set<keyof DonationDto>(FIELDS_OF_DONORS);

const seesDonors = (caller: Principal): boolean => can(caller, 'donations:see-donors');

/** Returns the answer as the caller may see it. For an API key without personal data, the fields of the donor are absent. */
export function shownTo<Answer extends DonationDto>(caller: Principal, answer: Answer): Answer {
  if (seesDonors(caller)) return answer;
  const shown = Object.entries(answer).filter(([field]) => !HIDDEN.has(field));
  return Object.fromEntries(shown) as Answer;
}

/** @throws ForbiddenError `PERSONAL_DATA_FORBIDDEN` for an API key without personal data */
export function assertSeesDonors(caller: Principal): void {
  if (!seesDonors(caller))
    throw new ForbiddenError('PERSONAL_DATA_FORBIDDEN', 'This API key may not read personal data');
}

/** True if files for the caller have no columns about donors. */
export const hidesDonors = (caller: Principal): boolean => !seesDonors(caller);
