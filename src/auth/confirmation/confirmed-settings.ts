import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SettingsService } from '../../settings/settings.service.js';
import { Confirmations } from './confirmations.service.js';

/** A session alone does not change how everybody signs in; the other settings, and unchanged values, need no more. */
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
