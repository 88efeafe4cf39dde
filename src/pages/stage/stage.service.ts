import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AnswerAges } from '../../common/http/kept-answers.js';
import { eventNotFound } from '../../events/event-record.js';
import { PublicEvents } from '../../events/public-events.service.js';
import { sendPage } from '../page.js';
import { chooseLocale } from '../texts.js';
import { stagePage } from './stage-page.js';

/** Seconds until the page of an event that is not public reloads, because a speaker may open it before the event is public. */
const LOOK_AGAIN = '30';

/** Sends the page for the speaker. It shows only data that the walls show too, so it needs no sign-in. */
@Injectable()
export class StageService {
  constructor(
    private readonly publicEvents: PublicEvents,
    private readonly ages: AnswerAges,
  ) {}

  /**
   * @param lang language that the address asks for
   * @param accepted header `Accept-Language`
   * @throws NotFoundError `EVENT_NOT_FOUND` if the event is not public
   */
  async send(response: Response, ref: string, lang: unknown, accepted: string | undefined): Promise<void> {
    const found = await this.publicEvents.find(ref);
    if (!found) {
      response.setHeader('Refresh', LOOK_AGAIN);
      throw eventNotFound();
    }
    this.ages.describe(response, found);
    const { event, settings } = found.value;
    sendPage(response, stagePage(event, settings, chooseLocale(settings.locales, lang, accepted)));
  }
}
