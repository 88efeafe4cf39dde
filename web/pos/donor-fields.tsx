import { Check, Field } from './parts.jsx';
import { type Donor, hasBadEmail } from './records.js';
import { t } from './texts.js';

interface Props {
  readonly donor: Donor;
  readonly onChange: (donor: Donor) => void;
  /** True after the volunteer tried to continue. An invalid address is marked only after this. */
  readonly checked?: boolean;
}

/** Optional data of the donor. */
export const DonorFields = ({ donor, onChange, checked }: Props) => (
  <div class="stack donor__fields">
    <Field
      label={t('donor.name')}
      value={donor.donorName ?? ''}
      maxLength={200}
      onChange={(donorName) => onChange({ ...donor, donorName })}
    />
    <Field
      label={t('donor.email')}
      type="email"
      value={donor.donorEmail ?? ''}
      maxLength={254}
      problem={checked && hasBadEmail(donor) ? t('donor.emailWrong') : undefined}
      onChange={(donorEmail) => onChange({ ...donor, donorEmail })}
    />
    <Field
      label={t('donor.message')}
      lines={2}
      value={donor.message ?? ''}
      maxLength={500}
      onChange={(message) => onChange({ ...donor, message })}
    />
    <Check
      label={t('donor.anonymous')}
      checked={donor.isAnonymous ?? false}
      onChange={(isAnonymous) => onChange({ ...donor, isAnonymous })}
    />
    <Check
      label={t('donor.hideAmount')}
      checked={donor.isAmountHidden ?? false}
      onChange={(isAmountHidden) => onChange({ ...donor, isAmountHidden })}
    />
  </div>
);
