import { Injectable } from '@nestjs/common';

/** Reason why a currency cannot be paid online; undefined if it can, or if online payments are off. */
type Refusal = (currency: string) => string | undefined;

/**
 * Checks if donations to an event can be paid online in its currency. The payments module registers the check,
 * because it may import events and not the reverse.
 */
@Injectable()
export class PayableCurrencies {
  private refusal: Refusal = () => undefined;

  decidedBy(refusal: Refusal): void {
    this.refusal = refusal;
  }

  /** Warning in the response to the person who chose the currency. Cash and pledges accept any currency. */
  warningOf(currency: string): { readonly warning?: string } {
    const reason = this.refusal(currency);
    return reason === undefined
      ? {}
      : { warning: `Donations in ${currency} cannot be paid online: ${reason}` };
  }
}
