import { TextField } from '../../../desk/fields.js';
import { number, t } from '../../../desk/texts.js';
import { PAGE_COLOURS, READABLE } from '../../../../src/settings/contrast.js';
import { pickerColour, readability } from '../contrast.js';
import { ImageField } from '../image-field.js';
import type { Draft } from '../settings-draft.js';

const COLOURS = [
  ['--brand-color', 'settings.colourBrand', PAGE_COLOURS['--brand-color']],
  ['--background-color', 'settings.colourBack', PAGE_COLOURS['--background-color']],
  ['--text-color', 'settings.colourText', PAGE_COLOURS['--text-color']],
] as const;

export function Branding({ draft }: { draft: Draft }) {
  const { settings, set } = draft;
  const { variables, assets } = settings.theme;
  const colour = (name: string, otherwise: string) => variables[name] ?? otherwise;
  const { text, link, button, nearestBrand } = readability(variables);
  const checks = [
    [t('settings.contrastText'), text],
    [t('settings.contrastLink'), link],
    [t('settings.contrastButton'), button],
  ] as const;
  return (
    <>
      <ImageField
        label={t('settings.logo')}
        value={assets['logo'] ?? ''}
        onValue={(value) => set('theme.assets.logo', value)}
      />
      <ImageField
        label={t('settings.picture')}
        hint={t('settings.pictureHint')}
        value={assets['picture'] ?? ''}
        onValue={(value) => set('theme.assets.picture', value)}
      />
      {COLOURS.map(([name, label, otherwise]) => (
        <div key={name} class="colour">
          <label class="colour__swatch">
            <span class="visually-hidden">{t('settings.pick', { name: t(label) })}</span>
            <input
              type="color"
              value={pickerColour(colour(name, otherwise))}
              onInput={({ currentTarget }) => set(`theme.variables.${name}`, currentTarget.value)}
            />
          </label>
          <TextField
            label={t(label)}
            value={variables[name] ?? ''}
            hint={variables[name] === undefined ? t('settings.usual', { value: otherwise }) : undefined}
            onValue={(value) => set(`theme.variables.${name}`, value.trim() || undefined)}
          />
        </div>
      ))}
      <ul class="lines" aria-label={t('settings.contrast')}>
        {checks.map(([name, ratio]) => (
          <li key={name} class="lines__row">
            <span>{name}</span>
            <span class={ratio !== undefined && ratio < READABLE ? 'field__error' : 'lines__meta'}>
              {ratio === undefined
                ? t('settings.noColour')
                : ratio < READABLE
                  ? t('settings.tooFaint', { ratio: number(Math.round(ratio * 10) / 10) })
                  : t('settings.readable', { ratio: number(Math.round(ratio * 10) / 10) })}
            </span>
          </li>
        ))}
      </ul>
      {nearestBrand !== undefined && (
        <p class="note offer">
          <Swatch colour={nearestBrand} />
          <span class="offer__text">{t('settings.linksShown', { value: nearestBrand })}</span>
        </p>
      )}
    </>
  );
}

const Swatch = ({ colour }: { colour: string }) => (
  <span class="offer__swatch" style={{ background: colour }} aria-hidden="true" />
);

/** Shows why the colours cannot be saved, and suggests the nearest readable text colour. */
export function UnreadableText({ draft, nearest }: { draft: Draft; nearest: string }) {
  return (
    <div class="note note--bad offer" role="alert">
      <Swatch colour={nearest} />
      <p class="offer__text">{t('settings.unreadable', { value: nearest })}</p>
      <button
        type="button"
        class="button button--quiet"
        onClick={() => draft.set('theme.variables.--text-color', nearest)}
      >
        {t('settings.useColour', { value: nearest })}
      </button>
    </div>
  );
}
