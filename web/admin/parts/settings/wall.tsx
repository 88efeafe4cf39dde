import { CheckField, MoneyField, SelectField, TextField } from '../../../desk/fields.js';
import { t } from '../../../desk/texts.js';
import { ImagesField } from '../images-field.js';
import type { Draft } from '../settings-draft.js';
import { Presets } from './presets.js';

/** Maximum number of pictures, the same as in the settings. */
const MOST_SLIDES = 12;

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
  const { slides } = settings.live;
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
      <SelectField
        label={t('settings.matchMode')}
        value={settings.live.match.mode}
        choices={(['one', 'all'] as const).map((value) => ({
          value,
          label: t(`settings.matchMode.${value}`),
        }))}
        onValue={(value) => set('live.match.mode', value)}
      />
      <SelectField
        label={t('settings.matchTotal')}
        value={settings.live.match.total}
        choices={(['apart', 'with'] as const).map((value) => ({
          value,
          label: t(`settings.matchTotal.${value}`),
        }))}
        onValue={(value) => set('live.match.total', value)}
      />
      <MoneyField
        label={t('settings.celebrate')}
        hint={t('settings.celebrateHint')}
        currency={currency}
        value={settings.live.celebrateFrom}
        onValue={(value) => value !== undefined && set('live.celebrateFrom', value === 0 ? null : value)}
        optional
      />
      <MoneyField
        label={t('settings.hold')}
        hint={t('settings.holdHint')}
        currency={currency}
        value={settings.live.holdFrom}
        onValue={(value) => value !== undefined && set('live.holdFrom', value === 0 ? null : value)}
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
      <Presets
        key={`${currency} ${draft.round}`}
        label={t('settings.raiseLevels')}
        currency={currency}
        value={settings.live.raiseLevels}
        onValue={(levels) => set('live.raiseLevels', levels)}
      />
      <CheckField
        label={t('settings.goalSound')}
        hint={t('settings.goalSoundHint')}
        checked={sound}
        onChecked={(checked) => set('live.wall.sound', checked)}
      />
      <ImagesField
        label={t('settings.slides')}
        hint={t('settings.slidesHint')}
        value={slides.images}
        most={MOST_SLIDES}
        onValue={(paths) => set('live.slides.images', paths)}
      />
      {slides.images.length > 0 && (
        <>
          <TextField
            label={t('settings.slidesEvery')}
            type="number"
            value={String(slides.everyMinutes)}
            onValue={(value) => set('live.slides.everyMinutes', Number(value))}
          />
          <TextField
            label={t('settings.slidesFor')}
            type="number"
            value={String(slides.showSeconds)}
            onValue={(value) => set('live.slides.showSeconds', Number(value))}
          />
        </>
      )}
      <SelectField
        label={t('settings.boardOrder')}
        value={settings.boards.order}
        choices={(['raised', 'share', 'gifts'] as const).map((value) => ({
          value,
          label: t(`settings.boardOrder.${value}`),
        }))}
        onValue={(value) => set('boards.order', value)}
      />
      <div class="pair">
        <TextField
          label={t('settings.boardFrom')}
          hint={t('settings.boardFromHint')}
          type="number"
          min={2}
          max={20}
          value={String(settings.boards.minGifts)}
          onValue={(value) => set('boards.minGifts', Number(value))}
        />
        <TextField
          label={t('settings.boardRound')}
          hint={t('settings.boardRoundHint', { currency: currency.toUpperCase() })}
          type="number"
          min={1}
          max={100_000}
          value={String(settings.boards.roundTo)}
          onValue={(value) => set('boards.roundTo', Number(value))}
        />
      </div>
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
