import type pg from 'pg';
import type { KeyRing } from '../common/crypto/key-ring.js';
import { DONOR_KEY } from './sealed-rows.sql.js';

/** False if no value of `PIN_SECRET` decrypts the stored key of donors. True if no key is stored yet. */
export async function opensDonorKey(client: pg.Client, keys: KeyRing): Promise<boolean> {
  const [row] = (await client.query<{ sealed: Buffer }>(DONOR_KEY.text)).rows;
  return row === undefined || keys.tryOpen('kept-key-seal', row.sealed) !== undefined;
}
