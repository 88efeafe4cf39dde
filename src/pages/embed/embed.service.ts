import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AnswerAges } from '../../common/http/kept-answers.js';
import { serviceAddress } from '../../common/http/origins.js';
import { toJsonAmount } from '../../common/money/money.js';
import { PublicEvents } from '../../events/public-events.service.js';
import { coloursOf } from '../page-colours.js';
import { pagePath } from '../donate/donate-view.js';
import { progressOf, totalOf } from '../donate/progress.js';
import { chooseLocale, fill, textsOf } from '../texts.js';
import type { EmbedDto } from './dto/embed.dto.js';

/** The data of `/embed.js` about one event. */
@Injectable()
export class EmbedService {
  constructor(
    private readonly publicEvents: PublicEvents,
    private readonly ages: AnswerAges,
  ) {}

  /**
   * Returns the event with texts in the requested language. Only pages of the sites in `embed.origins` may
   * read the answer. On any other site, the script keeps the plain link.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async read(ref: string, lang: unknown, request: Request, response: Response): Promise<EmbedDto> {
    const reading = await this.publicEvents.get(ref);
    this.ages.describe(response, reading);
    const { event, settings, totals } = reading.value;
    allowSite(request, response, settings.embed.origins);
    const locale = chooseLocale(settings.locales, lang, undefined);
    const texts = textsOf('donate', locale);
    const total = totalOf(event, totals);
    const { percent, share = '', amount, rest, label = '' } = progressOf({ event, total, texts, locale });
    const { brand, onBrand } = coloursOf(settings.theme.variables);
    return {
      address: `${serviceAddress(request)}${pagePath(event)}`,
      locale,
      currency: event.currency,
      totalRaised: toJsonAmount(total.totalRaised),
      goalAmount: toJsonAmount(event.goalAmount),
      percent: percent ?? null,
      brand,
      onBrand,
      texts: {
        give: texts.give ?? '',
        title: fill(texts.title, { event: event.name }),
        amount,
        rest,
        percent: share,
        progress: label,
        close: texts['embed.close'] ?? '',
        newTab: texts['embed.newTab'] ?? '',
      },
    };
  }
}

/**
 * Allows pages of a listed site to read the answer, without cookies. Does not change the access of the
 * origins in `CORS_ORIGINS`.
 */
function allowSite({ headers: { origin } }: Request, response: Response, sites: readonly string[]): void {
  response.vary('Origin');
  if (origin === undefined || !sites.includes(origin)) return;
  if (!response.hasHeader('Access-Control-Allow-Origin'))
    response.setHeader('Access-Control-Allow-Origin', origin);
}
