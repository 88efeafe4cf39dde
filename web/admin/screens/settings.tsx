import { Failed, Skeleton } from '../../desk/states.js';
import { t } from '../../desk/texts.js';
import { Connections } from '../parts/connections.js';
import { readability } from '../parts/contrast.js';
import { DraftNote } from '../parts/form.js';
import { ConflictNote } from '../parts/edit-conflict.js';
import { useEventNamed } from '../parts/events.js';
import { Preview } from '../parts/preview.js';
import { useDraft } from '../parts/settings-draft.js';
import { Access } from '../parts/settings/access.js';
import { Accounting } from '../parts/settings/accounting.js';
import { Branding, UnreadableText } from '../parts/settings/branding.js';
import { Donating } from '../parts/settings/donating.js';
import { Organization } from '../parts/settings/organization.js';
import { TaxReceipts } from '../parts/settings/tax-receipts.js';
import { Transfer } from '../parts/settings/transfer.js';
import { Wall } from '../parts/settings/wall.js';
import { href, setQuery, usePlace } from '../router.js';

const SECTIONS = [
  'organization',
  'branding',
  'donating',
  'transfer',
  'taxReceipts',
  'wall',
  'accounting',
  'access',
  'connections',
] as const;
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
            {draft.offered && (
              <DraftNote at={draft.offered.at} onUse={draft.offered.use} onDiscard={draft.offered.discard} />
            )}
            <ConflictNote
              fields={draft.conflicts}
              currency={event?.currency ?? draft.settings.payment.currency}
              onMine={draft.keepMine}
              onTheirs={draft.takeTheirs}
            />
            {section === 'organization' && <Organization draft={draft} />}
            {section === 'branding' && <Branding draft={draft} />}
            {section === 'donating' && <Donating draft={draft} currency={event?.currency} />}
            {section === 'transfer' && <Transfer draft={draft} />}
            {section === 'taxReceipts' && <TaxReceipts draft={draft} />}
            {section === 'wall' && <Wall draft={draft} eventCurrency={event?.currency} />}
            {section === 'accounting' && <Accounting draft={draft} />}
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
          <Preview
            settings={draft.settings}
            slug={shown?.slug}
            currency={event?.currency ?? draft.settings.payment.currency}
          />
        </div>
      )}
    </>
  );
}
