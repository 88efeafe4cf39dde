import * as z from 'zod';
import { CA } from './ca.js';
import { CH } from './ch.js';
import { DE } from './de.js';
import { FR } from './fr.js';
import { NL } from './nl.js';
import type { ReceiptPack } from './receipt-pack.js';
import { US } from './us.js';

/** The packs. A pack that is not complete is not registered. */
const REGISTERED = { de: DE, us: US, ca: CA, fr: FR, ch: CH, nl: NL } as const;

export type PackId = keyof typeof REGISTERED;

export const PACK_IDS = Object.keys(REGISTERED) as [PackId, ...PackId[]];

/** Every version that ever issued a receipt, the newest of each country first. A copy is printed by the version that issued it. */
const VERSIONS: readonly ReceiptPack[] = Object.values(REGISTERED) as unknown as readonly ReceiptPack[];

/** The newest version of each pack. */
export const PACKS: readonly ReceiptPack[] = VERSIONS.filter(
  (pack, index) => VERSIONS.findIndex(({ id }) => id === pack.id) === index,
);

/** Returns the newest version of a pack; undefined for `none`. */
export const packOf = (id: string): ReceiptPack | undefined => PACKS.find((pack) => pack.id === id);

/**
 * Returns the version that issued a receipt.
 * @throws Error if this release does not have the version
 */
export function packVersion(version: string): ReceiptPack {
  const pack = VERSIONS.find((one) => one.version === version);
  if (!pack) throw new Error(`This release cannot print receipts of the pack ${version}`);
  return pack;
}

/** The parts `legal.<country>` of the settings. */
export const LEGAL_OF_PACKS = Object.fromEntries(
  VERSIONS.map(({ id, settings }) => [id, settings.prefault({})]),
) as unknown as { readonly [Id in PackId]: z.ZodPrefault<(typeof REGISTERED)[Id]['settings']> };
