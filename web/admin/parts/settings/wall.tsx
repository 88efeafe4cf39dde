import { CheckField, MoneyField, SelectField, TextField } from '../../../desk/fields.js';
import { t } from '../../../desk/texts.js';
import type { Draft } from '../settings-draft.js';

export function Wall({
  draft,
  eventCurrency,
}: {
  draft: Draft;
  /** Currency of the event; undefined for the settings of all events. */
  eventCurrency: string | undefined;
}) {
  const { settings, set } = draft;
  const currency = eventCurrency ?? settings.payment.currency;
  const { nextGoal, sound } = settings.live.wall;
  return (
    <>
      <SelectField
        label={t('settings.wallTheme')}
        value={settings.live.theme}
        choices={(['dark', 'light', 'gala'] as const).map((value) => ({
          value,
          label: t(`settings.wall.${value}`),
        }))}
        onValue={(value) => set('live.theme', value)}
      />
      <SelectField
        label={t('settings.moderate')}
        hint={t('settings.moderateHint')}
        value={settings.live.moderate}
        choices={(['none', 'messages', 'all'] as const).map((value) => ({
          value,
          label: t(`settings.moderate.${value}`),
        }))}
        onValue={(value) => set('live.moderate', value)}
      />
      <MoneyField
        label={t('settings.celebrate')}
        hint={t('settings.celebrateHint')}
        currency={currency}
        value={settings.live.celebrateFrom}
        onValue={(value) => value !== undefined && set('live.celebrateFrom', value === 0 ? null : value)}
        optional
      />
      {eventCurrency !== undefined && (
        <MoneyField
          label={t('settings.nextGoal')}
          hint={t('settings.nextGoalHint')}
          currency={eventCurrency}
          value={nextGoal}
          onValue={(value) => value !== undefined && set('live.wall.nextGoal', value === 0 ? null : value)}
          optional
        />
      )}
      <CheckField
        label={t('settings.goalSound')}
        hint={t('settings.goalSoundHint')}
        checked={sound}
        onChecked={(checked) => set('live.wall.sound', checked)}
      />
      <TextField
        label={t('settings.embed')}
        hint={t('settings.embedHint')}
        rows={2}
        value={settings.embed.origins.join('\n')}
        onValue={(value) =>
          set(
            'embed.origins',
            value.split(/\s+/).filter((one) => one !== ''),
          )
        }
        optional
      />
    </>
  );
}
