import { Injectable } from '@nestjs/common';
import { type Principal, reachesEvent } from '../../common/access/principal.js';
import { isId } from '../../common/crypto/ids.js';
import { NotFoundError } from '../../common/errors/domain-errors.js';
import { Database } from '../../data/database.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { SettingsService } from '../../settings/settings.service.js';
import type { GuestCardLinkDto } from '../dto/card-charge.dto.js';
import { termsOf } from './card-terms.js';
import { assertCanSave, cardsOff, GuestCards } from './guest-cards.service.js';
import { type PayingGuest, PAYING_GUEST, READY_CARD_OF_GUEST } from './saved-cards.sql.js';

/** Gives the team the address of a guest's page, as a code at the check-in or as a link. */
@Injectable()
export class GuestCardLinks {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly cards: GuestCards,
  ) {}

  /**
   * @throws NotFoundError `GUEST_NOT_FOUND`; ConflictError `CARD_NEEDS_PADDLE`, `CARD_PERIOD_OVER`; UnavailableError
   *   `PAYMENT_METHOD_OFF`
   */
  async of(caller: Principal, id: string): Promise<GuestCardLinkDto> {
    const [guest] = isId(id) ? await this.database.query<PayingGuest>(PAYING_GUEST, [id]) : [];
    if (!guest || !reachesEvent(caller, guest.event_id))
      throw new NotFoundError('GUEST_NOT_FOUND', 'There is no such guest');
    if (!this.cards.taker()) cardsOff();
    const event = await this.events.get(guest.event_id);
    const terms = termsOf(event, await this.settings.effective(event.overrides));
    assertCanSave({ guest, terms });
    return {
      url: this.cards.linkTo(guest.id, event, terms),
      expiresAt: terms.validUntil.toISOString(),
      hasCard: (await this.database.query(READY_CARD_OF_GUEST, [guest.id])).length > 0,
    };
  }
}
