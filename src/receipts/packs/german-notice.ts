/*
 * Until when a notice of the German tax office counts (§ 63 (5) AO). The dashboard loads this file too.
 */

/** Years after which a notice no longer counts. */
const VALID_YEARS = { exemption: 5, section60a: 3 } as const;

export type NoticeKind = keyof typeof VALID_YEARS;

/** Days before its end at which the organization is warned, because a new notice takes the tax office weeks. */
const WARNED_DAYS = 90;

/** Returns the last day on which a notice counts. Days are `YYYY-MM-DD`. */
export function noticeUntil(noticeDate: string, kind: NoticeKind): string {
  const [year = '', ...rest] = noticeDate.split('-');
  return [String(Number(year) + VALID_YEARS[kind]), ...rest].join('-');
}

/** Returns the last day of a notice that ends within 90 days, or ended; undefined for a newer one. */
export function endingNotice(
  { noticeDate, noticeKind }: { readonly noticeDate: string | null; readonly noticeKind: NoticeKind },
  today: string,
): string | undefined {
  if (noticeDate === null) return undefined;
  const until = noticeUntil(noticeDate, noticeKind);
  const warned = new Date(`${until}T00:00:00Z`);
  warned.setUTCDate(warned.getUTCDate() - WARNED_DAYS);
  return warned.toISOString().slice(0, 10) <= today ? until : undefined;
}
