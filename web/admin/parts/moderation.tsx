import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { DonorMessageDto, ModerateDto } from '../../../src/donations/dto/moderation.dto.js';
import { CheckField } from '../../desk/fields.js';
import { Icon } from '../../desk/icons.js';
import { Empty, Failed, Skeleton } from '../../desk/states.js';
import { moment, number, t, tn } from '../../desk/texts.js';
import { say, sayError } from '../../desk/toast.js';
import { once } from '../../kit/clicks.js';
import { api } from '../api/client.js';
import { hasCode } from '../api/errors.js';
import { outdated, useQuery } from '../api/query.js';
import { can } from '../me.js';
import { tributeLine } from './tribute-fields.js';
import { useAfterChanges } from './after-changes.js';
import { ModerationList, type Row, type Waiting } from './moderation-list.js';
import { remember, remembered } from '../preferences.js';

const toWaiting = (all: readonly DonorMessageDto[]): Waiting[] =>
  all.map(({ id, donorName, message, messageState, nameState, tribute, createdAt: at }) => ({
    id,
    name: nameState === 'held' ? donorName : undefined,
    message: messageState === 'held' ? (message ?? undefined) : undefined,
    tribute:
      tribute?.state === 'held'
        ? { kind: tribute.kind, name: tribute.name, message: tribute.message }
        : undefined,
    donorName,
    at,
  }));

const PARTS = ['name', 'message', 'tribute'] as const;
type Part = (typeof PARTS)[number];

/** A part approves this part and hides the others. */
type Decision = 'approve' | 'hide' | Part;

/** The text of a part that awaits a decision. */
const partText = ({ name, message, tribute }: Waiting, part: Part): string | undefined =>
  part === 'tribute' ? tribute && tributeLine(tribute) : { name, message }[part];

/** The body of the request: the states of the waiting parts, and the texts that the person read. */
function bodyOf({ name, message, tribute, donorName }: Waiting, decision: Decision | 'held'): ModerateDto {
  const stateOf = (part: Part) =>
    decision === 'held' ? 'held' : decision === 'approve' || decision === part ? 'visible' : 'hidden';
  return {
    ...(name !== undefined && { name: stateOf('name') }),
    ...(message !== undefined && { message: stateOf('message') }),
    ...(tribute && { tribute: stateOf('tribute') }),
    expected: {
      donorName,
      ...(message !== undefined && { message }),
      ...(tribute && { tributeName: tribute.name, tributeMessage: tribute.message }),
    },
  };
}

const textOf = (waiting: Waiting): string =>
  PARTS.map((part) => partText(waiting, part))
    .filter(Boolean)
    .join(' · ');

/** The kind of the texts below them. */
const whatOf = ({ name, message, tribute, donorName }: Waiting): string => {
  if (tribute && name === undefined && message === undefined)
    return t('moderation.tribute', { name: donorName });
  if (name === undefined) return t('moderation.message', { name: donorName });
  return t(message === undefined ? 'moderation.name' : 'moderation.both');
};

/** Maximum number of items that are loaded at once. After decisions, the next items are loaded. */
const MOST = 100;
const LOOK_EVERY_MS = 20_000;
const READ_EVERY_MS = 3_000;

/**
 * Messages, names and tributes that await approval. One decision covers all texts of a donation. The keys A, H, J, K and U work while no field has the focus. The person can turn
 * these keys off.
 */
export function ModerationQueue({ eventId, changes }: { eventId: string; changes: number }) {
  const path = `/donations/messages?eventId=${eventId}&limit=${MOST}`;
  const { data, error, reload } = useQuery<readonly DonorMessageDto[]>(path, { every: LOOK_EVERY_MS });
  const [keys, setKeys] = useState(() => remembered('keys') !== 'off');
  const all = useMemo(() => new ModerationList(), [eventId]);
  const [, setDrawn] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  /** True from an act of the person until the page has shown the item that is selected then. */
  const acted = useRef(false);
  const isMore = (data?.length ?? 0) >= MOST;
  useMemo(() => all.renew(toWaiting(data ?? []), isMore), [all, data]);
  const { current, shown, open } = all;
  const allowed = can('messages:moderate');

  // The server also announces each decision. After several fast decisions, the list is refreshed only once.
  const [decided, setDecided] = useState(0);
  /** The last decision of this tab, which the person can undo. */
  const [last, setLast] = useState<{ readonly row: Row; readonly decision: Decision } | undefined>();
  useAfterChanges(changes + decided, READ_EVERY_MS, reload);

  // `decide` selects the next item before the page is drawn again, so that a second key applies to the next item.
  const draw = () => setDrawn((before) => before + 1);
  const send = async (row: Row, decision: Decision | 'held') => {
    await api(`/donations/${row.id}/moderation`, { method: 'POST', body: bodyOf(row, decision) });
    outdated('/donations/messages');
    setDecided((before) => before + 1);
  };
  const decide = async (row: Row | undefined, decision: Decision) => {
    if (!row?.isOpen) return;
    acted.current = true;
    all.decide(row);
    setLast({ row, decision });
    draw();
    try {
      await send(row, decision);
    } catch (failure) {
      all.undo(row);
      setLast((now) => (now?.row === row ? undefined : now));
      draw();
      if (hasCode(failure, 'EDIT_CONFLICT')) {
        say(t('moderation.changed'), 'bad');
        reload();
      } else sayError(failure);
    }
  };
  const takeBack = async () => {
    if (!last) return;
    setLast(undefined);
    try {
      await send(last.row, 'held');
      all.undo(last.row);
      reload();
    } catch (failure) {
      setLast(last);
      sayError(failure);
    }
  };
  const move = (step: 1 | -1) => {
    acted.current = true;
    all.move(step);
    draw();
  };

  // A layout effect runs immediately after the drawing, so that the next key applies to the drawn item.
  useLayoutEffect(() => {
    if (!keys || !allowed) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      const target = event.target as HTMLElement;
      if (target.closest('input, textarea, select, [contenteditable], dialog, [role=menu]')) return;
      const act = {
        a: () => void decide(all.current, 'approve'),
        h: () => void decide(all.current, 'hide'),
        j: () => move(1),
        k: () => move(-1),
        u: () => void takeBack(),
      }[event.key.toLowerCase()];
      if (!act || (all.shown.length === 0 && !last)) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });

  // The page must not move by itself, neither when it opens nor when another person decides.
  useEffect(() => {
    if (!acted.current) return;
    acted.current = false;
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  });

  return (
    <section class="panel" aria-labelledby="waiting">
      <header class="panel__head">
        <h2 class="panel__title" id="waiting">
          {t('moderation.title')}
        </h2>
        <span class="panel__count" role="status">
          {data &&
            (isMore
              ? t('moderation.most', { count: number(open.length) })
              : tn('moderation.count', open.length))}
        </span>
      </header>
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={2} />}
      {data && !error && shown.length === 0 && <Empty icon="check" title={t('moderation.empty')} />}
      {shown.length > 0 && (
        <ul class="queue" ref={list}>
          {shown.map((row) => (
            <li
              key={row.mark}
              class={`queue__item${row.isOpen ? '' : ' queue__item--done'}`}
              aria-current={row.mark === current?.mark ? 'true' : undefined}
              onClick={({ target }) => {
                // A click on a button of the item is a decision. The decision itself selects the next item.
                if ((target as Element).closest('button')) return;
                all.choose(row);
                draw();
              }}
            >
              {row.name !== undefined && <p class="queue__text queue__name">{row.name}</p>}
              {row.message !== undefined && <p class="queue__text">{row.message}</p>}
              {row.tribute && (
                <>
                  <p class="queue__text queue__name">{tributeLine(row.tribute)}</p>
                  {row.tribute.message !== null && <p class="queue__text">{row.tribute.message}</p>}
                </>
              )}
              <p class="queue__meta">
                {whatOf(row)} · {moment(row.at)}
              </p>
              {allowed && row.isOpen && (
                <p class="queue__actions">
                  <button
                    type="button"
                    class="button button--small"
                    onClick={once(() => decide(row, 'approve'))}
                  >
                    <Icon name="check" size={16} /> {t('moderation.approve')}
                  </button>
                  <button
                    type="button"
                    class="button button--quiet button--small"
                    onClick={once(() => decide(row, 'hide'))}
                  >
                    {t('moderation.hide')}
                  </button>
                  {PARTS.filter((part) => row[part] !== undefined).length > 1 &&
                    PARTS.filter((part) => row[part] !== undefined).map((part) => (
                      <button
                        key={part}
                        type="button"
                        class="button button--quiet button--small"
                        onClick={once(() => decide(row, part))}
                      >
                        {t(`moderation.only.${part}`)}
                      </button>
                    ))}
                </p>
              )}
              {!row.isOpen && <p class="queue__actions queue__meta">{t('moderation.done')}</p>}
            </li>
          ))}
        </ul>
      )}
      {/* Below the list, so that no row moves under the pointer. */}
      {last && (
        <p class="queue__last">
          <span role="status">
            {t(last.decision === 'hide' ? 'moderation.hidden' : 'moderation.approved', {
              text:
                last.decision === 'approve' || last.decision === 'hide'
                  ? textOf(last.row)
                  : (partText(last.row, last.decision) ?? ''),
            })}
          </span>
          <button type="button" class="linkbutton" onClick={once(takeBack)}>
            {t('moderation.undo')}
          </button>
        </p>
      )}
      {allowed && (
        <footer class="panel__foot">
          <CheckField
            label={
              <>
                <kbd>A</kbd> {t('moderation.approve')} <kbd>H</kbd> {t('moderation.hide')} <kbd>J</kbd>
                <kbd>K</kbd> {t('moderation.move')} <kbd>U</kbd> {t('moderation.undo')}
              </>
            }
            checked={keys}
            onChecked={(on) => {
              setKeys(on);
              remember('keys', on ? 'on' : 'off');
            }}
          />
        </footer>
      )}
    </section>
  );
}
