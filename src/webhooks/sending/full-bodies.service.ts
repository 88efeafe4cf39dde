import { Injectable } from '@nestjs/common';
import { toJsonAmount } from '../../common/money/money.js';
import { Database } from '../../data/database.js';
import type { PersonalWebhookData } from '../dto/webhook-bodies.dto.js';
import { DONATION_DETAILS, type DonationDetails } from '../webhook-bodies.sql.js';
import type { ClaimedMessage } from '../webhooks.sql.js';

/**
 * Makes the bodies for endpoints that may get personal data. They are made at each attempt from the donation as it is then and
 * are never stored, so the data of an erased donor is not sent.
 */
@Injectable()
export class FullBodies {
  constructor(private readonly database: Database) {}

  async of({ topic, subject_id: id, body }: ClaimedMessage): Promise<string> {
    if (!/^(?:donation|pledge)\./.test(topic) || id === null) return body;
    const [row] = await this.database.query<DonationDetails>(DONATION_DETAILS, [id]);
    if (!row) return body;
    const personal = {
      donorName: row.donor_name,
      donorEmail: row.donor_email,
      address: row.address,
      isAnonymous: row.is_anonymous,
      message: row.message,
      locale: row.locale,
      giftAid: row.gift_aid,
      paddle: row.paddle,
      receiptNumber: row.receipt_number,
      fee: row.fee === null ? null : toJsonAmount(row.fee),
      feeCurrency: row.fee_currency,
    } satisfies Partial<PersonalWebhookData>;
    const { data, ...message } = JSON.parse(body) as { data: object };
    return JSON.stringify({ ...message, data: { ...data, ...personal } });
  }
}
