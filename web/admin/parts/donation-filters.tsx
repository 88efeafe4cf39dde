import { useState } from 'preact/hooks';
import type { PledgeRoundList } from '../../../src/pledges/dto/pledge.dto.js';
import type { StaffMember } from '../../../src/staff/dto/staff.dto.js';
import { SearchBox } from '../../desk/fields.js';
import { number, t, word } from '../../desk/texts.js';
import { useQuery } from '../api/query.js';
import { can } from '../me.js';
import { setQuery, usePlace } from '../router.js';
import { methodName, METHODS, STATUSES, TYPES } from './donations.js';
import { FATES, levelOf } from './pledge-rounds.js';
import { useTeams } from './teams.js';

/** Start of the chosen day in local time, plus `add` days. */
const dayStart = (day: string | null, add = 0): string | undefined => {
  if (day === null || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + add).toISOString();
};

/** Filters without a field: only links from other parts of the dashboard set them. */
const LINKED = [
  'teamId',
  'currency',
  'refunded',
  'disputed',
  'cancelledAs',
  'staffId',
  'roundId',
  'held',
  'matchPoolId',
  'matchPart',
] as const;
/** The filters in the folded part of the page, and those of `LINKED`. "Clear filters" removes all of them. */
export const FOLDED = [
  'status',
  'type',
  'method',
  'staff',
  'round',
  'pledge',
  'tribute',
  'paddle',
  'team',
  'from',
  'to',
  ...LINKED,
] as const;

export type Sort = '-createdAt' | 'createdAt' | '-amount' | 'amount';

/** The filters are in the address, so that a link or a bookmark opens the same list. */
export function useFilters() {
  const { query } = usePlace();
  const value = (name: string) => query.get(name) ?? undefined;
  // Links in the explanation of a total use the API's names of the filters.
  const event = value('event') ?? value('eventId');
  return {
    event,
    api: {
      eventId: event,
      status: value('status'),
      type: value('type'),
      method: value('method'),
      staffId: value('staff') ?? value('staffId'),
      roundId: value('round') ?? value('roundId'),
      pledge: value('pledge'),
      tribute: value('tribute'),
      paddle: value('paddle'),
      teamId: value('team') ?? value('teamId'),
      search: value('search'),
      from: dayStart(query.get('from')) ?? value('from'),
      to: dayStart(query.get('to'), 1) ?? value('to'),
      currency: value('currency'),
      refunded: value('refunded'),
      disputed: value('disputed'),
      cancelledAs: value('cancelledAs'),
      held: value('held'),
      matchPoolId: value('matchPoolId'),
      matchPart: value('matchPart'),
    },
    sort: (value('sort') ?? '-createdAt') as Sort,
    query,
  };
}

export function Filters({
  query,
  event,
  chosen,
  events,
}: {
  query: URLSearchParams;
  /** Id or slug of the event, as in the address. */
  event: string | undefined;
  chosen: { readonly id: string; readonly slug: string } | undefined;
  events: readonly { id: string; slug: string; name: string }[];
}) {
  const fold = FOLDED.filter((name) => query.has(name)).length;
  const [open, setOpen] = useState(fold > 0);
  const staff = useQuery<readonly StaffMember[]>(open && can('staff:list') ? '/staff?pins=false' : null);
  const rounds = useQuery<PledgeRoundList>(
    open && chosen && can('pledges:list') ? `/pledge-rounds?eventId=${chosen.id}` : null,
  );
  const teams = useTeams(open ? chosen?.id : undefined);
  const round = query.get('round') ?? query.get('roundId') ?? '';
  const pledge = query.get('pledge') ?? '';
  const method = query.get('method') ?? '';
  return (
    <div class="filters" role="search" aria-label={t('filter.label')}>
      <SearchBox
        label={t('filter.search')}
        value={query.get('search') ?? ''}
        onValue={(value) => setQuery({ search: value })}
      />
      <Choice
        label={t('event.one')}
        all={t('filter.allEvents')}
        value={chosen?.slug ?? event ?? ''}
        choices={events.map(({ slug, name }) => [slug, name] as const)}
        onValue={(value) =>
          setQuery({
            event: value,
            eventId: undefined,
            round: undefined,
            roundId: undefined,
            team: undefined,
            teamId: undefined,
          })
        }
      />
      <button
        type="button"
        class="button button--quiet filters__fold"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {fold > 0 ? t('filter.moreCount', { count: number(fold) }) : t('filter.more')}
      </button>
      {open && (
        <div class="filters__more">
          <Choice
            label={t('donation.state')}
            all={t('filter.allStates')}
            value={query.get('status') ?? ''}
            choices={STATUSES.map((status) => [status, t(`donation.status.${status}`)] as const)}
            onValue={(status) => setQuery({ status })}
          />
          <Choice
            label={t('donation.kind')}
            all={t('filter.allKinds')}
            value={query.get('type') ?? ''}
            choices={TYPES.map((type) => [type, word('type', type)] as const)}
            onValue={(type) => setQuery({ type })}
          />
          <Choice
            label={t('donation.method')}
            all={t('filter.allMethods')}
            value={method}
            // A link can name any method, and this method then becomes an option.
            choices={[...new Set([...METHODS, ...(method === '' ? [] : [method])])].map(
              (one) => [one, methodName(one)] as const,
            )}
            onValue={(value) => setQuery({ method: value })}
          />
          {staff.data && (
            <Choice
              label={t('donation.takenBy')}
              all={t('filter.everybody')}
              value={query.get('staff') ?? query.get('staffId') ?? ''}
              choices={staff.data.map(({ id, name }) => [id, name] as const)}
              onValue={(value) => setQuery({ staff: value, staffId: undefined })}
            />
          )}
          {rounds.data && (rounds.data.data.length > 0 || round !== '') && (
            <Choice
              label={t('filter.level')}
              all={t('filter.allLevels')}
              value={round}
              choices={rounds.data.data.map((one) => [one.id, levelOf(one)] as const)}
              onValue={(value) => setQuery({ round: value, roundId: undefined })}
            />
          )}
          {(round !== '' || pledge !== '' || (rounds.data?.data.length ?? 0) > 0) && (
            <Choice
              label={t('filter.pledge')}
              all={t('filter.everyPledge')}
              value={pledge}
              choices={[
                ...FATES.map((fate) => [fate, t(`round.fate.${fate}`)] as const),
                // A link can set several values at once, and this combination then becomes an option.
                ...(pledge.includes(',') ? [[pledge, wordsOf(pledge)] as const] : []),
              ]}
              onValue={(value) => setQuery({ pledge: value })}
            />
          )}
          <Choice
            label={t('tribute.title')}
            all={t('filter.allTributes')}
            value={query.get('tribute') ?? ''}
            choices={(['true', 'false'] as const).map(
              (value) => [value, t(`filter.tribute.${value}`)] as const,
            )}
            onValue={(tribute) => setQuery({ tribute })}
          />
          {teams.length > 0 && (
            <Choice
              label={t('team.one')}
              all={t('filter.allTeams')}
              value={query.get('team') ?? query.get('teamId') ?? ''}
              choices={teams.map(({ id, name }) => [id, name] as const)}
              onValue={(team) => setQuery({ team, teamId: undefined })}
            />
          )}
          <label class="filters__day">
            <span>{t('donation.paddle')}</span>
            <input
              type="search"
              class="input filters__paddle"
              maxLength={12}
              value={query.get('paddle') ?? ''}
              onInput={({ currentTarget }) => setQuery({ paddle: currentTarget.value.trim() })}
            />
          </label>
          <label class="filters__day">
            <span>{t('filter.from')}</span>
            <input
              type="date"
              class="input"
              value={query.get('from') ?? ''}
              onChange={({ currentTarget }) => setQuery({ from: currentTarget.value })}
            />
          </label>
          <label class="filters__day">
            <span>{t('filter.to')}</span>
            <input
              type="date"
              class="input"
              value={query.get('to') ?? ''}
              onChange={({ currentTarget }) => setQuery({ to: currentTarget.value })}
            />
          </label>
          {fold > 0 && (
            <button
              type="button"
              class="linkbutton"
              onClick={() => setQuery(Object.fromEntries(FOLDED.map((name) => [name, undefined])))}
            >
              {t('filter.clear')}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

const Choice = ({
  label,
  all,
  value,
  choices,
  onValue,
}: {
  label: string;
  all: string;
  value: string;
  choices: readonly (readonly [string, string])[];
  onValue: (value: string | undefined) => void;
}) => (
  <label class="filters__choice">
    <span class="visually-hidden">{label}</span>
    <select
      class="input select"
      value={value}
      onChange={({ currentTarget }) => onValue(currentTarget.value || undefined)}
    >
      <option value="">{all}</option>
      {choices.map(([one, text]) => (
        <option key={one} value={one} selected={one === value}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

const wordsOf = (pledge: string): string =>
  FATES.filter((fate) => pledge.split(',').includes(fate))
    .map((fate) => t(`round.fate.${fate}`))
    .join(', ');
