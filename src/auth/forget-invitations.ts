import type { Prisma } from '../data/generated/client.js';

/** Links that were sent to set a password of this account, and not used, are worthless from here on. */
export async function forgetInvitations(tx: Prisma.TransactionClient, adminId: string): Promise<void> {
  await tx.adminInvitation.deleteMany({ where: { adminId, acceptedAt: null } });
}
