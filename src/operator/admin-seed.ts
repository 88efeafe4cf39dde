import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { ADMIN_ROLES, type AdminRole, isAdminRole } from '../common/access/roles.js';
import { newId } from '../common/ids.js';
import { emailProblem } from '../common/validation/text.decorators.js';
import { RECORD_AUDIT } from '../audit/audit.js';
import { hashPassword } from '../auth/passwords.js';
import { passwordProblem } from './password-strength.js';

export interface SeedRequest {
  readonly databaseUrl: string;
  readonly email: string;
  /** Generated when absent. */
  readonly password?: string;
  /** Absent: a new account becomes an admin, one that exists keeps its role. */
  readonly role?: string;
}

export interface SeededAdmin {
  readonly email: string;
  /** In clear, to be shown once. */
  readonly password: string;
  /** False when the admin was there and got a new password. */
  readonly created: boolean;
}

/**
 * Creates an admin or accountant, or gives one a new password (and role), which ends all sessions of the account and
 * its binding to an identity of the provider: whoever held the account before holds nothing of it any more.
 * @throws RangeError when the e-mail, the password or the role is not usable
 */
export async function seedAdmin({ databaseUrl, email, password, role }: SeedRequest): Promise<SeededAdmin> {
  const address = email.normalize('NFC').trim().toLowerCase();
  const problem = emailProblem(address);
  if (problem) throw new RangeError(`The e-mail ${problem}`);
  if (role !== undefined && !isAdminRole(role))
    throw new RangeError(`The role must be one of ${ADMIN_ROLES.join(', ')}`);
  const secret = password ?? randomBytes(18).toString('base64url');
  const weakness = passwordProblem(secret, address);
  if (weakness) throw new RangeError(`The password ${weakness}`);
  const hash = await hashPassword(secret);
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'donations-admin-seed' });
  await client.connect();
  try {
    return { email: address, password: secret, created: await store(client, address, hash, role) };
  } finally {
    await client.end();
  }
}

/** @returns whether the admin is new */
async function store(
  client: pg.Client,
  email: string,
  hash: string,
  role: AdminRole | undefined,
): Promise<boolean> {
  await client.query('BEGIN');
  const { rows } = await client.query<{ id: string; role: string; session_version: number }>(
    `INSERT INTO admin (id, email, password_hash, role)
     VALUES ($1, $2, $3, coalesce($4::admin_role, 'ADMIN'))
     ON CONFLICT (email) DO UPDATE
       SET password_hash = excluded.password_hash, role = coalesce($4::admin_role, admin.role),
           session_version = admin.session_version + 1, updated_at = now(),
           idp_issuer = NULL, idp_subject = NULL
     RETURNING id, role, session_version`,
    [newId(), email, hash, role ?? null],
  );
  const [admin] = rows;
  if (!admin) throw new Error('The admin was not stored');
  const created = admin.session_version === 1;
  await client.query(
    'UPDATE refresh_token SET revoked_at = now() WHERE admin_id = $1 AND revoked_at IS NULL',
    [admin.id],
  );
  const action = created ? 'admin.create' : 'admin.password';
  await client.query(RECORD_AUDIT.text, [
    newId(),
    'system',
    null,
    action,
    admin.id,
    JSON.stringify({ role: admin.role }),
    null,
  ]);
  await client.query('COMMIT');
  return created;
}
