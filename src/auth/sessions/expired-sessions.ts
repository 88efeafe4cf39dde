import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { PrismaService } from '../../data/prisma.service.js';

const DAY_MS = 86_400_000;

/** Deletes expired revocations, refresh tokens, one-time codes and invitations. */
@Injectable()
export class ExpiredSessions {
  constructor(private readonly prisma: PrismaService) {}

  @Cron('17 * * * *')
  async prune(): Promise<void> {
    const { sessionRevocation, refreshToken, terminalCode, signInCode, adminInvitation } =
      await this.prisma.client();
    await sessionRevocation.deleteMany(expired());
    await terminalCode.deleteMany(expired());
    await signInCode.deleteMany(expired());
    // Kept some days after they expire, so that a copied token that is used late is still recognized.
    await refreshToken.deleteMany(expired(7));
    // An invitation that nobody took up is shown as too old for some weeks.
    await adminInvitation.deleteMany(expired(30));
  }
}

const expired = (days = 0) => ({ where: { expiresAt: { lt: new Date(Date.now() - days * DAY_MS) } } });
