import { useState } from 'preact/hooks';
import type { EmbedDto } from '../../../src/pages/embed/dto/embed.dto.js';
import type { EventDetailDto } from '../../../src/events/dto/event.dto.js';
import type { Settings } from '../../../src/settings/settings.js';
import { SelectField, TextField } from '../../desk/fields.js';
import { Failed, Skeleton } from '../../desk/states.js';
import { t } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { useQuery } from '../api/query.js';
import { LANGUAGES } from '../languages.js';
import { can } from '../me.js';
import { href } from '../router.js';

const KINDS = ['button', 'bar', 'form'] as const;
type Kind = (typeof KINDS)[number];

const HEIGHT: Readonly<Record<Kind, number>> = { button: 110, bar: 150, form: 560 };

/** The lines that show a button, the goal bar or the form of an event on the charity's own website. */
export function EmbedSnippets({ event }: { event: EventDetailDto }) {
  const isPublic = event.status !== 'draft' && event.status !== 'archived';
  const settings = useQuery<Settings>(isPublic ? `/events/${event.id}/settings` : null);
  return (
    <section class="panel stack" aria-labelledby="embed">
      <h2 class="panel__title" id="embed">
        {t('embed.title')}
      </h2>
      {!isPublic && <p class="soft">{t('embed.hidden')}</p>}
      {settings.error && !settings.data && <Failed error={settings.error} retry={settings.reload} />}
      {isPublic && !settings.data && !settings.error && <Skeleton />}
      {settings.data && <Snippets event={event} settings={settings.data} />}
    </section>
  );
}

function Snippets({ event, settings }: { event: EventDetailDto; settings: Settings }) {
  const [kind, setKind] = useState<Kind>('button');
  const [locale, setLocale] = useState(settings.locales.default);
  const { data, error, reload } = useQuery<EmbedDto>(`/embed/${event.slug}?lang=${locale}`);
  const { origins } = settings.embed;
  return (
    <>
      <p>{t('embed.text')}</p>
      <div class="segments" role="group" aria-label={t('embed.title')}>
        {KINDS.map((one) => (
          <button
            key={one}
            type="button"
            class="segments__one"
            aria-pressed={kind === one}
            onClick={() => setKind(one)}
          >
            {t(`embed.kind.${one}`)}
          </button>
        ))}
      </div>
      <p class="field__hint">{t(`embed.about.${kind}`)}</p>
      {settings.locales.supported.length > 1 && (
        <SelectField
          label={t('embed.language')}
          value={locale}
          choices={settings.locales.supported.map((value) => ({
            value,
            label: LANGUAGES[value.split('-', 1)[0] ?? value] ?? value,
          }))}
          onValue={setLocale}
        />
      )}
      {error && !data && <Failed error={error} retry={reload} />}
      {data && <Lines kind={kind} data={data} />}
      <p class={origins.length > 0 ? 'field__hint' : 'note note--warn'}>
        {origins.length > 0 ? t('embed.sites', { sites: origins.join(', ') }) : t('embed.noSites')}{' '}
        {can('events:configure') && (
          <a href={href('settings/wall', { event: event.slug })}>{t('embed.change')}</a>
        )}
      </p>
    </>
  );
}

function Lines({ kind, data }: { kind: Kind; data: EmbedDto }) {
  const lines = linesOf(kind, data, data.address);
  return (
    <>
      <TextField label={t('embed.lines')} value={lines} rows={4} readOnly onValue={() => undefined} />
      <p>
        <button
          type="button"
          class="button button--quiet"
          onClick={() => void navigator.clipboard.writeText(lines).then(() => say(t('action.copied')))}
        >
          {t('action.copy')}
        </button>
      </p>
      <Preview key={lines} kind={kind} data={data} />
    </>
  );
}

/** Preview of the pasted lines. Each kind and language has a new frame, because the script runs once. */
function Preview({ kind, data }: { kind: Kind; data: EmbedDto }) {
  const [height, setHeight] = useState(HEIGHT[kind]);
  return (
    <figure>
      <figcaption class="field__label">{t('embed.preview')}</figcaption>
      <iframe
        class="embed__preview"
        title={t('embed.preview')}
        height={height}
        srcdoc={`<!doctype html><html lang="${data.locale}"><body>${linesOf(kind, data, location.origin + new URL(data.address).pathname)}</body></html>`}
        allow="payment *"
        onLoad={({ currentTarget }) => {
          const body = currentTarget.contentDocument?.body;
          if (!body) return;
          // The content policy of the dashboard forbids styles in the text of the frame, but allows styles
          // that a script sets.
          body.style.cssText = 'margin:1rem;font:1rem/1.5 system-ui,sans-serif;background:#fff;color:#222';
          // The dialog of the button needs more space.
          body.addEventListener('click', () => setHeight(HEIGHT.form));
        }}
      />
    </figure>
  );
}

const linesOf = (kind: Kind, { locale, texts }: EmbedDto, address: string): string =>
  `<a href="${address}?lang=${locale}&amp;from=website" data-donate="${kind}">${texts.give}</a>
<script async src="${new URL('/embed.js', address).href}"></script>`;
