import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { ADMIN_ROLES, type AdminRole, can, isAdminRole } from '../common/access/principal.js';
import { newId } from '../common/crypto/ids.js';
import { comparableEmail, comparableEmails, emailProblem } from '../common/text/email-address.js';
import type { AccountChange } from '../mail/content/account-change.js';
import { hashPassword } from '../auth/passwords.js';
import { passwordProblem } from '../auth/password-strength.js';
import { queueNotice } from './account-notices.js';
import { recordCommand, withClient } from './with-client.js';

export interface SeedRequest {
  readonly databaseUrl: string;
  readonly email: string;
  /** If absent, a password is generated. */
  readonly password?: string;
  /** If absent, a new account becomes an admin and an existing one keeps its role. */
  readonly role?: string;
}

export interface SeededAdmin {
  readonly email: string;
  /** The password in clear text, shown only once. */
  readonly password: string;
  /** False if the account existed and got a new password. */
  readonly created: boolean;
  /** True if the account was disabled and is now enabled. */
  readonly enabled: boolean;
  /** True if the account had a second factor, which this command removed. */
  readonly secondFactorReset: boolean;
  /** True if sign-in by password was off for all users and this command turned it on. */
  readonly passwordsOn: boolean;
}

/**
 * Creates an admin or accountant, or sets a new password (and role) for an existing account. All sessions of the account end,
 * and its second factor and its binding to a provider identity are removed, so that an earlier holder has no access. The
 * command also enables a disabled account, and turns sign-in by password on. If the servers can send e-mail, the owner of an
 * existing account gets an e-mail about each change.
 * @throws RangeError if the e-mail, the password or the role is invalid
 */
export async function seedAdmin({ databaseUrl, email, password, role }: SeedRequest): Promise<SeededAdmin> {
  const address = comparableEmail(email);
  const problem = emailProblem(address);
  if (problem) throw new RangeError(`The e-mail ${problem}`);
  if (role !== undefined && !isAdminRole(role))
    throw new RangeError(`The role must be one of ${ADMIN_ROLES.join(', ')}`);
  const secret = password ?? randomBytes(18).toString('base64url');
  const weakness = passwordProblem(secret, address);
  if (weakness) throw new RangeError(`The password ${weakness}`);
  const hash = await hashPassword(secret);
  return withClient(databaseUrl, 'donations-admin-seed', async (client) => {
    const kept = await client.query<{ email: string }>('SELECT email FROM admin WHERE email = ANY($1)', [
      comparableEmails(email),
    ]);
    const known = kept.rows[0]?.email ?? address;
    return { email: known, password: secret, ...(await store(client, known, hash, role)) };
  });
}

interface AccountRow {
  id: string;
  role: string;
  disabled: boolean;
  had_second_factor: boolean;
  had_identity: boolean;
}

async function store(
  client: pg.Client,
  email: string,
  hash: string,
  role: AdminRole | undefined,
): Promise<Omit<SeededAdmin, 'email' | 'password'>> {
  await client.query('BEGIN');
  const {
    rows: [before],
  } = await client.query<AccountRow>(
    `SELECT id, role, disabled_at IS NOT NULL AS disabled, totp_confirmed_at IS NOT NULL AS had_second_factor,
       idp_subject IS NOT NULL AS had_identity
     FROM admin WHERE email = $1 FOR UPDATE`,
    [email],
  );
  const { rows } = await client.query<{ id: string; role: string; session_version: number }>(
    `INSERT INTO admin (id, email, password_hash, role)
     VALUES ($1, $2, $3, coalesce($4::admin_role, 'ADMIN'))
     ON CONFLICT (email) DO UPDATE
       SET password_hash = excluded.password_hash, role = coalesce($4::admin_role, admin.role),
           session_version = admin.session_version + 1, updated_at = now(), disabled_at = NULL,
           idp_issuer = NULL, idp_subject = NULL,
           totp_sealed = NULL, totp_confirmed_at = NULL, totp_last_step = NULL
     RETURNING id, role, session_version`,
    [newId(), email, hash, role ?? null],
  );
  const [admin] = rows;
  if (!admin) throw new Error('The admin was not stored');
  const created = admin.session_version === 1;
  for (const text of FORGET) await client.query(text, [admin.id]);
  const mayConfigure = isAdminRole(admin.role) && can({ role: admin.role }, 'settings:update');
  const switchedOn = mayConfigure ? await client.query(PASSWORDS_ON) : undefined;
  const result = {
    created,
    enabled: before?.disabled ?? false,
    secondFactorReset: before?.had_second_factor ?? false,
    passwordsOn: (switchedOn?.rowCount ?? 0) > 0,
  };
  const { enabled, secondFactorReset, passwordsOn } = result;
  const done = Object.entries({ enabled, secondFactorReset, passwordsOn }).filter(([, is]) => is);
  const detail = { role: admin.role, ...Object.fromEntries(done) };
  await recordCommand(client, created ? 'admin.create' : 'admin.password', admin.id, detail);
  if (before) for (const change of changesOf(before, admin.role)) await queueNotice(client, admin.id, change);
  await client.query('COMMIT');
  return result;
}

/** Returns the changes about which the owner of the account gets e-mails. */
function changesOf(before: AccountRow, role: string): AccountChange[] {
  return [
    'password',
    ...(before.role === role ? [] : ['role' as const]),
    ...(before.had_second_factor ? ['secondFactorOff' as const] : []),
    ...(before.had_identity ? ['identityUnbound' as const] : []),
    ...(before.disabled ? ['enabled' as const] : []),
  ];
}

/** Statements that delete all other access to the account; $1 is the id of the account. */
const FORGET = [
  'UPDATE refresh_token SET revoked_at = now() WHERE admin_id = $1 AND revoked_at IS NULL',
  'DELETE FROM sign_in_code WHERE admin_id = $1',
  'DELETE FROM admin_invitation WHERE admin_id = $1 AND accepted_at IS NULL',
  'DELETE FROM recovery_code WHERE admin_id = $1',
];

/** Turns sign-in by password on, because a new password does not work without it. */
const PASSWORDS_ON = `UPDATE global_settings SET value = value #- '{auth,passwordSignIn}', updated_at = now()
  WHERE id = 1 AND value #> '{auth,passwordSignIn}' = 'false'::jsonb`;
