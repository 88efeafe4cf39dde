import { Injectable, Logger } from '@nestjs/common';
import { DomainError } from '../common/errors/domain-errors.js';
import { CapturesService } from '../payments/intents/captures.service.js';

/** Pages that the donor sees after the wallet provider's page. They contain no data of the donation. */
const PAGES = {
  thanks: page('Thank you!', 'Your donation has arrived.'),
  waiting: page('Thank you!', 'Your donation is on its way and will be confirmed shortly.'),
  unpaid: page('Not paid', 'The payment was not completed. You are welcome to try again.'),
  unknown: page('Nothing here', 'This page belongs to no donation that we know of.'),
} as const;

@Injectable()
export class WalletReturnService {
  private readonly logger = new Logger(WalletReturnService.name);

  constructor(private readonly captures: CapturesService) {}

  /**
   * Captures an order that the donor has just approved. The webhook of the provider also leads to a capture, so the booking
   * does not depend on the donor's return. After an error, the donor gets a page and not an error body.
   */
  async approved(orderId: unknown): Promise<string> {
    if (typeof orderId !== 'string' || !/^[\w-]{1,64}$/.test(orderId)) return PAGES.unknown;
    try {
      const { status } = await this.captures.capture(orderId);
      if (status === 'PENDING') return PAGES.waiting;
      return status === 'COMPLETED' || status === 'REFUNDED' ? PAGES.thanks : PAGES.unpaid;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.logger.warn({ msg: 'Order could not be captured when the donor returned', code: error.code });
      const status = error.getStatus();
      if (status === 404) return PAGES.unknown;
      return status >= 500 ? PAGES.waiting : PAGES.unpaid;
    }
  }

  cancelled(): string {
    return PAGES.unpaid;
  }
}

function page(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>
body { font: 1.2rem/1.5 system-ui, sans-serif; display: grid; place-content: center; min-height: 90vh; margin: 0 1rem; text-align: center }
</style>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</html>
`;
}
