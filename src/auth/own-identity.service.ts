import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Principal } from '../common/access/principal.js';
import { ConflictError, ForbiddenError, UnauthorizedError } from '../common/errors/domain-errors.js';
import { PrismaService } from '../data/prisma.service.js';
import { KNOWN_ADMIN, type KnownAdmin, knownAdmin } from './known-admin.js';
import { PasswordCheck } from './password-check.service.js';
import { SignInTrail } from './sign-in-trail.js';

/** Asks somebody who is signed in to show once more who they are, before what a stolen session must not do. */
@Injectable()
export class OwnIdentity {
  constructor(
    private readonly prisma: PrismaService,
    private readonly passwords: PasswordCheck,
    private readonly trail: SignInTrail,
  ) {}

  /**
   * Guesses here are those of the sign-in: they wait for each other.
   * @throws ForbiddenError PASSWORD_WRONG: no 401, because the session is good
   * @throws ConflictError PASSWORD_NOT_SET
   */
  async prove(caller: Principal, password: string, request: Request): Promise<KnownAdmin> {
    const db = await this.prisma.client();
    const row = await db.admin.findUnique({
      where: { id: caller.id },
      select: { ...KNOWN_ADMIN, passwordHash: true },
    });
    if (!row) throw new ForbiddenError();
    const { id, email, passwordHash: hash } = row;
    if (hash === null)
      throw new ConflictError('PASSWORD_NOT_SET', 'This account has no password; an admin can send a link');
    try {
      await this.passwords.require({ email, id, hash }, password, request, async () => {
        await this.trail.failed('admin', id, { method: 'password', signedIn: true });
        return new UnauthorizedError();
      });
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error;
      throw new ForbiddenError('PASSWORD_WRONG', 'The password is wrong');
    }
    return await knownAdmin(db, row);
  }
}
