import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { newId } from '../common/ids.js';
import { emailProblem } from '../common/validation/text.decorators.js';
import { RECORD_AUDIT } from '../audit/audit.js';
import { hashPassword, MAX_PASSWORD_BYTES } from '../auth/passwords.js';

const SHORTEST_PASSWORD = 12;

export interface SeedRequest {
  readonly databaseUrl: string;
  readonly email: string;
  /** Generated when absent. */
  readonly password?: string;
}

export interface SeededAdmin {
  readonly email: string;
  /** In clear, to be shown once. */
  readonly password: string;
  /** False when the admin was there and got a new password. */
  readonly created: boolean;
}

/**
 * Creates an admin or gives one a new password, which ends all of that admin's sessions.
 * @throws RangeError when the e-mail or the password will not do
 */
export async function seedAdmin({ databaseUrl, email, password }: SeedRequest): Promise<SeededAdmin> {
  const address = email.normalize('NFC').trim().toLowerCase();
  const problem = emailProblem(address);
  if (problem) throw new RangeError(`The e-mail ${problem}`);
  const secret = password ?? randomBytes(18).toString('base64url');
  if ([...secret].length < SHORTEST_PASSWORD)
    throw new RangeError(`The password must be at least ${SHORTEST_PASSWORD} characters`);
  if (Buffer.byteLength(secret) > MAX_PASSWORD_BYTES)
    throw new RangeError(`The password must be at most ${MAX_PASSWORD_BYTES} bytes`);
  const hash = await hashPassword(secret);
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'donations-admin-seed' });
  await client.connect();
  try {
    return { email: address, password: secret, created: await store(client, address, hash) };
  } finally {
    await client.end();
  }
}

/** @returns whether the admin is new */
async function store(client: pg.Client, email: string, hash: string): Promise<boolean> {
  await client.query('BEGIN');
  const { rows } = await client.query<{ id: string; session_version: number }>(
    `INSERT INTO admin (id, email, password_hash) VALUES ($1, $2, $3)
     ON CONFLICT (email) DO UPDATE
       SET password_hash = excluded.password_hash, session_version = admin.session_version + 1, updated_at = now()
     RETURNING id, session_version`,
    [newId(), email, hash],
  );
  const [admin] = rows;
  if (!admin) throw new Error('The admin was not stored');
  const created = admin.session_version === 1;
  await client.query(
    'UPDATE refresh_token SET revoked_at = now() WHERE admin_id = $1 AND revoked_at IS NULL',
    [admin.id],
  );
  const action = created ? 'admin.create' : 'admin.password';
  await client.query(RECORD_AUDIT.text, [newId(), 'system', null, action, admin.id, '{}']);
  await client.query('COMMIT');
  return created;
}
