import { Injectable } from '@nestjs/common';
import { ForbiddenError } from '../common/errors/domain-errors.js';
import { AppConfig } from '../config/app-config.js';
import { SettingsService } from '../settings/settings.service.js';
import type { SignInMethodsDto } from './dto/account.dto.js';

/** Sign-in methods of admins and accountants. */
@Injectable()
export class SignInMethods {
  constructor(
    private readonly config: AppConfig,
    private readonly settings: SettingsService,
  ) {}

  /** True if the owner of an account can get a link for a new password by e-mail. */
  get canReset(): boolean {
    return this.config.mail !== undefined;
  }

  async list(): Promise<SignInMethodsDto> {
    const { idp, publicUrl } = this.config;
    const password = await this.takesPasswords();
    return {
      password,
      passwordReset: password && this.canReset,
      idp: idp ? { url: `${publicUrl}/auth/idp` } : null,
    };
  }

  /**
   * True if users may sign in by password. Without an identity provider, passwords are always allowed, because all users would
   * otherwise be locked out.
   */
  async takesPasswords(): Promise<boolean> {
    const { auth } = await this.settings.global();
    return auth.passwordSignIn || this.config.idp === undefined;
  }

  /** @throws ForbiddenError PASSWORD_SIGN_IN_OFF */
  async requirePassword(): Promise<void> {
    if (await this.takesPasswords()) return;
    throw new ForbiddenError('PASSWORD_SIGN_IN_OFF', 'Sign-in by password is off; use the identity provider');
  }
}
