import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Principal } from '../../common/access/principal.js';
import { InvalidInputError } from '../../common/errors/domain-errors.js';
import { Database } from '../../data/database.js';
import type { DisableSecondFactor, SecondFactorState } from '../dto/second-factor.dto.js';
import { OwnIdentity } from '../own-identity.service.js';
import { SecondFactorCheck } from './second-factor-check.service.js';
import { SecondFactor } from './second-factor.service.js';

/** Switches the caller's own second factor off. */
@Injectable()
export class SecondFactorRemoval {
  constructor(
    private readonly database: Database,
    private readonly identity: OwnIdentity,
    private readonly codes: SecondFactorCheck,
    private readonly factor: SecondFactor,
  ) {}

  /**
   * By the password, or by a code where the account has no password. Other sign-ins go on.
   * @throws ForbiddenError PASSWORD_WRONG
   * @throws UnauthorizedError SECOND_FACTOR_WRONG
   */
  async disable(
    caller: Principal,
    { password, totp }: DisableSecondFactor,
    request: Request,
  ): Promise<SecondFactorState> {
    if (password) await this.identity.prove(caller, password, request);
    else if (totp) await this.codes.require(await this.identity.known(caller), totp, request);
    else throw new InvalidInputError('VALIDATION_FAILED', 'password or totp must be sent');
    await this.database.transaction((tx) => this.factor.forget(tx, caller, caller.id));
    return { enabled: false };
  }
}
