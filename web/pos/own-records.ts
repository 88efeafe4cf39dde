import { useEffect, useState } from 'preact/hooks';
import type { DonationDto } from '../../src/donations/dto/donation.dto.js';
import type { DonationListDto } from '../../src/donations/dto/list-donations.dto.js';
import type { DonationTotalsDto } from '../../src/reporting/explain/dto/explain.dto.js';
import { ask } from './api.js';
import { isSignedOut, type Session } from './sessions.js';
import { till } from './till.js';
import { useValue } from './value.js';

/** Records older than this do not belong to the shift. */
const SHIFT_MS = 18 * 3_600_000;
const PAGE = 200;

export interface Sum {
  readonly count: number;
  /** Sum of the received and not refunded amounts. */
  readonly amount: number;
  /** Sum of the unpaid pledges; not part of `amount`. */
  readonly pledged: number;
  /** True if the amount does not include cash, because the member must count the drawer without knowing the sum. */
  readonly withoutCash: boolean;
}

/** Records of this member on the server: the loaded pages, and the sum of all records. */
interface OwnRecords {
  readonly rows: readonly DonationDto[];
  /**
   * Sums of the received and the pledged amounts, including pages that are not loaded. Undefined if the
   * server did not return them.
   */
  readonly sum: Sum | undefined;
  readonly cursor: string | null;
}

/**
 * Reads the member's records of this shift, or all records of one paddle. Undefined while the server cannot be reached.
 * @param paddle number of a paddle; empty for the records of the shift
 */
export function useOwnRecords(session: Session, paddle: string) {
  const sent = useValue(till.queue.sent);
  const online = useValue(till.sender.online);
  const [found, setFound] = useState<OwnRecords>();
  const of = { eventId: session.event.id, ...(paddle === '' ? { from: shiftBegin() } : { paddle }) };
  const first = { ...of, limit: String(PAGE) };

  useEffect(() => {
    let current = true;
    const reading = Promise.all([
      read<DonationListDto>('/donations', first, session),
      read<DonationTotalsDto>('/donations/totals', { ...of, status: 'COMPLETED,PENDING' }, session),
    ]);
    void reading.then(([page, totals]) => {
      if (!current) return;
      const sum = totals?.byCurrency.find(({ currency }) => currency === session.event.currency);
      setFound(
        page && {
          rows: page.data,
          sum: totals && {
            count: sum?.count ?? 0,
            amount: sum?.inTotals ?? 0,
            pledged: sum?.unpaid ?? 0,
            withoutCash: totals.withoutCash ?? false,
          },
          cursor: page.nextCursor,
        },
      );
    });
    return () => {
      current = false;
    };
    // `sent` is a dependency, because the server's list changes when a record is sent or undone.
  }, [session.token, online, sent, paddle]);

  const more = async (cursor: string) => {
    const page = await read<DonationListDto>('/donations', { ...first, cursor }, session);
    // If the cursor differs, the list was loaded again meanwhile, and this page does not belong to the new list.
    if (page)
      setFound((before) =>
        before?.cursor === cursor
          ? { ...before, rows: [...before.rows, ...page.data], cursor: page.nextCursor }
          : before,
      );
  };
  const replace = (changed: DonationDto) =>
    setFound(
      (before) =>
        before && { ...before, rows: before.rows.map((one) => (one.id === changed.id ? changed : one)) },
    );
  return { found, more, replace };
}

/** Start of the shift, rounded to the minute, so that consecutive pages usually have the same start. */
const shiftBegin = () => `${new Date(Date.now() - SHIFT_MS).toISOString().slice(0, 16)}Z`;

async function read<Answer>(
  path: string,
  query: Record<string, string>,
  { token }: Session,
): Promise<Answer | undefined> {
  try {
    return await ask<Answer>(`${path}?${new URLSearchParams(query)}`, { token });
  } catch (error) {
    if (isSignedOut(error)) void till.sessions.ended(token);
    return undefined;
  }
}
