import { Injectable } from '@nestjs/common';

/** Returns the reason why donors cannot pay online in a currency; undefined if they can, or if online payments are off. */
type Refusal = (currency: string) => string | undefined;

/**
 * Checks if donors can pay online in the currency of an event. The payments module registers the check, because the payments
 * module imports the events module and not the reverse.
 */
@Injectable()
export class PayableCurrencies {
  private refusal: Refusal = () => undefined;

  decidedBy(refusal: Refusal): void {
    this.refusal = refusal;
  }

  /**
   * Returns a warning for the person who chose the currency. It is only a warning, because cash and pledges are possible in any
   * currency.
   */
  warningOf(currency: string): { readonly warning?: string } {
    const reason = this.refusal(currency);
    return reason === undefined
      ? {}
      : { warning: `Donations in ${currency} cannot be paid online: ${reason}` };
  }
}
