import { Injectable, Logger } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { type Actor, actorOf, SYSTEM, type Role } from '../common/access/principal.js';
import { requestAddress } from '../common/http/request-context.js';

type Account = 'admin' | 'staff';
type Method = 'password' | 'second factor' | 'identity provider';

interface SignInDetail {
  readonly method?: Method;
  readonly secondFactor?: boolean;
  readonly event?: string | null;
  readonly terminal?: string;
}

interface FailedDetail {
  readonly method?: Method;
  readonly disabled?: boolean;
  /** True if the person was already signed in and confirmed the identity. */
  readonly signedIn?: boolean;
  readonly event?: string | null;
}

/** Records successful and failed sign-ins. Never stores the text that the user typed, because it may be a password or a PIN. */
@Injectable()
export class SignInTrail {
  private readonly logger = new Logger('Access');

  constructor(private readonly audit: Audit) {}

  async succeeded(
    account: Account,
    person: { readonly id: string; readonly role: Role },
    detail: SignInDetail = {},
  ): Promise<void> {
    const actor: Actor = actorOf(person);
    await this.audit.record(actor, `${account}.sign_in`, person.id, detail);
  }

  /** @param subject the account of the attempt, if one exists */
  async failed(account: Account, subject: string | null, detail: FailedDetail = {}): Promise<void> {
    this.logger.warn({ msg: 'Sign-in failed', account, subject, address: requestAddress(), ...detail });
    await this.audit.record(SYSTEM, `${account}.sign_in_failed`, subject, detail);
  }
}
