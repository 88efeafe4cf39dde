import { Injectable } from '@nestjs/common';
import type { ClaimedEmail, EmailKind } from '../emails.sql.js';
import type { OutgoingEmail } from '../smtp.service.js';

/** A composed e-mail. `isCopy`: the attached receipt is a copy. */
export interface Composed {
  readonly email: OutgoingEmail;
  readonly isCopy?: boolean;
}

/** Composes an e-mail from the data at sending time. Undefined if there is no recipient or no content. */
export type Composer = (row: ClaimedEmail) => Promise<Composed | undefined>;

/** The composer of each kind of e-mail. Each feature registers its own before the application starts. */
@Injectable()
export class MailComposers {
  private readonly composers = new Map<EmailKind, Composer>();

  register(kind: EmailKind, composer: Composer): void {
    this.composers.set(kind, composer);
  }

  /** @throws Error if no composer is registered. This is our fault; a retry after an upgrade succeeds. */
  async compose(row: ClaimedEmail): Promise<Composed | undefined> {
    const composer = this.composers.get(row.kind);
    if (!composer) throw new Error(`No composer for e-mails of the kind ${row.kind}`);
    return await composer(row);
  }
}
