import { Injectable } from '@nestjs/common';
import type { EmailKind } from '../email-kinds.js';
import type { ClaimedEmail } from '../emails.sql.js';
import type { OutgoingEmail } from '../smtp.service.js';

/** A composed e-mail. `isCopy` is true if the attached receipt is a copy. */
export interface Composed {
  readonly email: OutgoingEmail;
  readonly isCopy?: boolean;
}

/** The row of the e-mail that a composer gets. */
export type { ClaimedEmail };

/** The e-mail must not be sent now: not at this time of day, or not before a fact is known. */
export interface Postponed {
  readonly postponedMs: number;
}

/** Composes an e-mail from the data at the time of sending. Undefined if there is no recipient or nothing to send. */
export type Composer = (row: ClaimedEmail) => Promise<Composed | Postponed | undefined>;

/** The composer for each kind of e-mail. Each feature registers its composer before the application starts. */
@Injectable()
export class MailComposers {
  private readonly composers = new Map<EmailKind, Composer>();

  register(kind: EmailKind, composer: Composer): void {
    this.composers.set(kind, composer);
  }

  /** @throws Error if no composer is registered. This is an error in this software, so a retry can succeed after an upgrade. */
  async compose(row: ClaimedEmail): Promise<Composed | Postponed | undefined> {
    const composer = this.composers.get(row.kind);
    if (!composer) throw new Error(`No composer for e-mails of the kind ${row.kind}`);
    return await composer(row);
  }
}
