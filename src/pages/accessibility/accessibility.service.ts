import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AnswerAges } from '../../common/http/kept-answers.js';
import type { Settings } from '../../settings/settings.js';
import { SettingsService } from '../../settings/settings.service.js';
import { brand } from '../donate/donate-view.js';
import { type Html, html } from '../html.js';
import { languageLinks } from '../language-links.js';
import { LogoTones } from '../logo-tones.js';
import { sendPage } from '../page.js';
import { chooseLocale, fill, languagesOf, localeOfFormats, type Texts, textsOf } from '../texts.js';
import { CHECKED_PAGES, CHECKED_RULES, LAST_CHECK, LIMITS, nameOfRules } from './checks.js';
import { ACCESSIBILITY_PATH } from './accessibility-link.js';

const PAGE = 'accessibility';

/** `/accessibility`: the accessibility statement. The checks in it come from the tests, the contact from the settings. */
@Injectable()
export class AccessibilityService {
  constructor(
    private readonly settings: SettingsService,
    private readonly ages: AnswerAges,
    private readonly logos: LogoTones,
  ) {}

  async send(response: Response, lang: unknown, acceptLanguage: string | undefined): Promise<void> {
    const stored = await this.settings.lastKnown();
    this.ages.describe(response, stored);
    const settings = stored.value.inForce;
    await this.logos.read(settings);
    const locale = chooseLocale(
      { default: settings.locales.default, supported: languagesOf(PAGE) },
      lang,
      acceptLanguage,
    );
    const texts = textsOf(PAGE, locale);
    sendPage(response, {
      name: PAGE,
      title: `${texts.title ?? ''} · ${settings.organization}`,
      description: fill(texts.lead, { organization: settings.organization }),
      locale,
      settings,
      sources: { 'frame-ancestors': settings.embed.origins },
      body: statement(settings, texts, locale),
    });
  }
}

function statement(settings: Settings, texts: Texts, locale: string): Html {
  const { organization } = settings;
  const formats = localeOfFormats(PAGE, locale);
  const day = new Intl.DateTimeFormat(formats, { dateStyle: 'long', timeZone: 'UTC' });
  const rules = new Intl.ListFormat(formats).format(CHECKED_RULES.map(nameOfRules));
  const list = (keys: readonly string[]) =>
    html`<ul>
      ${keys.map((key) => html`<li>${texts[key]}</li>`)}
    </ul>`;
  return html`<div class="statement">
    <header>${brand(settings)}</header>
    <main>
      <h1>${texts.title}</h1>
      <p class="statement__lead">${fill(texts.lead, { organization })}</p>
      <h2>${texts['standard.title']}</h2>
      <p>${texts['standard.text']}</p>
      <h2>${texts['status.title']}</h2>
      <p>${texts['status.text']}</p>
      <h2>${texts['checks.title']}</h2>
      <p>${fill(texts['checks.text'], { rules })}</p>
      ${list(CHECKED_PAGES.map((page) => `page.${page}`))}
      <p>
        ${fill(texts['checks.last'], {
          day: day.format(new Date(LAST_CHECK.day)),
          version: LAST_CHECK.version,
          axe: LAST_CHECK.axe,
        })}
      </p>
      <h2>${texts['limits.title']}</h2>
      ${list(LIMITS.map((limit) => `limit.${limit}`))}
      <h2 id="contact">${texts['contact.title']}</h2>
      ${contact(settings, texts)}
      <h2>${texts['authority.title']}</h2>
      <p>${texts['authority.text']}</p>
    </main>
    <footer class="statement__foot">
      ${languageLinks(ACCESSIBILITY_PATH, {
        languages: languagesOf(PAGE),
        chosen: locale.split('-', 1)[0] ?? '',
        label: texts.language,
      })}
      <p><a href="/">${texts.home}</a></p>
    </footer>
  </div>`;
}

function contact({ contact: { email, phone }, legal, organization }: Settings, texts: Texts): Html {
  const name = legal.legalName || organization;
  if (email === '' && phone === '' && legal.address === '')
    return html`<p>${fill(texts['contact.none'], { organization })}</p>`;
  return html`<p>${fill(texts['contact.text'], { organization })}</p>
    <ul>
      ${email !== '' && html`<li>${texts['contact.email']} <a href="mailto:${encodeURI(email)}">${email}</a></li>`}
      ${phone !== '' && html`<li>${texts['contact.phone']} <a href="tel:${dialled(phone)}">${phone}</a></li>`}
      ${legal.address !== '' && html`<li>${texts['contact.post']} ${[name, ...legal.address.split('\n')].join(', ')}</li>`}
    </ul>`;
}

/** The number without the spaces that people write, and without a zero that is not dialled from abroad. */
const dialled = (phone: string): string => phone.replace('(0)', '').replace(/[^+\d]/g, '');
