import type { ShiftList } from '../../../src/shifts/dto/shift.dto.js';
import type { EmailListDto } from '../../../src/mail/dto/email.dto.js';
import type { TonightDto } from '../../../src/reporting/evening/dto/tonight.dto.js';
import type { OpenReviewItemsDto } from '../../../src/reporting/review/dto/open-review-items.dto.js';
import { Pill } from '../../desk/states.js';
import { t, tn, type CountedKey, type TextKey } from '../../desk/texts.js';
import { type Query, useQuery } from '../api/query.js';
import { can } from '../me.js';
import { href } from '../router.js';
import type { DeskEvent } from './events.js';

interface Counted {
  readonly total?: number;
}

interface Line {
  readonly key: string;
  /** Title of the line while its result is unknown. */
  readonly name: TextKey;
  readonly none: TextKey;
  readonly some: CountedKey;
  readonly to: string;
  /** Requests that the result needs. */
  readonly reads: readonly Query<unknown>[];
  /** Called after all answers have arrived. Returns undefined if an answer does not contain the count. */
  readonly count: () => number | undefined;
}

type Result = 'checking' | 'unknown' | number;

/**
 * Returns a count only after all requests have succeeded. Otherwise the count is unknown, and zero would be
 * wrong.
 */
function resultOf({ reads, count }: Line): Result {
  if (reads.some(({ error }) => error)) return 'unknown';
  if (reads.some(({ data }) => data === undefined)) return 'checking';
  return count() ?? 'unknown';
}

/** Difference of the newest count; null before the first count. */
const differenceOf = ({ difference, recounts }: ShiftList['data'][number]): number | null =>
  recounts.at(-1)?.difference ?? difference;

/** Maximum number of rows that the server lists. */
const MOST = 200;

/** Text about each state of an event, and whether the event accepts no donations any more. */
const STATE = {
  draft: ['closing.isDraft', false],
  active: ['closing.isOpen', false],
  paused: ['closing.isPaused', false],
  closed: ['closing.isClosed', true],
  archived: ['closing.isArchived', true],
} as const satisfies Readonly<Record<DeskEvent['status'], readonly [TextKey, boolean]>>;

/** Tasks to finish before the event is closed. */
export function Checklist({ event }: { event: DeskEvent }) {
  const donations = (filter: string) => `/donations?eventId=${event.id}&${filter}&limit=1`;
  const ifAllowed = (isAllowed: boolean, path: string) => (isAllowed ? path : null);
  const pledges = useQuery<Counted>(donations('type=pledge&status=PENDING'));
  const open = useQuery<Counted>(donations('status=PENDING'));
  const disputes = useQuery<Counted>(donations('disputed=open'));
  const waiting = useQuery<readonly unknown[]>(`/donations/messages?eventId=${event.id}&limit=${MOST}`);
  const reviews = useQuery<OpenReviewItemsDto>(ifAllowed(can('reviews:list'), '/review-items/open?limit=1'));
  const shifts = useQuery<ShiftList>(ifAllowed(can('shifts:list'), `/shifts?eventId=${event.id}`));
  const tonight = useQuery<TonightDto>(ifAllowed(can('evening:read'), `/events/${event.id}/tonight`));
  const emails = can('emails:list');
  const failed = useQuery<EmailListDto>(ifAllowed(emails, `/emails?state=failed&limit=${MOST}`));
  const bounced = useQuery<EmailListDto>(ifAllowed(emails, `/emails?state=bounced&limit=${MOST}`));
  const lines: readonly (Line | false)[] = [
    {
      key: 'terminals',
      name: 'closing.check.terminals',
      none: 'closing.noTerminals',
      some: 'tonight.waiting',
      to: href('terminals'),
      reads: [tonight],
      count: () => tonight.data?.waitingOnTerminals,
    },
    {
      key: 'pledges',
      name: 'closing.check.pledges',
      none: 'closing.noPledges',
      some: 'closing.pledges',
      to: href('donations', { event: event.slug, type: 'pledge', status: 'PENDING' }),
      reads: [pledges],
      count: () => pledges.data?.total,
    },
    {
      key: 'open',
      name: 'closing.check.open',
      none: 'closing.noOpen',
      some: 'closing.openPayments',
      to: href('donations', { event: event.slug, status: 'PENDING' }),
      reads: [open, pledges],
      count: () => {
        const [all, pledged] = [open.data?.total, pledges.data?.total];
        return all === undefined || pledged === undefined ? undefined : Math.max(0, all - pledged);
      },
    },
    {
      key: 'disputes',
      name: 'closing.check.disputes',
      none: 'closing.noDisputes',
      some: 'closing.disputes',
      to: href('donations', { event: event.slug, disputed: 'open' }),
      reads: [disputes],
      count: () => disputes.data?.total,
    },
    can('reviews:list') && {
      key: 'reviews',
      name: 'closing.check.reviews',
      none: 'closing.noReviews',
      some: 'closing.reviews',
      to: href('review'),
      reads: [reviews],
      count: () => reviews.data?.total,
    },
    {
      key: 'shifts',
      name: 'closing.check.shifts',
      none: 'closing.noShifts',
      some: 'closing.shifts',
      to: href('terminals', { event: event.slug }),
      reads: [shifts],
      count: () => shifts.data?.data.filter(({ status }) => status !== 'closed').length,
    },
    {
      key: 'cash',
      name: 'closing.check.cash',
      none: 'closing.noDifferences',
      some: 'closing.differences',
      to: href('terminals', { event: event.slug }),
      reads: [shifts],
      count: () =>
        shifts.data?.data.map(differenceOf).filter((difference) => difference !== null && difference !== 0)
          .length,
    },
    {
      key: 'messages',
      name: 'closing.check.messages',
      none: 'closing.noMessages',
      some: 'closing.messages',
      to: href('tonight', { event: event.slug }),
      reads: [waiting],
      count: () => waiting.data?.length,
    },
    emails && {
      key: 'emails',
      name: 'closing.check.emails',
      none: 'closing.noFailedEmails',
      some: 'closing.failedEmails',
      to: href('emails', { state: failed.data?.data.length === 0 ? 'bounced' : 'failed' }),
      reads: [failed, bounced],
      count: () => failed.data && bounced.data && failed.data.data.length + bounced.data.data.length,
    },
  ];
  const [state, isClosed] = STATE[event.status];
  return (
    <section class="panel" aria-labelledby="checklist">
      <h2 class="panel__title" id="checklist">
        {t('closing.checklist')}
      </h2>
      <ul class="lines">
        <li class="lines__row">
          <span>{t(state)}</span>
          <Pill tone={isClosed ? 'good' : 'warn'}>{t(isClosed ? 'closing.ok' : 'closing.todo')}</Pill>
        </li>
        {lines
          .filter((line) => line !== false)
          .map((line) => (
            <Row key={line.key} line={line} />
          ))}
      </ul>
    </section>
  );
}

function Row({ line }: { line: Line }) {
  const { key, name, none, some, to, reads } = line;
  const result = resultOf(line);
  const retry = () => {
    for (const { error, reload } of reads) if (error) reload();
  };
  return (
    <li class="lines__row" data-check={key} data-result={typeof result === 'number' ? 'result' : result}>
      {typeof result === 'number' ? (
        <span>{result === 0 ? t(none) : <a href={to}>{tn(some, result)}</a>}</span>
      ) : (
        <span>
          {t(name)}
          {result === 'unknown' && (
            <>
              {' '}
              <button
                type="button"
                class="linkbutton"
                aria-label={`${t('action.retry')}: ${t(name)}`}
                onClick={retry}
              >
                {t('action.retry')}
              </button>
            </>
          )}
        </span>
      )}
      {result === 'checking' ? (
        <Pill>{t('closing.checking')}</Pill>
      ) : result === 'unknown' ? (
        <Pill tone="bad">{t('closing.notChecked')}</Pill>
      ) : (
        <Pill tone={result === 0 ? 'good' : 'warn'}>{t(result === 0 ? 'closing.ok' : 'closing.todo')}</Pill>
      )}
    </li>
  );
}
