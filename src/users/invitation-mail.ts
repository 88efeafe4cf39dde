/** What an e-mail with an invitation needs to say. */
export interface Invitation {
  readonly userId: string;
  readonly email: string;
  readonly name: string | null;
  /** Whoever opens it sets the password of the account. Never logged, never stored in clear. */
  readonly inviteUrl: string;
  readonly expiresAt: Date;
  /** False for somebody who has an account already and gets a link for a new password. */
  readonly isNew: boolean;
}

/** Sends invitations by e-mail. A module that can provides it under `INVITATION_MAIL` and exports it globally. */
export interface InvitationMail {
  /** Called after the commit. @returns whether an e-mail is on its way */
  send(invitation: Invitation): Promise<boolean>;
}

export const INVITATION_MAIL = Symbol('mail of invitations');
