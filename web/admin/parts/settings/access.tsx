import { CheckField, TextField } from '../../../desk/fields.js';
import { t } from '../../../desk/texts.js';
import type { Draft } from '../settings-draft.js';

export function Access({ draft }: { draft: Draft }) {
  const { settings, set } = draft;
  const days = settings.privacy.retainUnpaidDays;
  return (
    <>
      {(['requireSecondFactor', 'passwordSignIn', 'enrolledTerminalsOnly'] as const).map((name) => (
        <CheckField
          key={name}
          label={t(`settings.auth.${name}`)}
          hint={t(`settings.auth.${name}Hint`)}
          checked={settings.auth[name]}
          onChecked={(on) => set(`auth.${name}`, on)}
        />
      ))}
      <TextField
        label={t('settings.retain')}
        hint={t('settings.retainHint')}
        type="number"
        value={days === null ? '' : String(days)}
        onValue={(value) => set('privacy.retainUnpaidDays', value === '' ? null : Number(value))}
        optional
      />
      <TextField
        label={t('settings.guestDays')}
        hint={t('settings.guestDaysHint')}
        type="number"
        value={String(settings.privacy.guestDays)}
        onValue={(value) => set('privacy.guestDays', Number(value))}
      />
    </>
  );
}
