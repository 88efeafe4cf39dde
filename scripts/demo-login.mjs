// The demo admin. The first start creates it and stores its password in the data folder, so that a later start can show it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { seedAdmin } from '../dist/operator/admin-seed.js';

/** @returns {Promise<{ email: string, password?: string }>} no password if it is unknown */
export async function ensureAdmin(databaseUrl, dataDir) {
  const file = join(dataDir, 'admin.json');
  const email = await anyAdmin(databaseUrl);
  if (email) {
    const kept = readKept(file);
    return kept?.email === email ? kept : { email };
  }
  const made = await seedAdmin({
    databaseUrl,
    email: process.env.ADMIN_EMAIL || 'admin@example.org',
    password: process.env.ADMIN_PASSWORD || undefined,
  });
  const login = { email: made.email, password: made.password };
  writeFileSync(file, JSON.stringify(login), { mode: 0o600 });
  return login;
}

/** @returns {Promise<string | undefined>} a token, or undefined if the stored password is no longer valid */
export async function signIn(url, { email, password }) {
  if (!password) return undefined;
  const response = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  if (response.status === 401) return undefined;
  const answer = await response.json();
  if (!response.ok) throw new Error(`The admin cannot sign in: ${answer.statusCode} ${answer.message}`);
  return answer.accessToken;
}

async function anyAdmin(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT email FROM admin ORDER BY created_at LIMIT 1');
    return rows[0]?.email;
  } finally {
    await client.end();
  }
}

function readKept(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
