import { useState } from 'preact/hooks';
import type { MilestoneDto, MilestoneList } from '../../../src/milestones/dto/milestone.dto.js';
import { Icon } from '../../desk/icons.js';
import { Empty, Failed, NotHere, Pill, Skeleton, type Tone } from '../../desk/states.js';
import { type Column, DataTable } from '../../desk/table.js';
import { money, t, time } from '../../desk/texts.js';
import { isMissingRoute } from '../api/errors.js';
import { useQuery } from '../api/query.js';
import { can } from '../me.js';
import { EventPicker } from '../parts/event-picker.js';
import type { DeskEvent } from '../parts/events.js';
import { MilestoneDialog, milestonesPath } from '../parts/milestone-dialog.js';
import { WithEvent } from '../parts/with-event.js';

const LOOK_EVERY_MS = 20_000;

/** The milestones of an event: list, changes, deletion. */
export const Milestones = () => (
  <WithEvent title={t('nav.milestones')}>
    {(event, events) => <MilestonesOf key={event.id} event={event} events={events} />}
  </WithEvent>
);

function MilestonesOf({ event, events }: { event: DeskEvent; events: readonly DeskEvent[] }) {
  const [opened, setOpened] = useState<MilestoneDto | 'new'>();
  const list = useQuery<MilestoneList>(milestonesPath(event), { every: LOOK_EVERY_MS });
  const missing = isMissingRoute(list.error);
  const rows = list.data?.data ?? [];
  const mayChange = can('milestones:manage');
  return (
    <>
      <header class="page__head">
        <div class="page__title">
          <h1 class="visually-hidden">{`${t('nav.milestones')}: ${event.name}`}</h1>
          <EventPicker event={event} events={events} />
        </div>
        {!missing && mayChange && (
          <div class="page__actions">
            <button type="button" class="button" onClick={() => setOpened('new')}>
              <Icon name="plus" size={16} /> {t('milestone.add')}
            </button>
          </div>
        )}
      </header>
      {list.error && (missing ? <NotHere /> : <Failed error={list.error} retry={list.reload} />)}
      {list.loading && rows.length === 0 && <Skeleton rows={6} />}
      {!list.loading && !list.error && rows.length === 0 && (
        <Empty icon="milestones" title={t('milestone.none')}>
          {t('milestone.noneText')}
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          label={t('nav.milestones')}
          columns={COLUMNS(mayChange ? setOpened : undefined)}
          rows={rows}
          keyOf={({ id }) => id}
          {...(mayChange && { onOpen: setOpened })}
        />
      )}
      {opened !== undefined && (
        <MilestoneDialog
          event={event}
          milestone={opened === 'new' ? undefined : opened}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  );
}

/** State of a milestone in one word, with its tone. */
function stateOf({
  reachedAt,
  announcedAt,
  announce,
  doneAt,
  isVisible,
}: MilestoneDto): readonly [string, Tone] {
  if (reachedAt === null) return [t('milestone.state.open'), 'quiet'];
  if (doneAt !== null) return [t('milestone.state.done'), 'good'];
  if (isVisible && announce === 'by_hand' && announcedAt === null)
    return [t('milestone.state.waiting'), 'warn'];
  return [t('milestone.state.reached'), 'good'];
}

const COLUMNS = (open: ((milestone: MilestoneDto) => void) | undefined): Column<MilestoneDto>[] => [
  {
    key: 'amount',
    head: t('donation.amount'),
    width: '9rem',
    phone: 'amount',
    cell: ({ amount, currency }) => <span class="number">{money(amount, currency, { short: true })}</span>,
  },
  {
    key: 'title',
    head: t('milestone.title'),
    width: '2fr',
    phone: 'title',
    cell: (milestone) => (
      <>
        {open ? (
          <button type="button" class="linkbutton" onClick={() => open(milestone)}>
            {milestone.title}
          </button>
        ) : (
          milestone.title
        )}{' '}
        {milestone.isGoal && <Pill tone="brand">{t('event.goal')}</Pill>}{' '}
        {!milestone.isVisible && <Pill tone="quiet">{t('milestone.hidden')}</Pill>}
      </>
    ),
  },
  {
    key: 'basis',
    head: t('milestone.basis'),
    width: '1.2fr',
    phone: 'note',
    cell: ({ basis }) => t(`milestone.basis.${basis}`),
  },
  {
    key: 'state',
    head: t('milestone.state'),
    width: '1.4fr',
    phone: 'state',
    cell: (milestone) => {
      const [state, tone] = stateOf(milestone);
      return (
        <>
          <Pill tone={tone}>{state}</Pill> {milestone.reachedAt !== null && time(milestone.reachedAt)}{' '}
          {milestone.heldNow === false && <Pill tone="warn">{t('milestone.below')}</Pill>}
        </>
      );
    },
  },
];
