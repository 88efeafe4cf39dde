import type { DonationRow } from './donation-columns.js';
import type { DonorFieldsDto } from './dto/record-donation.dto.js';

export interface DonorFields {
  readonly donorName: string | null;
  readonly donorEmail: string | null;
  readonly isAnonymous: boolean;
  readonly message: string | null;
}

/** What was sent about a donor, complete: absent is null, and without a name a donation is anonymous. */
export function donorFields(sent: DonorFieldsDto): DonorFields {
  const donorName = sent.donorName ?? null;
  return {
    donorName,
    donorEmail: sent.donorEmail ?? null,
    isAnonymous: donorName === null || (sent.isAnonymous ?? false),
    message: sent.message ?? null,
  };
}

/** Whether a donor who gave a name asked not to be shown by it. */
export const staysUnnamed = ({
  donor_name,
  is_anonymous,
}: Pick<DonationRow, 'donor_name' | 'is_anonymous'>): boolean => is_anonymous && donor_name !== null;
