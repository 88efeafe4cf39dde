import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../../desk/form-dialog.js';
import { SelectField } from '../../desk/fields.js';
import { Empty, Failed, Pill, Skeleton } from '../../desk/states.js';
import { ago, dateTime, known, money, number, t, tn, word } from '../../desk/texts.js';
import { say, sayError } from '../../desk/toast.js';
import { once } from '../../kit/clicks.js';
import { api } from '../api/client.js';
import { changed, useList, useQuery } from '../api/query.js';
import type { AssignmentDto } from '../../../src/payments/booking/dto/assignment.dto.js';
import type { ReviewItemDto } from '../../../src/reporting/review/dto/review-item.dto.js';
import { can } from '../me.js';
import { useEvents } from '../parts/events.js';
import { DashboardLink } from '../parts/disputes.js';
import { ReviewFacts } from '../parts/review-facts.js';
import { adviceOf, meaningOf, OPEN_ITEMS, titleOf } from '../parts/review-words.js';
import { go, href } from '../router.js';

/** The review list: each problem with its meaning and one or two actions. */
export function Review({ id }: { id: string | undefined }) {
  const list = useList<ReviewItemDto>(OPEN_ITEMS);
  const named = useQuery<ReviewItemDto>(id === undefined ? null : `/review-items/${id}`);
  // Ids of items resolved in this tab. Only the first page is loaded again, so this list hides items of later pages.
  const [settled, setSettled] = useState<readonly string[]>([]);
  const items = list.rows.filter((item) => !settled.includes(item.id));
  const first = named.data?.resolvedAt === null && !settled.includes(named.data.id) ? named.data : undefined;
  const shown = first ? [first, ...items.filter((item) => item.id !== first.id)] : items;
  const onSettled = (done: string) => setSettled([...settled, done]);
  const left = list.total === undefined ? undefined : list.total - items.length;
  return (
    <>
      <header class="page__head">
        <div class="page__title">
          <h1 class="page__name">{t('nav.review')}</h1>
          {list.total !== undefined && list.total > 0 && (
            <span class="panel__count">{tn('review.open', list.total)}</span>
          )}
        </div>
        {list.at !== undefined && (
          <button type="button" class="button button--quiet" onClick={list.reload}>
            {t('action.reload')}
          </button>
        )}
      </header>
      {list.error && <Failed error={list.error} retry={list.reload} />}
      {typeof named.data?.resolvedAt === 'string' && <p class="note">{t('review.isSettled')}</p>}
      {list.loading && list.rows.length === 0 && <Skeleton />}
      {!list.loading && !list.error && shown.length === 0 && !list.more && (
        <Empty icon="check" title={t('review.empty')}>
          {t('review.emptyText')}
        </Empty>
      )}
      <ul class="cards">
        {shown.map((item) => (
          <Item key={item.id} item={item} isCurrent={item.id === id} onSettled={onSettled} />
        ))}
      </ul>
      {list.more && (
        <p class="panel__links">
          <button type="button" class="button button--quiet" disabled={list.loadingMore} onClick={list.more}>
            {list.loadingMore
              ? t('state.working')
              : left === undefined
                ? t('action.showMoreRows')
                : t('action.showMore', { count: number(left) })}
          </button>
        </p>
      )}
    </>
  );
}

type ReviewAction = ReviewItemDto['actions'][number];

const HOLDS_MONEY = ['received', 'amount', 'expected', 'asked'];

/** Kinds whose next step is in the provider's dashboard. */
const ANSWERED_AT_PROVIDER: readonly ReviewItemDto['kind'][] = ['dispute', 'payment_held', 'unknown_status'];

const REASON_IS_ABOVE: readonly ReviewItemDto['kind'][] = ['debit_failed', 'fraud_warning'];

interface ItemProps {
  readonly item: ReviewItemDto;
  readonly isCurrent: boolean;
  readonly onSettled: (id: string) => void;
}

function Item({ item, isCurrent, onSettled }: ItemProps) {
  const [open, setOpen] = useState<'resolve' | 'assign' | undefined>();
  const [busy, setBusy] = useState(false);
  const close = () => setOpen(undefined);
  const currencyOf = (name: string) => item.detail[`${name}Currency`] ?? item.detail['currency'];
  const act = async (action: ReviewAction) => {
    if (action.action === 'assign') {
      setOpen('assign');
      return;
    }
    // A refund needs the dialog of the donation, which shows the amount first.
    if (action.action === 'refund' || action.action === 'story') {
      if (item.donationId !== null) go(href(`donations/${item.donationId}`));
      return;
    }
    if (action.action === 'donor') {
      go(href(action.path.slice(1)));
      return;
    }
    setBusy(true);
    try {
      const answer = await api<{ detail?: string } | undefined>(action.path, {
        method: action.method,
        ...(action.body && { body: action.body }),
      });
      say(answer?.detail ?? t('state.done'));
      changed('/review-items');
    } catch (error) {
      sayError(error);
    }
    setBusy(false);
  };
  const dashboardUrl = item.donation?.dashboardUrl;
  const isAtProvider = dashboardUrl !== undefined && ANSWERED_AT_PROVIDER.includes(item.kind);
  // The action "resolve" is left out here, because it has its own button with a confirmation.
  const actions = item.actions.filter(({ action }) => action !== 'resolve');
  const texts = Object.entries(item.detail).filter(
    // The currency is part of each amount. The card above shows the reason of a refused debit and of a fraud warning.
    ([name, value]) =>
      value !== null &&
      typeof value !== 'object' &&
      !/currency$/i.test(name) &&
      !(name === 'reason' && item.donation && REASON_IS_ABOVE.includes(item.kind)),
  );
  return (
    <li class="panel review" aria-current={isCurrent ? 'true' : undefined}>
      <div class="review__head">
        <h2 class="panel__title">{titleOf(item)}</h2>
        {item.dueBy !== null && <Pill tone="bad">{t('review.due', { time: dateTime(item.dueBy) })}</Pill>}
        <time class="lines__meta" dateTime={item.createdAt}>
          {ago(item.createdAt)}
        </time>
      </div>
      <p>{meaningOf(item)}</p>
      <p class="review__advice">{adviceOf(item)}</p>
      <ReviewFacts item={item} />
      <details>
        <summary>{t('review.details')}</summary>
        <dl class="facts">
          <dt>{t('review.about')}</dt>
          <dd class="mono">{item.subject}</dd>
          {texts.map(([name, value]) => {
            const currency = currencyOf(name);
            return (
              <>
                <dt>{word('detail', name)}</dt>
                <dd>
                  {HOLDS_MONEY.includes(name) && typeof value === 'number' && typeof currency === 'string'
                    ? money(value, currency)
                    : name === 'state' && typeof value === 'string'
                      ? word('refund.status', value)
                      : String(value)}
                </dd>
              </>
            );
          })}
        </dl>
      </details>
      <p class="panel__links">
        <DashboardLink url={dashboardUrl} look={isAtProvider ? 'button' : 'button button--quiet'} />
        {can('reviews:resolve') &&
          actions.map((action, index) => (
            <button
              key={action.action}
              type="button"
              class={index === 0 && !isAtProvider ? 'button' : 'button button--quiet'}
              disabled={busy}
              onClick={once(() => act(action))}
            >
              {wordOf(action)}
            </button>
          ))}
        {!can('reviews:resolve') && item.donationId !== null && (
          <a href={href(`donations/${item.donationId}`)}>{t('review.see')}</a>
        )}
        {can('reviews:resolve') && (
          <button type="button" class="button button--quiet" onClick={() => setOpen('resolve')}>
            {t('review.resolve')}
          </button>
        )}
      </p>
      {open === 'resolve' && (
        <ConfirmDialog
          title={t('review.resolveTitle')}
          confirm={t('review.resolve')}
          onClose={close}
          onConfirm={async () => {
            await api(`/review-items/${item.id}/resolve`, { method: 'POST' });
            onSettled(item.id);
            changed('/review-items');
            say(t('review.resolved'));
          }}
        >
          <p>{t('review.resolveText')}</p>
        </ConfirmDialog>
      )}
      {open === 'assign' && <AssignDialog item={item} onClose={close} />}
    </li>
  );
}

/** Label of an action in the reader's language; the server's label if the dashboard has no text. */
const wordOf = ({ action, label }: ReviewAction): string => known('reviewAction', action) ?? label;

function AssignDialog({ item, onClose }: { item: ReviewItemDto; onClose: () => void }) {
  const { data: events = [] } = useEvents();
  const [slug, setSlug] = useState('');
  const chosen = slug || (events[0]?.slug ?? '');
  return (
    <ConfirmDialog
      title={t('review.assignTitle')}
      confirm={t('reviewAction.assign')}
      onClose={onClose}
      onConfirm={async () => {
        const { donationId } = await api<AssignmentDto>(`/review-items/${item.id}/assign`, {
          method: 'POST',
          body: { eventId: chosen },
        });
        changed('/review-items', '/donations', '/events');
        say(t('review.assigned'));
        go(href(`donations/${donationId}`));
      }}
    >
      <p>{t('review.assignText')}</p>
      <SelectField
        label={t('event.one')}
        value={chosen}
        choices={events.map((event) => ({ value: event.slug, label: event.name }))}
        onValue={setSlug}
      />
    </ConfirmDialog>
  );
}
