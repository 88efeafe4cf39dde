import { Injectable, Logger } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { type Actor, actorOf, SYSTEM, type Role } from '../common/access/principal.js';
import { requestAddress } from '../common/http/request-context.js';

type Account = 'admin' | 'staff';

/** The record of who signed in and who tried. What was typed is never kept: it may be a password or a PIN. */
@Injectable()
export class SignInTrail {
  private readonly logger = new Logger('Access');

  constructor(private readonly audit: Audit) {}

  async succeeded(
    account: Account,
    person: { readonly id: string; readonly role: Role },
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    const actor: Actor = actorOf(person);
    await this.audit.record(actor, `${account}.sign_in`, person.id, detail);
  }

  /** @param subject the account that was tried, where there is one */
  async failed(
    account: Account,
    subject: string | null,
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    this.logger.warn({ msg: 'A sign-in failed', account, subject, address: requestAddress(), ...detail });
    await this.audit.record(SYSTEM, `${account}.sign_in_failed`, subject, detail);
  }
}
