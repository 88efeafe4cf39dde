import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../../desk/form-dialog.js';
import { SelectField } from '../../desk/fields.js';
import { Empty, Failed, Pill, Skeleton } from '../../desk/states.js';
import { ago, dateTime, known, money, number, t, word } from '../../desk/texts.js';
import { say, sayError } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { changed, useQuery } from '../api/query.js';
import type { AssignmentDto } from '../../../src/payments/dto/assignment.dto.js';
import type { ReviewItemDto } from '../../../src/review/dto/review-item.dto.js';
import { can } from '../me.js';
import { useEvents } from '../parts/events.js';
import { titleOf } from '../parts/review-words.js';
import { go, href } from '../router.js';

/** Cards that are drawn at once. */
const STEP = 40;
/** The server lists no more. */
export const MOST_LISTED = 500;

/** Everything that needs a person: what happened, what it means, and the one or two things to do about it. */
export function Review({ id }: { id: string | undefined }) {
  const { data, error, reload, at } = useQuery<readonly ReviewItemDto[]>('/review-items');
  const items = [...(data ?? [])].sort((a, b) => (a.dueBy ?? '9').localeCompare(b.dueBy ?? '9'));
  const [shown, setShown] = useState(STEP);
  return (
    <>
      <header class="page__head">
        <h1 class="page__name">{t('nav.review')}</h1>
        {at !== undefined && (
          <button type="button" class="button button--quiet" onClick={reload}>
            {t('action.reload')}
          </button>
        )}
      </header>
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Skeleton />}
      {data && items.length === 0 && (
        <Empty icon="check" title={t('review.empty')}>
          {t('review.emptyText')}
        </Empty>
      )}
      <ul class="cards">
        {items
          .filter((item, index) => index < shown || item.id === id)
          .map((item) => (
            <Item key={item.id} item={item} isCurrent={item.id === id} />
          ))}
      </ul>
      {items.length > shown && (
        <p class="panel__links">
          <button type="button" class="button button--quiet" onClick={() => setShown(shown + STEP)}>
            {t('action.showMore', { count: number(items.length - shown) })}
          </button>
        </p>
      )}
      {items.length >= MOST_LISTED && <p class="note">{t('review.most', { count: number(MOST_LISTED) })}</p>}
    </>
  );
}

type ReviewAction = ReviewItemDto['actions'][number];

const HOLDS_MONEY = ['received', 'amount', 'expected', 'asked'];

function Item({ item, isCurrent }: { item: ReviewItemDto; isCurrent: boolean }) {
  const [open, setOpen] = useState<'resolve' | 'assign' | undefined>();
  const [busy, setBusy] = useState(false);
  const close = () => setOpen(undefined);
  const currencyOf = (name: string) => item.detail[`${name}Currency`] ?? item.detail['currency'];
  const act = async (action: ReviewAction) => {
    if (action.action === 'assign') {
      setOpen('assign');
      return;
    }
    // Money goes back only by the dialog that says how much.
    if (action.action === 'refund' || action.action === 'story') {
      if (item.donationId !== null) go(href(`donations/${item.donationId}`));
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
  // Taking it off the list has a button of its own, which asks.
  const actions = item.actions.filter(({ action }) => action !== 'resolve');
  const texts = Object.entries(item.detail).filter(
    ([, value]) => value !== null && typeof value !== 'object',
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
      <p>{item.meaning}</p>
      <p class="review__advice">{item.advice}</p>
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
                    : String(value)}
                </dd>
              </>
            );
          })}
        </dl>
      </details>
      <p class="panel__links">
        {can('reviews:resolve') &&
          actions.map((action, index) => (
            <button
              key={action.action}
              type="button"
              class={index === 0 ? 'button' : 'button button--quiet'}
              disabled={busy}
              onClick={() => void act(action)}
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

/** The desk has words for the actions it knows; others come with the server's own. */
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
