import type { EventRecord } from '../../events/event-record.js';
import { wallControlOf } from '../../gateway/wall-control.js';
import type { Settings } from '../../settings/settings.js';
import { html } from '../html.js';
import { oldBrowserNote } from '../old-browser.js';
import type { PageModel } from '../page.js';
import { languageOfTexts, textsOf } from '../texts.js';
import { EXPONENTS } from '../wall/exponents.js';

const PAGE = 'stage';

/** The page for the speaker of an event. Its script draws everything, because all of it changes during the evening. */
export function stagePage(
  event: Pick<EventRecord, 'id' | 'name' | 'currency' | 'status'>,
  settings: Settings,
  locale: string,
): PageModel {
  const texts = textsOf(PAGE, locale);
  return {
    name: PAGE,
    eventId: event.id,
    isWholeScreen: true,
    title: `${event.name} · ${texts['title'] ?? ''}`,
    locale,
    settings,
    personal: true,
    // A stage is dark, and a bright screen blinds the speaker.
    root: { 'data-theme': 'dark' },
    data: {
      event: event.id,
      name: event.name,
      status: event.status,
      currency: event.currency,
      locale,
      language: languageOfTexts(PAGE, locale),
      exponents: EXPONENTS,
      levels: settings.live.raiseLevels,
      isMatchWith: settings.live.match.total === 'with',
      control: wallControlOf(settings.live.wall),
      // The formats of the walls use texts of the walls.
      texts: { ...textsOf('wall', locale), ...texts },
    },
    body: html`<main id="stage">
        <h1 class="opening">${event.name}</h1>
      </main>
      ${oldBrowserNote(PAGE, texts['oldBrowser'], 'noscript')}
      <noscript><p class="opening">${texts['noScript']}</p></noscript>`,
  };
}
