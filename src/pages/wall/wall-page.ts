import type { EventRecord } from '../../events/event-record.js';
import { wallControlOf } from '../../gateway/wall-control.js';
import type { Settings } from '../../settings/settings.js';
import { html, type Html, trusted } from '../html.js';
import { oldBrowserNote } from '../old-browser.js';
import type { PageModel } from '../page.js';
import { EXPONENTS } from './exponents.js';
import type { Overlay } from './overlay.js';
import { fill, languageOfTexts, type Texts, textsOf } from '../texts.js';

/** Display of a wall: full screen, or transparent for a video mixer. */
export interface WallView {
  readonly locale: string;
  /** Undefined for the full wall. */
  readonly overlay: Overlay | undefined;
}

export interface WallModel {
  readonly event: Pick<EventRecord, 'id' | 'name' | 'currency' | 'status'>;
  readonly settings: Settings;
  /** Address in the QR code. */
  readonly donationUrl: string;
  /** The QR code as an SVG element. */
  readonly qr: string;
  readonly view: WallView;
}

const PAGE = 'wall';
/**
 * Maximum length of a web address that the wall shows completely, so that guests can type it. For a longer
 * address, the wall shows only the host.
 */
const TYPED_ADDRESS = 120;

/** The wall of an event. The script of the page adds the values that change. */
export function wallPage(model: WallModel): PageModel {
  const { event, settings, view } = model;
  const texts = textsOf(PAGE, view.locale);
  const { wall } = settings.live;
  const { overlay } = view;
  return {
    name: PAGE,
    eventId: event.id,
    isWholeScreen: true,
    title: `${event.name} · ${settings.organization}`,
    description: event.name,
    locale: view.locale,
    settings,
    root: {
      'data-theme': settings.live.theme,
      ...(overlay && { 'data-overlay': overlay.part }),
      ...(overlay?.position && { 'data-position': overlay.position }),
    },
    sources: { 'frame-ancestors': settings.embed.origins },
    data: {
      event: event.id,
      status: event.status,
      currency: event.currency,
      locale: view.locale,
      language: languageOfTexts(PAGE, view.locale),
      control: wallControlOf(wall),
      celebrateFrom: celebrateFrom(settings, overlay?.part),
      celebratesMilestones: overlay === undefined || overlay.part === 'alert',
      isMatchWith: settings.live.match.total === 'with',
      scale: overlay?.scale ?? 1,
      slides: settings.live.slides,
      exponents: EXPONENTS,
      texts,
    },
    body: body(model, texts),
  };
}

/** Returns the smallest amount that this view celebrates. An alert shows every donation if the settings name no amount. */
function celebrateFrom({ live }: Settings, part: Overlay['part'] | undefined): number | null {
  if (part !== undefined && part !== 'alert' && part !== 'feed') return null;
  return part === 'alert' ? (live.celebrateFrom ?? 0) : live.celebrateFrom;
}

/** The page for a wall that does not exist or has ended. Contains no data of the event, because the event is not public. */
export function absentPage(settings: Settings, locale: string, ended: boolean): PageModel {
  const texts = textsOf(PAGE, locale);
  const which = ended ? 'ended' : 'missing';
  return {
    name: PAGE,
    title: `${texts[`${which}.title`] ?? ''} · ${settings.organization}`,
    locale,
    settings,
    root: { 'data-theme': settings.live.theme },
    sources: { 'frame-ancestors': settings.embed.origins },
    status: 404,
    body: html`<main class="absent">
      <p class="absent__organization">${settings.organization}</p>
      <h1 class="absent__title">${texts[`${which}.title`]}</h1>
      <p class="absent__text">${texts[`${which}.text`]}</p>
    </main>`,
  };
}

function body({ event, settings, donationUrl, qr }: WallModel, texts: Texts): Html {
  const address = shown(donationUrl);
  const { logo } = settings.theme.assets;
  const { wall } = settings.live;
  return html`<main class="wall" id="wall" data-status="${event.status}">
      <div class="moment" id="moment" aria-hidden="true" hidden>
        <canvas class="moment__confetti" id="goal-confetti"></canvas>
      </div>
      <header class="wall__head">
        ${logo !== undefined && html`<img class="wall__logo" src="${logo}" alt="" />`}
        <p class="wall__organization"><bdi>${settings.organization}</bdi></p>
        <p class="wall__status" id="status" hidden>
          <span class="wall__spinner" aria-hidden="true"></span><span id="status-text"></span>
        </p>
      </header>
      <section class="wall__total" aria-labelledby="event-name">
        <h1 class="wall__event ${sizeOfName(event.name)}" id="event-name"><bdi>${event.name}</bdi></h1>
        <p class="total" id="total" aria-hidden="true">&nbsp;</p>
        <div
          class="gauge"
          id="gauge"
          role="progressbar"
          aria-valuemin="0"
          aria-valuemax="100"
          aria-valuenow="0"
          aria-label="${texts.progress}"
          hidden
        >
          <div class="gauge__fill" id="gauge-fill"></div>
          <div class="gauge__mark" id="gauge-mark" hidden></div>
          <div class="gauge__dots" id="gauge-dots" hidden></div>
        </div>
        <div class="steps" id="steps" hidden></div>
        <p class="goal"><span id="goal"></span><span class="goal__percent" id="percent"></span></p>
        <p class="also" id="also" hidden></p>
        <div class="matched" id="match" hidden>
          <p class="matched__sum" id="match-sum"></p>
          <div class="matched__pool" id="match-pool" hidden>
            <div class="matched__bar" aria-hidden="true">
              <div class="matched__fill" id="match-fill"></div>
            </div>
            <p class="matched__left" id="match-left"></p>
          </div>
        </div>
      </section>
      <aside class="wall__give" aria-label="${texts.give}">
        <div class="qr">${trusted(named(qr, fill(texts.qr, { address })))}</div>
        <div class="give">
          <p class="give__call">${texts.scan}</p>
          <p class="give__address ${sizeOf(address)}" dir="ltr">${breakable(address)}</p>
          <a class="button give__button" href="${donationUrl}">${texts.give}</a>
        </div>
        <div class="state">
          <p class="state__title" id="state-title">${texts[`${event.status}.title`]}</p>
          <p class="state__text" id="state-text">${texts[`${event.status}.text`]}</p>
        </div>
        <p class="donors"><strong id="donors">0</strong> <span id="donors-label"></span></p>
      </aside>
      <section class="wall__feed" aria-label="${texts.latest}">
        <p class="notice" id="notice" role="status" dir="auto" ${!wall.notice && 'hidden'}>${wall.notice}</p>
        <div class="stage">
          <div class="raise" id="raise" role="status" hidden>
            <div class="raise__line">
              <p class="raise__title" id="raise-title" dir="auto"></p>
              <p class="raise__each" id="raise-each"></p>
            </div>
            <div class="raise__line">
              <p class="raise__count"><strong id="raise-count"></strong> <span id="raise-label"></span></p>
              <p class="raise__sum" id="raise-sum"></p>
            </div>
          </div>
          <p class="feed__head">
            <span class="feed__title">${texts.latest}</span><span class="feed__more" id="more" hidden></span>
          </p>
          <ol class="feed" id="feed"></ol>
          <p class="feed__empty" id="empty" hidden>${texts.empty}</p>
          <section class="board" id="board" aria-labelledby="board-title" hidden>
            <h2 class="feed__head board__title" id="board-title">${texts['board.title']}</h2>
            <ol class="board__rows" id="board-rows"></ol>
            <p class="board__note">${texts['board.later']}</p>
          </section>
          <div class="slides" id="slides" aria-hidden="true" hidden></div>
          <div class="celebration" id="celebration" aria-hidden="true" hidden>
            <canvas class="celebration__confetti" id="confetti"></canvas>
            <div class="celebration__card">
              <img class="celebration__image" id="celebration-image" alt="" hidden />
              <p class="celebration__thanks" id="celebration-thanks"></p>
              <p class="celebration__amount" id="celebration-amount"></p>
              <p class="celebration__message" id="celebration-message" dir="auto"></p>
            </div>
          </div>
        </div>
      </section>
      <p class="controls">
        <button class="control" id="show-code" type="button">${texts.code}</button>
        <button class="control" id="sound" type="button" aria-pressed="false">${texts.sound}</button>
        <button class="control" id="fullscreen" type="button" hidden>${texts.fullscreen}</button>
      </p>
    </main>
    <section class="scene" id="scene" aria-label="${texts.scan}" hidden>
      <div class="scene__code" id="scene-code"></div>
      <div class="scene__text">
        <p class="scene__notice" id="scene-notice" dir="auto" ${!wall.notice && 'hidden'}>${wall.notice}</p>
        <p class="scene__call">${texts.scan}</p>
        <p class="scene__address ${sizeOf(address)}" dir="ltr">${breakable(address)}</p>
        <p class="scene__total">
          <span id="scene-total"></span> <span class="scene__raised">${texts.raised}</span>
        </p>
      </div>
    </section>
    <section class="ended" id="ended" hidden>
      <p class="absent__title">${texts['ended.title']}</p>
      <p class="absent__text">${texts['ended.text']}</p>
    </section>
    <p class="visually-hidden" id="announcer" role="status" aria-live="polite"></p>
    ${oldBrowserNote(PAGE, texts.oldBrowser, 'noscript')}
    <noscript
      ><p class="noscript">${event.name}: ${texts.scan} <bdi dir="ltr">${address}</bdi></p></noscript
    >`;
}

/** Lets a line end after a slash. Otherwise browsers break a long address in the middle of a word. */
const breakable = (address: string): Html =>
  html`${address.split(/(?<=\/)/).map((part, index) => html`${index > 0 && html`<wbr />`}${part}`)}`;

/** Returns the short form of an address, which is easy to read and type. */
function shown(url: string): string {
  const address = url.replace(/^https?:\/\//, '').replace(/\/$/, '');
  return address.length <= TYPED_ADDRESS ? address : `${new URL(url).host}/…`;
}

/** Matches characters that are twice as wide as Latin letters. */
const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303F\uFF00-\uFF60]/gu;

function sizeOfName(name: string): string {
  const width = name.length + (name.match(WIDE)?.length ?? 0);
  return width > 110 ? 'wall__event--longest' : width > 46 ? 'wall__event--long' : '';
}

const sizeOf = (address: string): string =>
  address.length > 70 ? 'address--tiny' : address.length > 34 ? 'address--small' : '';

/** Adds a name for screen readers to an SVG. */
const named = (svg: string, name: string): string =>
  svg.replace('<svg ', html`<svg role="img" aria-label="${name}" `.text);
