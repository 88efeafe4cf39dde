import { applyDecorators, UseGuards } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { ConfirmedGuard } from './confirmed.guard.js';

/** The route changes how an account is entered: a session alone is not enough for it. Stands with an `@Auth` decision. */
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
