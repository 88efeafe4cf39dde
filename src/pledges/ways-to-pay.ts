import { Injectable } from '@nestjs/common';
import type { DonationRow } from '../donations/store/donation-columns.js';
import type { EventRecord } from '../events/event-record.js';
import { type OwnTransfer, TransferReferences } from '../transfers/transfer-references.service.js';
import { PaymentLinks } from './payment-links.service.js';

/** A way to pay a pledge after the evening. E-mails and letters show the same ways. */
export interface WayToPay {
  readonly kind: 'link';
  readonly url: string;
  readonly expiresAt: Date;
}

/** The one place that knows how a donor can pay an open pledge after the evening. */
@Injectable()
export class WaysToPay {
  constructor(
    private readonly links: PaymentLinks,
    private readonly transfers: TransferReferences,
  ) {}

  /** Returns the bank details of an open pledge; undefined if its event offers no transfer of this amount. */
  async transfer(pledge: DonationRow): Promise<OwnTransfer | undefined> {
    return await this.transfers.forPledge(pledge);
  }

  /** Returns all ways to pay; empty if the pledge is not open, or if its event takes no payments. */
  async of(pledge: DonationRow, { slug }: Pick<EventRecord, 'slug'>): Promise<readonly WayToPay[]> {
    if (!(await this.links.isPayable(pledge))) return [];
    const { url, expiresAt } = this.links.linkTo(pledge, slug);
    return [{ kind: 'link', url, expiresAt: new Date(expiresAt) }];
  }
}
