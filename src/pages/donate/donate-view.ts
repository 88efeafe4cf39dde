import { currencyExponent, toJsonAmount } from '../../common/money/money.js';
import type { BoardRow } from '../../teams/dto/board.dto.js';
import type { ChosenTeam } from '../../teams/team-choice.js';
import type { EventRecord } from '../../events/event-record.js';
import type { CurrencyTotal } from '../../events/event-totals.service.js';
import type { OfferedCheckout } from '../../payments/providers/payment-providers.js';
import type { PublicMatchPoolDto } from '../../match/dto/public-match.dto.js';
import type { Settings } from '../../settings/settings.js';
import { accessibilityLink } from '../accessibility/accessibility-link.js';
import { type Html, html } from '../html.js';
import { languageLinks } from '../language-links.js';
import { fill, localeOfTexts, type Texts } from '../texts.js';
import type { TributeField } from './tribute-problem.js';
import type { AddressField } from './address-problem.js';
import { shortMoney } from './amount.js';
import { eventPicture } from './event-picture.js';
import { splitLong } from './long-text.js';
import { isBeforeFirst, progressOf } from './progress.js';

/** Path of the donate pages. */
export const DONATE_PATH = '/donate';

/** The pledge of a payment link. Amounts in minor units of the event's currency. */
export interface LinkedPledge {
  readonly token: string;
  readonly amount: bigint;
  readonly donorName: string | null;
  /** True if the donor does not want the name to be shown. */
  readonly isUnnamed: boolean;
  readonly state: 'open' | 'paid' | 'over';
}

/** The next milestone, of which at most a fifth is missing. */
export interface NearMilestone {
  readonly title: string;
  /** In minor units of the event's currency. */
  readonly missing: number;
}

/** The team of the donation. Only the page of a person has more than the name. */
export interface ViewedTeam extends Pick<ChosenTeam, 'slug' | 'name' | 'text' | 'image'> {
  /** Public figures, which hide what a single donor gave. */
  readonly row: Pick<BoardRow, 'raised' | 'goalAmount'> | undefined;
}

/** All data that the pages of one event need. */
export interface DonateView {
  readonly event: EventRecord;
  readonly settings: Settings;
  readonly total: CurrencyTotal;
  readonly milestone: NearMilestone | undefined;
  readonly offered: readonly OfferedCheckout[];
  /** True if the event offers a bank transfer, for the pledge of exactly its amount. */
  readonly offersTransfer: boolean;
  /** In minor units. Every amount must be a multiple of this step, which all offered providers accept. */
  readonly step: number;
  readonly texts: Texts;
  /** Locale of amounts, times and plural forms. */
  readonly locale: string;
  /** Locale that the donor chose; the language of e-mails and receipts. The page may have no texts in it. */
  readonly chosen: string;
  /** Address of this service in the browser, without a slash at the end. */
  readonly address: string;
  /** The pledge that the donor wants to pay. */
  readonly pledge: LinkedPledge | undefined;
  /** Team of the donation (a table, a team or a person), from the path or `?team=`; `unknown` if the event has none with this address. */
  readonly team: ViewedTeam | 'unknown' | undefined;
  /** The link or code that led the donor here, from `?from=`. */
  readonly source: string | undefined;
  /** The match pools of the event, in the order in which they match. */
  readonly match: readonly PublicMatchPoolDto[];
}

/** Values that the donor typed. After an error, the form shows these values again. */
export interface TypedFields {
  readonly key?: string;
  readonly checkout?: string;
  readonly preset?: string;
  readonly amount?: string;
  readonly name?: string;
  readonly email?: string;
  readonly message?: string;
  readonly anonymous?: string;
  readonly hideAmount?: string;
  /** The address as one text, from a form of an earlier release. */
  readonly address?: string;
  readonly line1?: string;
  readonly line2?: string;
  readonly postcode?: string;
  readonly city?: string;
  readonly country?: string;
  readonly giftAid?: string;
  /** Digest of the declaration that the page showed. */
  readonly giftAidText?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly coverFee?: string;
  readonly tributeKind?: string;
  readonly tributeName?: string;
  readonly tributeMessage?: string;
  /** Address of the person who gets an e-mail about the tribute. */
  readonly notifyEmail?: string;
}

/** Reason why the form is shown again: the text and its field. */
export interface FormProblem {
  readonly text: string;
  readonly field?:
    'amount' | 'name' | 'email' | 'message' | 'firstName' | 'lastName' | AddressField | TributeField;
  readonly status: number;
}

export const pagePath = (event: Pick<EventRecord, 'slug'>): string => `${DONATE_PATH}/${event.slug}`;

/** Returns the path of the form. The path includes the pledge that the donor pays. */
export const formPath = ({ event, pledge }: Pick<DonateView, 'event' | 'pledge'>): string =>
  pagePath(event) + (pledge ? `?pledge=${pledge.token}` : '');

/** Returns the path of the thanks page. The path includes the pledge, so that the donor can try again after an error. */
export const thanksPath = (
  event: Pick<EventRecord, 'slug'>,
  token: string,
  pledge?: Pick<LinkedPledge, 'token'>,
): string => `${pagePath(event)}/thanks?donation=${token}${pledge ? `&pledge=${pledge.token}` : ''}`;

/**
 * Returns the minimum and maximum amount in minor units. For a pledge there are no such limits, because the donor must pay the
 * exact amount.
 */
export const boundsOf = ({
  settings,
  pledge,
}: Pick<DonateView, 'settings' | 'pledge'>): { minAmount: number; maxAmount: number | null } =>
  pledge ? { minAmount: 1, maxAmount: null } : settings.donation;

/** Formats an amount in the event's currency. If the amounts of its group are whole too, it has no decimals. */
export const short = ({ event, locale }: DonateView, amount: number, group?: readonly number[]): string =>
  shortMoney(amount, event.currency, currencyExponent(event.currency), locale, group);

/**
 * The frame of all pages: organization, event, progress, and the content of the page.
 * @param invites true if the content is the form. Before the first donation, the page then shows an invitation instead of zero
 */
export function frame(view: DonateView, content: Html, { invites = false } = {}): Html {
  const { event, settings, texts } = view;
  return html`<a class="skip" href="#content">${texts.skip}</a>
    <div class="donate">
      <header class="story">
        ${brand(settings)} ${eventPicture(settings)}
        <h1 class="story__title">${event.name}</h1>
        ${event.description && story(view, event.description)} ${figures(view, invites)}
      </header>
      <main class="donate__main" id="content" tabindex="-1">${content}</main>
      ${footer(view)}
    </div>`;
}

export function brand({ theme, organization }: Pick<Settings, 'theme' | 'organization'>): Html {
  const { logo } = theme.assets;
  return html`<p class="brand">
    ${
      logo !== undefined &&
      html`<img
        class="brand__logo"
        src="${logo}"
        alt=""
        width="48"
        height="48"
        referrerpolicy="no-referrer"
      />`
    }
    <span>${organization}</span>
  </p>`;
}

/** The description of the event. The end of a long description is folded, also without JavaScript. */
function story({ texts, locale }: DonateView, description: string): Html {
  const [start, rest] = splitLong(description, locale);
  return html`<div class="story__text">
    <p>${start}</p>
    ${
      rest &&
      html`<details class="fold">
        <summary>
          <span class="fold__more">${texts.readMore}</span><span class="fold__less">${texts.readLess}</span>
        </summary>
        <p>${rest}</p>
      </details>`
    }
  </div>`;
}

function figures(view: DonateView, invites: boolean): Html {
  const { total, texts, locale } = view;
  const { percent, label, goal, amount, rest } = progressOf(view);
  if (invites && isBeforeFirst(total))
    return html`<div class="figures">
      ${amount && html`<p class="figures__raised number">${amount}</p>`}
      <p class="soft">${rest}</p>
    </div>`;
  const group = [total.totalRaised, view.event.goalAmount].map(toJsonAmount);
  const isPassed = percent !== undefined && percent >= 100;
  const plural = new Intl.PluralRules(locale).select(total.donorCount) === 'one' ? 'one' : 'other';
  const count = new Intl.NumberFormat(locale).format(total.donorCount);
  return html`<div class="figures">
    <p class="figures__money">
      <span class="figures__raised number">${short(view, toJsonAmount(total.totalRaised), group)}</span>
      ${texts.raised}
      ${percent !== undefined && !isPassed && html`<span class="soft">${fill(texts.ofGoal, { goal })}</span>`}
    </p>
    ${
      percent !== undefined &&
      html`<progress
        class="meter"
        max="100"
        value="${Math.min(percent, 100)}"
        aria-label="${label}"
      ></progress>`
    }
    ${isPassed && html`<p class="figures__passed">${fill(texts['figures.passed'], { goal })}</p>`}
    <p class="soft">${fill(texts[`donors.${plural}`], { count })}</p>
    ${milestoneLine(view)}
  </div>`;
}

/** "Only €340 to: the band plays". */
function milestoneLine(view: DonateView): Html | undefined {
  const { milestone, texts } = view;
  if (!milestone) return undefined;
  const amount = short(view, milestone.missing);
  return html`<p class="figures__milestone">
    ${fill(texts.milestone, { amount })} <bdi>${milestone.title}</bdi>
  </p>`;
}

/** The part of an address that names the team of the donor. */
export const teamQuery = ({ team }: Pick<DonateView, 'team'>): string | undefined =>
  team === undefined || team === 'unknown' ? undefined : `team=${team.slug}`;

function footer(view: DonateView): Html {
  const { event, settings, texts, chosen, pledge, source } = view;
  // Offers only languages that have texts for this page. In another language, the page would be in English.
  const languages = [...new Set(settings.locales.supported)].filter(
    (code) => localeOfTexts('donate', code) === code,
  );
  return html`<footer class="foot">
    ${
      languages.length > 1 &&
      languageLinks(
        `${pagePath(event)}?${[pledge && `pledge=${pledge.token}`, source && `from=${source}`, teamQuery(view)].filter(Boolean).join('&')}`,
        { languages, chosen, label: texts.language, look: 'foot__languages' },
      )
    }
    <p class="foot__more">
      <span>${settings.legal.legalName || settings.organization}</span>
      ${accessibilityLink(texts.accessibility, chosen)}
    </p>
  </footer>`;
}

/**
 * A page with one message and with links to other pages.
 * @param more further sentences below the text
 */
export const notice = (
  icon: Html,
  title: string | undefined,
  text: string | undefined,
  links: Html,
  more?: Html,
): Html =>
  html`<section class="notice card">
    ${icon}
    <h2 class="notice__title">${title}</h2>
    <p class="notice__text">${text}</p>
    ${more}
    <p class="notice__links">${links}</p>
  </section>`;
