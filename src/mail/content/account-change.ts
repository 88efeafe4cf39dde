/** Changes of how an account is entered, of which its owner gets an e-mail. */
export type AccountChange =
  | 'secondFactorOn'
  | 'secondFactorOff'
  | 'recoveryCodeUsed'
  | 'password'
  | 'sessionsEnded'
  | 'identityBound'
  | 'identityUnbound'
  | 'role'
  | 'disabled'
  | 'enabled'
  | 'removed';

/** A change, when it happened, and from where. */
export interface AccountChangeNotice {
  readonly userId: string;
  readonly to: string;
  readonly name: string | null;
  readonly change: AccountChange;
  readonly at: Date;
  readonly address: string | null;
  /** The browser or program that asked for it, as a short label. */
  readonly client: string | null;
}

/** What the row of the e-mail holds, sealed. */
export type SealedAccountChange = Omit<AccountChangeNotice, 'userId' | 'at'> & { readonly at: string };
