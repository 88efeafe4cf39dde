import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../data/database.js';
import { REPEAT_CONTACTS } from './pledge-emails.sql.js';

/** Keeps the contacts to a donor that can be repeated: reminders that an admin requests, and letters. */
@Injectable()
export class PledgeContacts {
  async reminded(tx: Transaction, emailId: string, pledgeIds: readonly string[]): Promise<void> {
    await tx.query(REPEAT_CONTACTS, ['asked', emailId, pledgeIds]);
  }

  async wroteLetters(tx: Transaction, pledgeIds: readonly string[]): Promise<void> {
    await tx.query(REPEAT_CONTACTS, ['letter', null, pledgeIds]);
  }
}
