import { Injectable } from '@nestjs/common';
import {
  capabilitiesOf,
  SETTING_UP,
  type AdminPrincipal,
  type Principal,
  type StaffPrincipal,
} from '../common/access/principal.js';
import { UnauthorizedError } from '../common/errors/domain-errors.js';
import { Database, type Statement } from '../data/database.js';
import { SettingsService } from '../settings/settings.service.js';
import type { OwnAccount } from './dto/account.dto.js';

/** $1 admin. */
const ADMIN: Statement = {
  name: 'account_admin',
  text: 'SELECT name, totp_confirmed_at IS NOT NULL AS has_second_factor FROM admin WHERE id = $1',
};

/** $1 event. */
const EVENT: Statement = { name: 'account_event', text: 'SELECT id, slug, name FROM event WHERE id = $1' };

/** Who is signed in, and what they may do. */
@Injectable()
export class Account {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
  ) {}

  async of(caller: Principal, sessionId: string): Promise<OwnAccount> {
    return 'eventId' in caller
      ? await this.ofStaff(caller, sessionId)
      : await this.ofAdmin(caller, sessionId);
  }

  private async ofAdmin(caller: AdminPrincipal, sessionId: string): Promise<OwnAccount> {
    const { id, email, role } = caller;
    const [row] = await this.database.query<{ name: string | null; has_second_factor: boolean }>(ADMIN, [id]);
    if (!row) throw new UnauthorizedError();
    const { auth } = await this.settings.global();
    return {
      user: { id, email, role, name: row.name },
      capabilities: capabilitiesOf(caller).filter((one) => !caller.lacksSecondFactor || SETTING_UP.has(one)),
      secondFactor: { enabled: row.has_second_factor, required: auth.requireSecondFactor },
      sessionId,
    };
  }

  private async ofStaff(caller: StaffPrincipal, sessionId: string): Promise<OwnAccount> {
    const { id, name, role, eventId } = caller;
    const [event] = await this.database.query<{ id: string; slug: string; name: string }>(EVENT, [eventId]);
    return {
      user: { id, email: null, role, name },
      capabilities: capabilitiesOf(caller),
      secondFactor: { enabled: false, required: false },
      ...(event ? { event } : {}),
      sessionId,
    };
  }
}
