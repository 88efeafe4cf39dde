import { useState } from 'preact/hooks';
import { CheckField, MoneyField, SelectField, TextField } from '../../desk/fields.js';
import { Failed, Skeleton } from '../../desk/states.js';
import { exponentOf, money, number, t, typedAmount } from '../../desk/texts.js';
import { confirmAbove } from '../../kit/large-amounts.js';
import { PAGE_COLOURS, READABLE } from '../../../src/settings/contrast.js';
import { parseAmount } from '../../../src/pages/donate/amount.js';
import { LANGUAGES } from '../languages.js';
import { model } from '../model.js';
import { ConflictNote } from '../parts/edit-conflict.js';
import { Connections } from '../parts/connections.js';
import { pickerColour, readability } from '../parts/contrast.js';
import { useEventNamed } from '../parts/events.js';
import { ImageField } from '../parts/image-field.js';
import { Preview } from '../parts/preview.js';
import { at, type Draft, useDraft } from '../parts/settings-draft.js';
import { href, setQuery, usePlace } from '../router.js';

const SECTIONS = ['organization', 'branding', 'donating', 'wall', 'access', 'connections'] as const;
type Section = (typeof SECTIONS)[number];
/** Sections that exist only for the whole organization, not for one event. */
const GLOBAL_ONLY: readonly Section[] = ['access', 'connections'];

export function SettingsScreen({ section: asked }: { section: string | undefined }) {
  const { query } = usePlace();
  // While the event loads, read no settings: otherwise the page would show the settings of the organization instead.
  const { events, event, loading: waits } = useEventNamed(query.get('event'));
  const { draft, error, reload } = useDraft(
    waits ? null : event ? `/events/${event.id}/settings` : '/settings/global',
  );
  const sections = SECTIONS.filter((one) => !event || !GLOBAL_ONLY.includes(one));
  const section = sections.find((one) => one === asked) ?? 'organization';
  const shown =
    event ??
    events.find(({ status }) => status === 'active') ??
    events.find(({ status }) => status === 'closed');
  const search = event ? { event: event.slug } : {};
  // Checks the colours only if a colour was changed, so that bad colours saved earlier do not prevent other changes.
  const unreadable = draft?.changes('theme.variables.')
    ? readability(draft.settings.theme.variables).nearestText
    : undefined;
  return (
    <>
      <header class="page__head">
        <h1 class="page__name">{t('nav.settings')}</h1>
        <label class="filters__choice">
          <span class="visually-hidden">{t('settings.for')}</span>
          <select
            class="input select"
            value={event?.slug ?? ''}
            onChange={({ currentTarget }) => setQuery({ event: currentTarget.value })}
          >
            <option value="">{t('settings.forAll')}</option>
            {events.map((one) => (
              <option key={one.id} value={one.slug} selected={one.slug === event?.slug}>
                {t('settings.forOne', { name: one.name })}
              </option>
            ))}
          </select>
        </label>
      </header>
      <nav class="tabs" aria-label={t('nav.settings')}>
        {sections.map((one) => (
          <a
            key={one}
            class="tabs__one"
            href={href(`settings/${one}`, search)}
            aria-current={one === section ? 'page' : undefined}
          >
            {t(`settings.${one}`)}
          </a>
        ))}
      </nav>
      {error && <Failed error={error} retry={reload} />}
      {!draft && !error && <Skeleton />}
      {draft && section === 'connections' && <Connections />}
      {draft && section !== 'connections' && (
        <div class="columns">
          <form
            class="panel stack"
            onSubmit={(submit) => {
              submit.preventDefault();
              if (unreadable === undefined) void draft.save();
            }}
          >
            {event && <p class="note">{t('settings.overrides', { name: event.name })}</p>}
            <ConflictNote
              fields={draft.conflicts}
              currency={event?.currency ?? draft.settings.payment.currency}
              onMine={draft.keepMine}
              onTheirs={draft.takeTheirs}
            />
            {section === 'organization' && <Organization draft={draft} />}
            {section === 'branding' && <Branding draft={draft} />}
            {section === 'donating' && <Donating draft={draft} currency={event?.currency} />}
            {section === 'wall' && <Wall draft={draft} currency={event?.currency} />}
            {section === 'access' && <Access draft={draft} />}
            {unreadable !== undefined && <UnreadableText draft={draft} nearest={unreadable} />}
            {draft.problem !== undefined && (
              <p class="note note--bad" role="alert">
                {draft.problem}
              </p>
            )}
            <div class="save" data-changed={draft.isChanged}>
              <span class="save__state" role="status">
                {draft.isChanged ? t('settings.unsaved') : ''}
              </span>
              <button
                type="button"
                class="button button--quiet"
                disabled={!draft.isChanged}
                onClick={draft.undo}
              >
                {t('action.undo')}
              </button>
              <button
                type="submit"
                class="button"
                disabled={!draft.isChanged || draft.saving || unreadable !== undefined}
              >
                {draft.saving ? t('state.working') : t('action.save')}
              </button>
            </div>
          </form>
          <Preview settings={draft.settings} slug={shown?.slug} />
        </div>
      )}
    </>
  );
}

const numberText = (draft: Draft, path: string): string => {
  const value = at(draft.settings, path);
  return typeof value === 'number' ? String(value) : '';
};

function Organization({ draft }: { draft: Draft }) {
  const { settings, set } = draft;
  const supported = new Set(settings.locales.supported);
  return (
    <>
      <TextField
        label={t('settings.name')}
        value={settings.organization}
        maxLength={200}
        onValue={(value) => set('organization', value)}
      />
      <TextField
        label={t('settings.legalName')}
        hint={t('settings.legalNameHint')}
        value={settings.legal.legalName}
        maxLength={200}
        onValue={(value) => set('legal.legalName', value)}
      />
      <TextField
        label={t('settings.address')}
        value={settings.legal.address}
        rows={3}
        maxLength={500}
        onValue={(value) => set('legal.address', value)}
      />
      <div class="pair">
        <TextField
          label={t('settings.taxId')}
          value={settings.legal.taxId}
          maxLength={100}
          onValue={(value) => set('legal.taxId', value)}
        />
        <TextField
          label={t('settings.signatory')}
          value={settings.legal.signatory}
          maxLength={200}
          onValue={(value) => set('legal.signatory', value)}
        />
      </div>
      <TextField
        label={t('settings.footer')}
        value={settings.legal.footer}
        rows={2}
        maxLength={1000}
        onValue={(value) => set('legal.footer', value)}
      />
      <div class="pair">
        <SelectField
          label={t('settings.timezone')}
          value={settings.timezone}
          choices={[...new Set([settings.timezone, 'UTC', ...Intl.supportedValuesOf('timeZone')])].map(
            (value) => ({
              value,
              label: value.replaceAll('_', ' '),
            }),
          )}
          onValue={(value) => set('timezone', value)}
        />
        <SelectField
          label={t('settings.currency')}
          value={settings.payment.currency}
          choices={[...new Set([...model.currencies, settings.payment.currency])].map((value) => ({
            value,
            label: value.toUpperCase(),
          }))}
          onValue={(value) => set('payment.currency', value)}
        />
      </div>
      <fieldset class="field">
        <legend class="field__label">{t('settings.languages')}</legend>
        <div class="checks">
          {[...new Set([...Object.keys(LANGUAGES), ...settings.locales.supported])].map((code) => (
            <CheckField
              key={code}
              label={LANGUAGES[code] ?? code}
              checked={supported.has(code)}
              disabled={supported.size === 1 && supported.has(code)}
              onChecked={(on) => {
                const next = on
                  ? [...settings.locales.supported, code]
                  : settings.locales.supported.filter((one) => one !== code);
                set('locales.supported', next);
                if (!next.includes(settings.locales.default)) set('locales.default', next[0]);
              }}
            />
          ))}
        </div>
      </fieldset>
      <SelectField
        label={t('settings.language')}
        value={settings.locales.default}
        choices={settings.locales.supported.map((value) => ({ value, label: LANGUAGES[value] ?? value }))}
        onValue={(value) => set('locales.default', value)}
      />
    </>
  );
}

const COLOURS = [
  ['--brand-color', 'settings.colourBrand', PAGE_COLOURS['--brand-color']],
  ['--background-color', 'settings.colourBack', PAGE_COLOURS['--background-color']],
  ['--text-color', 'settings.colourText', PAGE_COLOURS['--text-color']],
] as const;

function Branding({ draft }: { draft: Draft }) {
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
function UnreadableText({ draft, nearest }: { draft: Draft; nearest: string }) {
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

const MODES = ['optional', 'required', 'hidden'] as const;

function Donating({
  draft,
  currency = draft.settings.payment.currency,
}: {
  draft: Draft;
  currency: string | undefined;
}) {
  const { settings, set } = draft;
  const { donation } = settings;
  const amount = (path: string, label: string, hint?: string) => (
    <MoneyField
      label={label}
      hint={hint}
      currency={currency}
      value={(at(settings, path) as number | null | undefined) ?? null}
      onValue={(value) => value !== undefined && set(path, value === 0 ? null : value)}
      optional
    />
  );
  return (
    <>
      <Presets
        key={`${currency} ${draft.round}`}
        currency={currency}
        value={donation.presets}
        onValue={(presets) => set('donation.presets', presets)}
      />
      <div class="pair">
        {amount('donation.minAmount', t('settings.least'))}
        {amount('donation.maxAmount', t('settings.most'))}
      </div>
      <div class="pair">
        {amount(
          'donation.confirmOfflineAbove',
          t('settings.confirmAbove'),
          t('settings.confirmAboveHint', {
            limit: money(confirmAbove(null, currency, exponentOf(currency)), currency, { short: true }),
          }),
        )}
        {amount('donation.maxOfflineAmount', t('settings.mostOffline'))}
      </div>
      <fieldset class="field">
        <legend class="field__label">{t('settings.asks')}</legend>
        <div class="pair">
          {(['donorName', 'donorEmail', 'message'] as const).map((name) => (
            <SelectField
              key={name}
              label={t(`settings.field.${name}`)}
              value={donation.fields[name]}
              choices={MODES.map((value) => ({ value, label: t(`settings.mode.${value}`) }))}
              onValue={(value) => set(`donation.fields.${name}`, value)}
            />
          ))}
        </div>
      </fieldset>
      <CheckField
        label={t('settings.ownReceipt')}
        checked={donation.receiptDownload}
        onChecked={(on) => set('donation.receiptDownload', on)}
      />
      {at(settings, 'receipts.email') !== undefined && (
        <CheckField
          label={t('settings.emailReceipt')}
          checked={at(settings, 'receipts.email') === true}
          onChecked={(on) => set('receipts.email', on)}
        />
      )}
      {at(settings, 'donation.coverFee') !== undefined && (
        <CheckField
          label={t('settings.coverFee')}
          hint={t('settings.coverFeeHint')}
          checked={at(settings, 'donation.coverFee') === true}
          onChecked={(on) => set('donation.coverFee', on)}
        />
      )}
      {at(settings, 'donation.undoMinutes') !== undefined && (
        <TextField
          label={t('settings.undoMinutes')}
          type="number"
          value={numberText(draft, 'donation.undoMinutes')}
          onValue={(value) => set('donation.undoMinutes', Number(value))}
        />
      )}
    </>
  );
}

/** Amounts typed as `10; 25; 50`. An invalid amount shows an error and is not saved. */
function Presets({
  currency,
  value,
  onValue,
}: {
  currency: string;
  value: readonly number[];
  onValue: (presets: readonly number[]) => void;
}) {
  const [typed, setTyped] = useState(() => value.map((one) => typedAmount(one, currency)).join('; '));
  const read = (given: string) =>
    given
      .split(';')
      .map((one) => one.trim())
      .filter((one) => one !== '')
      .map((one) => parseAmount(one, exponentOf(currency), currency));
  return (
    <TextField
      label={t('settings.presets')}
      hint={t('settings.presetsHint', { currency: currency.toUpperCase() })}
      error={read(typed).includes(undefined) ? t('field.noAmount') : undefined}
      value={typed}
      onValue={(next) => {
        setTyped(next);
        const amounts = read(next);
        if (!amounts.includes(undefined)) onValue(amounts as number[]);
      }}
    />
  );
}

function Wall({
  draft,
  currency = draft.settings.payment.currency,
}: {
  draft: Draft;
  currency: string | undefined;
}) {
  const { settings, set } = draft;
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

function Access({ draft }: { draft: Draft }) {
  const { settings, set } = draft;
  const days = at(settings, 'privacy.retainUnpaidDays');
  return (
    <>
      {(['requireSecondFactor', 'passwordSignIn', 'enrolledTerminalsOnly'] as const).map((name) =>
        at(settings, `auth.${name}`) === undefined ? null : (
          <CheckField
            key={name}
            label={t(`settings.auth.${name}`)}
            hint={t(`settings.auth.${name}Hint`)}
            checked={at(settings, `auth.${name}`) === true}
            onChecked={(on) => set(`auth.${name}`, on)}
          />
        ),
      )}
      <TextField
        label={t('settings.retain')}
        hint={t('settings.retainHint')}
        type="number"
        value={typeof days === 'number' ? String(days) : ''}
        onValue={(value) => set('privacy.retainUnpaidDays', value === '' ? null : Number(value))}
        optional
      />
    </>
  );
}
