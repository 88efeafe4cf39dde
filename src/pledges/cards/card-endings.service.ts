import { Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Database } from '../../data/database.js';
import { PaymentProviders } from '../../payments/providers/payment-providers.js';
import { GuestCards } from './guest-cards.service.js';
import {
  CLAIM_ENDING,
  CLAIM_OPENING,
  END_OLD_CARDS,
  ENDED,
  FORGET_CARDS,
  type SavedCardRow,
} from './saved-cards.sql.js';

/** Maximum number of calls to the provider in one run. */
const MOST = 200;

/**
 * Background work on saved cards: keeps cards whose page did not report them, and deletes cards at the provider that are over, used
 * up, or without a guest. The row of a card is its own queue: each try is claimed before the call, and repeated until it succeeds.
 */
@Injectable()
export class CardEndings {
  private readonly logger = new Logger(CardEndings.name);

  constructor(
    private readonly database: Database,
    private readonly providers: PaymentProviders,
    private readonly cards: GuestCards,
  ) {}

  /** Returns the number of cards that were deleted at the provider. */
  @Cron('25 * * * * *')
  async run(): Promise<number> {
    await this.each(CLAIM_OPENING, (card) => this.cards.ask(card));
    await this.database.query(END_OLD_CARDS);
    const ended = await this.each(CLAIM_ENDING, (card) => this.end(card));
    await this.database.query(FORGET_CARDS);
    return ended;
  }

  private async each(
    claim: typeof CLAIM_ENDING,
    work: (card: SavedCardRow) => Promise<boolean>,
  ): Promise<number> {
    let done = 0;
    for (let count = 0; count < MOST; count += 1) {
      const [card] = await this.database.query<SavedCardRow>(claim);
      if (!card) break;
      try {
        if (await work(card)) done += 1;
      } catch (error) {
        // The next try follows by itself.
        this.logger.warn({
          msg: 'Saved card could not be asked or deleted at the provider',
          card: card.id,
          err: error,
        });
      }
    }
    return done;
  }

  private async end(card: SavedCardRow): Promise<boolean> {
    // A card without a customer never got as far as the guest's browser, so the provider has no card.
    if (card.customer_id !== null)
      await this.providers.ofDonation(card.provider).removeCard?.(card.customer_id);
    await this.database.query(ENDED, [card.id]);
    return true;
  }
}
