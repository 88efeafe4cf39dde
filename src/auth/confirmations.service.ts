import { isDeepStrictEqual } from 'node:util';
import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type OnModuleInit,
  UseGuards,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import type { AuthenticatedRequest } from '../common/access/access.decorators.js';
import type { Principal } from '../common/access/principal.js';
import { ForbiddenError, UnauthorizedError } from '../common/errors/domain-errors.js';
import { timeOfId } from '../common/crypto/ids.js';
import type { Prisma } from '../data/generated/client.js';
import { PrismaService } from '../data/prisma.service.js';
import { SettingsService } from '../settings/settings.service.js';
import type { Confirmation } from './dto/account.dto.js';
import { PasswordCheck } from './password-check.service.js';
import { SignInMethods } from './sign-in-methods.service.js';
import { AccessTokens } from './tokens.js';

export const CONFIRMATION_HEADER = 'x-confirmation';

/** Time in which sensitive changes are allowed after a password confirmation or a sign-in at the identity provider. */
const FRESH_MS = 10 * 60_000;

export const isFresh = (at: Date): boolean => Date.now() - at.getTime() < FRESH_MS;

/**
 * A session alone must not change how an account signs in, because a thief of the session could lock the owner out. The user
 * confirms such a change by password, or by a recent sign-in at the identity provider (decision 36). A confirmation is valid
 * for this session and ten minutes.
 */
@Injectable()
export class Confirmations {
  constructor(
    private readonly prisma: PrismaService,
    private readonly passwords: PasswordCheck,
    private readonly methods: SignInMethods,
    private readonly tokens: AccessTokens,
  ) {}

  /**
   * @throws ForbiddenError PASSWORD_WRONG, PASSWORD_SIGN_IN_OFF
   * @throws ConflictError PASSWORD_NOT_SET
   * @throws TooManyRequestsError after wrong passwords, here or at the sign-in
   */
  async byPassword(
    caller: Principal,
    sessionId: string,
    password: string,
    request: Request,
  ): Promise<Confirmation> {
    await this.methods.requirePassword();
    await this.passwords.requireOf(caller, password, request);
    const expiresAt = new Date(Date.now() + FRESH_MS).toISOString();
    const claims = { sub: caller.id, sid: sessionId };
    return { confirmation: this.tokens.signFor('confirmation', claims, FRESH_MS / 1_000), expiresAt };
  }

  /** @throws ForbiddenError IDENTITY_NOT_CONFIRMED */
  async require(request: AuthenticatedRequest, tx?: Prisma.TransactionClient): Promise<void> {
    const { principal: caller, sessionId, headers } = request;
    if (!caller || !sessionId) throw new UnauthorizedError();
    const sent = headers[CONFIRMATION_HEADER];
    const { sub, sid } =
      typeof sent === 'string' ? (this.tokens.readFor('confirmation', sent) ?? {}) : ({} as never);
    if (sub === caller.id && sid === sessionId) return;
    if (await confirmedByIdp(tx ?? (await this.prisma.client()), caller, sessionId)) return;
    throw new ForbiddenError(
      'IDENTITY_NOT_CONFIRMED',
      'Confirm your password (POST /auth/confirm), or sign in again at the identity provider',
    );
  }
}

/** Guard for routes with `@Confirmed`. Runs after the global guards, so the caller is known and has access to the route. */
@Injectable()
class ConfirmedGuard implements CanActivate {
  constructor(private readonly confirmations: Confirmations) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    await this.confirmations.require(context.switchToHttp().getRequest<AuthenticatedRequest>());
    return true;
  }
}

/**
 * Marks a route that changes how an account signs in: the caller needs a recent confirmation. Use this decorator together with
 * `@Auth`.
 */
export const Confirmed = () =>
  applyDecorators(
    UseGuards(ConfirmedGuard),
    ApiHeader({
      name: 'X-Confirmation',
      required: false,
      description:
        'From `POST /auth/confirm`. Without it, and without a sign-in at the identity provider in the last ten ' +
        'minutes, the answer is 403 `IDENTITY_NOT_CONFIRMED`.',
    }),
  );

/**
 * Requires a confirmation for changes of the sign-in settings of all users. Other settings and unchanged values need no
 * confirmation.
 */
@Injectable()
export class ConfirmedSettings implements OnModuleInit {
  constructor(
    private readonly settings: SettingsService,
    private readonly confirmations: Confirmations,
  ) {}

  onModuleInit(): void {
    this.settings.beforeChange(async (tx, { before, after, request }) => {
      if (isDeepStrictEqual(before.auth, after.auth)) return;
      await this.confirmations.require(request, tx);
    });
  }
}

async function confirmedByIdp(
  db: Prisma.TransactionClient,
  caller: Principal,
  sessionId: string,
): Promise<boolean> {
  const since = new Date(Date.now() - FRESH_MS);
  // The sign-in can be recent only if the session is new. The session id contains its creation time, so older sessions need no
  // query.
  if (timeOfId(sessionId) < since) return false;
  const confirmed = await db.refreshToken.findFirst({
    where: { adminId: caller.id, familyId: sessionId, revokedAt: null, idpConfirmedAt: { gt: since } },
    select: { id: true },
  });
  return confirmed !== null;
}
