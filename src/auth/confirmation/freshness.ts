/** How long a sign-in at the identity provider confirms changes, and a confirmation by password too. */
export const FRESH_MS = 10 * 60_000;

export const isFresh = (at: Date): boolean => Date.now() - at.getTime() < FRESH_MS;
