import { useEffect, useRef, useState } from 'preact/hooks';
import { paletteProperties } from '../../../src/settings/palette.js';
import type { Settings } from '../../../src/settings/settings.js';
import { date, exponentOf, money, t } from '../../desk/texts.js';
import { brandColours } from './contrast.js';

type View = 'donate' | 'wall' | 'receipt';

/**
 * Shows the donor pages with the unsaved settings. The frames contain the real pages. The preview changes colours and
 * texts inside the frames; other settings are visible only after saving.
 */
export function Preview({
  settings,
  slug,
  currency,
}: {
  settings: Settings;
  slug: string | undefined;
  /** Currency of the amount on the receipt. */
  currency: string;
}) {
  const [view, setView] = useState<View>(slug === undefined ? 'receipt' : 'donate');
  return (
    <section class="panel preview" aria-labelledby="preview">
      <header class="panel__head">
        <h2 class="panel__title" id="preview">
          {t('preview.title')}
        </h2>
        <div class="segments" role="group" aria-label={t('preview.title')}>
          {(['donate', 'wall', 'receipt'] as const).map((one) => (
            <button
              key={one}
              type="button"
              class="segments__one"
              aria-pressed={view === one}
              disabled={one !== 'receipt' && slug === undefined}
              onClick={() => setView(one)}
            >
              {t(`preview.${one}`)}
            </button>
          ))}
        </div>
      </header>
      {view === 'receipt' ? (
        <ReceiptPreview settings={settings} currency={currency} />
      ) : (
        <Frame key={view} view={view} slug={slug ?? ''} settings={settings} />
      )}
      {slug === undefined && <p class="field__hint">{t('preview.noEvent')}</p>}
    </section>
  );
}

const WIDTH = { donate: 420, wall: 1280 } as const;
const HEIGHT = { donate: 640, wall: 720 } as const;

function Frame({ view, slug, settings }: { view: 'donate' | 'wall'; slug: string; settings: Settings }) {
  const box = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [scale, setScale] = useState(0.3);
  const dress = () => {
    const root = frame.current?.contentDocument?.documentElement;
    if (!root) return;
    const { variables } = settings.theme;
    const scheme =
      view === 'wall'
        ? settings.live.theme
        : matchMedia('(prefers-color-scheme: dark)').matches
          ? 'dark'
          : 'light';
    const shown = { ...variables, ...paletteProperties(brandColours(variables), scheme) };
    for (const [name, value] of Object.entries(shown)) root.style.setProperty(name, value);
    for (const name of [...root.style])
      if (name.startsWith('--') && !Object.hasOwn(shown, name)) root.style.removeProperty(name);
    if (view === 'wall') root.dataset.theme = settings.live.theme;
  };
  useEffect(dress, [settings]);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => {
      if (entry) setScale(entry.contentRect.width / WIDTH[view]);
    });
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, [view]);
  return (
    <div ref={box} class="preview__frame" style={{ height: `${Math.round(HEIGHT[view] * scale)}px` }}>
      <iframe
        ref={frame}
        title={t(`preview.${view}`)}
        src={`/${view}/${slug}`}
        width={WIDTH[view]}
        height={HEIGHT[view]}
        tabIndex={-1}
        style={{ transform: `scale(${scale})` }}
        onLoad={dress}
      />
    </div>
  );
}

/** The parts of a receipt that depend on settings, in the order of the receipt. */
function ReceiptPreview({ settings, currency }: { settings: Settings; currency: string }) {
  const { legal, organization } = settings;
  const rows = [
    [t('receipt.number'), `${new Date().getFullYear()}-000042`],
    [t('event.date'), date(Date.now())],
    [t('donor.name'), 'Ada Lovelace'],
    [t('donation.amount'), money(50 * 10 ** exponentOf(currency), currency)],
  ] as const;
  return (
    <div class="paper">
      <p class="paper__name">{legal.legalName || organization}</p>
      <p class="paper__lines">{legal.address}</p>
      {legal.taxId !== '' && <p>{legal.taxId}</p>}
      <p class="paper__title">{t('preview.receiptTitle')}</p>
      <dl class="facts">
        {rows.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
      {legal.signatory !== '' && <p class="paper__sign">{legal.signatory}</p>}
      <p class="paper__lines">{legal.footer}</p>
    </div>
  );
}
