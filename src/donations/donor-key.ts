import type { KeyRing } from '../common/key-ring.js';

/** The keyed digest that counts a donor once, however the address is written; null without an address. */
export const donorKeyOf = (keys: KeyRing, email: string | null): Buffer | null =>
  email === null ? null : keys.digest('donor-key', email.normalize('NFKC').toLowerCase());
