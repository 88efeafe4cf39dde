/** A donation that was just made in this browser, perhaps in another tab. */
export interface RecentDonation {
  /** In minor units. */
  readonly amount: number;
  readonly currency: string;
  /** Start of the donation, in milliseconds since 1970. */
  readonly at: number;
}

/** After this time, the page no longer shows the donation, because another person may use the device. */
const KEPT_MS = 10 * 60_000;

const place = (slug: string) => `donated:${slug}`;

/** Keeps the donation in the browser, without the donor's token or name. */
export function keepRecent(slug: string, { amount, currency, at }: RecentDonation): void {
  try {
    if (isRecent(at)) localStorage.setItem(place(slug), JSON.stringify({ amount, currency, at }));
  } catch {
    // The storage is forbidden or full. The page then works without this hint.
  }
}

/** Returns the donation that was just made for this event; deletes an older one. */
export function recentDonation(slug: string): RecentDonation | undefined {
  try {
    const found = JSON.parse(localStorage.getItem(place(slug)) ?? 'null') as RecentDonation | null;
    if (found && isRecent(found.at)) return found;
    localStorage.removeItem(place(slug));
  } catch {
    // The storage is forbidden or damaged.
  }
  return undefined;
}

/** Returns the age of the donation in words of the page's language, at least one minute. */
export function ageOf({ at }: RecentDonation): string {
  const minutes = Math.max(1, Math.round((Date.now() - at) / 60_000));
  return new Intl.RelativeTimeFormat(document.documentElement.lang).format(-minutes, 'minute');
}

const isRecent = (at: number): boolean => Math.abs(Date.now() - at) < KEPT_MS;
