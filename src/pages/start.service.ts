import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AnswerAges } from '../common/http/kept-answers.js';
import { formatMoney } from '../common/money/money.js';
import { percentOf } from '../common/text/percent.js';
import type { PublicEventDto } from '../events/dto/event.dto.js';
import { PublicEvents } from '../events/public-events.service.js';
import { SettingsService } from '../settings/settings.service.js';
import { accessibilityLink } from './accessibility/accessibility-link.js';
import { type Html, html } from './html.js';
import { sendPage } from './page.js';
import { chooseLocale, fill, localeOfFormats, type Texts, textsOf } from './texts.js';

/** `/`: lists the events that accept donations, with a link to sign in. Works without JavaScript. */
@Injectable()
export class StartService {
  constructor(
    private readonly events: PublicEvents,
    private readonly settings: SettingsService,
    private readonly ages: AnswerAges,
  ) {}

  async send(response: Response, lang: unknown, acceptLanguage: string | undefined): Promise<void> {
    const [stored, list] = await Promise.all([this.settings.lastKnown(), this.events.list()]);
    this.ages.describe(response, list.askedAt < stored.askedAt ? list : stored);
    const settings = stored.value.inForce;
    const locale = chooseLocale(settings.locales, lang, acceptLanguage);
    const texts = textsOf('start', locale);
    const formats = localeOfFormats('start', locale);
    const events = JSON.parse(list.value) as PublicEventDto[];
    sendPage(response, {
      name: 'start',
      title: `${settings.organization} · ${texts.title ?? ''}`,
      description: texts.lead,
      locale,
      settings,
      body: html`<main class="start">
          <header class="start__head"><p class="start__organization">${settings.organization}</p></header>
          <h1 class="start__title">${texts.title}</h1>
          <p class="start__lead">${texts.lead}</p>
          ${
            events.length === 0
              ? html`<p class="start__empty card">${texts.empty}</p>`
              : html`<ul class="events">
                  ${events.map((event) => card(event, texts, formats))}
                </ul>`
          }
          <section class="team" aria-labelledby="team">
            <h2 class="team__title" id="team">${texts.team}</h2>
            <p class="team__links">
              <a href="/admin">${texts.signIn}</a> <a href="/pos">${texts.terminal}</a>
            </p>
          </section>
        </main>
        <footer class="start__foot">${accessibilityLink(texts.accessibility, locale)}</footer>`,
    });
  }
}

function card(event: PublicEventDto, texts: Texts, locale: string): Html {
  const money = (amount: number) => formatMoney(BigInt(amount), event.totals[0]?.currency ?? 'eur', locale);
  const percent = event.goalAmount > 0 ? percentOf(event.totalRaised, event.goalAmount) : undefined;
  const shown = new Intl.NumberFormat(locale, { style: 'percent' }).format((percent ?? 0) / 100);
  const plural = new Intl.PluralRules(locale).select(event.donorCount) === 'one' ? 'one' : 'other';
  const count = new Intl.NumberFormat(locale).format(event.donorCount);
  return html`<li class="event card">
    <h2 class="event__name">${event.name}</h2>
    <div class="event__figures">
      <p>
        <span class="event__raised number">${money(event.totalRaised)}</span> ${texts.raised}
        ${
          percent !== undefined &&
          html`<span class="event__goal">${fill(texts.ofGoal, { goal: money(event.goalAmount) })}</span>`
        }
      </p>
      ${
        percent !== undefined &&
        html`<progress
          class="meter"
          max="100"
          value="${Math.min(percent, 100)}"
          aria-label="${fill(texts.progress, { percent: shown })}"
        ></progress>`
      }
      <p class="event__donors">${fill(texts[`donors.${plural}`], { count })}</p>
    </div>
    <p class="event__links">
      <a class="button" href="/donate/${event.slug}"
        >${texts.give}<span class="visually-hidden">: ${event.name}</span></a
      >
      <a class="button button--quiet" href="/wall/${event.slug}"
        >${texts.wall}<span class="visually-hidden">: ${event.name}</span></a
      >
    </p>
  </li>`;
}
