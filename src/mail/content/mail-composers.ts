import { Injectable } from '@nestjs/common';
import type { ClaimedEmail, EmailKind } from '../emails.sql.js';
import type { OutgoingEmail } from '../smtp.service.js';

/** An e-mail as it is sent now, and whether the receipt in it is a copy. */
export interface Composed {
  readonly email: OutgoingEmail;
  readonly isCopy?: boolean;
}

/** Writes an e-mail from what is true when it is sent; undefined when there is nobody or nothing to write. */
export type Composer = (row: ClaimedEmail) => Promise<Composed | undefined>;

/** Who writes which kind of e-mail: the feature that it is about says so before the application starts. */
@Injectable()
export class MailComposers {
  private readonly composers = new Map<EmailKind, Composer>();

  register(kind: EmailKind, composer: Composer): void {
    this.composers.set(kind, composer);
  }

  /** @throws Error where nobody has said so: a mistake of ours, which a retry after an upgrade heals */
  async compose(row: ClaimedEmail): Promise<Composed | undefined> {
    const composer = this.composers.get(row.kind);
    if (!composer) throw new Error(`nobody writes e-mails of the kind ${row.kind}`);
    return await composer(row);
  }
}
