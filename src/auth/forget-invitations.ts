import type { Statement, Transaction } from '../data/database.js';

const FORGET: Statement = {
  name: 'invitations_forget',
  text: 'DELETE FROM admin_invitation WHERE admin_id = $1 AND accepted_at IS NULL',
};

/** Links that were sent to set a password of this account, and not used, are worthless from here on. */
export async function forgetInvitations(tx: Transaction, adminId: string): Promise<void> {
  await tx.query(FORGET, [adminId]);
}
