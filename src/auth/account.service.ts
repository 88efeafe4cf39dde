import { Injectable } from '@nestjs/common';
import {
  type ApiPrincipal,
  capabilitiesOf,
  isApiKey,
  SETTING_UP,
  type AdminPrincipal,
  type Principal,
  type StaffPrincipal,
} from '../common/access/principal.js';
import { UnauthorizedError } from '../common/errors/domain-errors.js';
import { AppConfig } from '../config/app-config.js';
import { PrismaService } from '../data/prisma.service.js';
import { SettingsService } from '../settings/settings.service.js';
import type { OwnAccount } from './dto/account.dto.js';

/** Describes the signed-in user and their permissions. */
@Injectable()
export class Account {
  constructor(
    private readonly prisma: PrismaService,
    private readonly settings: SettingsService,
    private readonly config: AppConfig,
  ) {}

  /** @param sessionId absent for an API key */
  async of(caller: Principal, sessionId: string | undefined): Promise<OwnAccount> {
    if (isApiKey(caller)) return this.ofKey(caller);
    if (sessionId === undefined) throw new UnauthorizedError();
    return 'eventId' in caller
      ? await this.ofStaff(caller, sessionId)
      : await this.ofAdmin(caller, sessionId);
  }

  private ofKey({ id, name, role, capabilities, scopes, eventIds, expiresAt }: ApiPrincipal): OwnAccount {
    return {
      user: { id, email: null, role, name },
      capabilities: capabilitiesOf({ role, capabilities }),
      secondFactor: { enabled: false, required: false },
      key: { scopes: [...scopes], eventIds: [...(eventIds ?? [])], expiresAt: expiresAt.toISOString() },
    };
  }

  private async ofAdmin(caller: AdminPrincipal, sessionId: string): Promise<OwnAccount> {
    const { id, email, role } = caller;
    const { admin } = await this.prisma.client();
    const row = await admin.findUnique({ where: { id }, select: { name: true, totpConfirmedAt: true } });
    if (!row) throw new UnauthorizedError();
    const { auth } = await this.settings.global();
    return {
      user: { id, email, role, name: row.name },
      capabilities: capabilitiesOf(caller).filter((one) => !caller.lacksSecondFactor || SETTING_UP.has(one)),
      secondFactor: { enabled: row.totpConfirmedAt !== null, required: auth.requireSecondFactor },
      emailIsOn: this.config.mail !== undefined,
      sessionId,
    };
  }

  private async ofStaff(caller: StaffPrincipal, sessionId: string): Promise<OwnAccount> {
    const { id, name, role, eventId } = caller;
    const { event: events } = await this.prisma.client();
    const event = await events.findUnique({
      where: { id: eventId },
      select: { id: true, slug: true, name: true },
    });
    return {
      user: { id, email: null, role, name },
      capabilities: capabilitiesOf(caller),
      secondFactor: { enabled: false, required: false },
      ...(event ? { event } : {}),
      sessionId,
    };
  }
}
