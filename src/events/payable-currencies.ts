import { Injectable } from '@nestjs/common';

/** Why donations in a currency cannot be paid online; undefined where they can, or nothing is paid online at all. */
type Refusal = (currency: string) => string | undefined;

/** Whether donations to an event can be paid online in its currency. The payments, which know events, say so. */
@Injectable()
export class PayableCurrencies {
  private refusal: Refusal = () => undefined;

  decidedBy(refusal: Refusal): void {
    this.refusal = refusal;
  }

  /** For the answer to the person who chose the currency; cash and pledges are taken in any. */
  warningOf(currency: string): { readonly warning?: string } {
    const reason = this.refusal(currency);
    return reason === undefined
      ? {}
      : { warning: `Donations in ${currency} cannot be paid online: ${reason}` };
  }
}
