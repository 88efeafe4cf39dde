import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Principal } from '../../common/access/principal.js';
import { PrismaService } from '../../data/prisma.service.js';
import { Confirmations } from '../confirmations.service.js';
import type { SecondFactorState } from '../dto/second-factor.dto.js';
import { PasswordCheck } from '../password-check.service.js';
import { SecondFactor } from './second-factor.service.js';

/** Removes the caller's own second factor. */
@Injectable()
export class SecondFactorRemoval {
  constructor(
    private readonly prisma: PrismaService,
    private readonly passwords: PasswordCheck,
    private readonly confirmations: Confirmations,
    private readonly factor: SecondFactor,
  ) {}

  /**
   * Removes the second factor after the user confirms with the password or at the identity provider. A code of the second
   * factor is not enough, because a thief of the session and one recovery code could then remove the factor. Other sessions
   * continue.
   * @throws ForbiddenError PASSWORD_WRONG, IDENTITY_NOT_CONFIRMED
   */
  async disable(
    caller: Principal,
    password: string | undefined,
    request: Request,
  ): Promise<SecondFactorState> {
    if (password === undefined) await this.confirmations.require(request);
    else await this.passwords.requireOf(caller, password, request);
    await this.prisma.transaction((tx) => this.factor.forget(tx, caller, caller.id));
    return { enabled: false };
  }
}
