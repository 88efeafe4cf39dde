import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { DonorMessageDto } from '../../../src/donations/dto/moderation.dto.js';
import { CheckField } from '../../desk/fields.js';
import { Icon } from '../../desk/icons.js';
import { Empty, Failed, Skeleton } from '../../desk/states.js';
import { moment, number, t, tn } from '../../desk/texts.js';
import { sayError } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { changed, useQuery } from '../api/query.js';
import { can } from '../me.js';
import { useAfterChanges } from './after-changes.js';
import { remember, remembered } from '../preferences.js';

interface Waiting {
  readonly id: string;
  readonly part: 'message' | 'name';
  readonly text: string;
  readonly donorName: string;
  readonly at: string;
}

/** A message and a name are decided one by one. */
const toWaiting = (all: readonly DonorMessageDto[]): Waiting[] =>
  all.flatMap(({ id, donorName, message, messageState, nameState, createdAt: at }) => [
    ...(nameState === 'held' ? [{ id, part: 'name' as const, text: donorName, donorName, at }] : []),
    ...(messageState === 'held' && message !== null
      ? [{ id, part: 'message' as const, text: message, donorName, at }]
      : []),
  ]);

/** With its words: a text that was changed waits again. */
const markOf = ({ part, id, text }: Waiting) => `${part}:${id}:${text}`;

/** At once; the next come as these are decided. */
const MOST = 100;
const LOOK_EVERY_MS = 20_000;
const READ_EVERY_MS = 3_000;

/** Messages and names that wait; A, H, J and K work while nothing is being typed, and can be switched off. */
export function ModerationQueue({ eventId, changes }: { eventId: string; changes: number }) {
  const path = `/donations/messages?eventId=${eventId}&limit=${MOST}`;
  const { data, error, reload } = useQuery<readonly DonorMessageDto[]>(path, { every: LOOK_EVERY_MS });
  const [at, setAt] = useState(0);
  const [keys, setKeys] = useState(() => remembered('keys') !== 'off');
  // Known at once, before the page is drawn again: a second key pressed quickly is about the next one.
  const decided = useRef(new Set<string>()).current;
  const [, setDecisions] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const stillWaiting = () => toWaiting(data ?? []).filter((one) => !decided.has(markOf(one)));
  const waiting = stillWaiting();
  const isMore = (data?.length ?? 0) >= MOST;
  const current = Math.min(at, waiting.length - 1);
  const allowed = can('messages:moderate');

  useAfterChanges(changes, READ_EVERY_MS, reload);

  const decide = async (one: Waiting | undefined, decision: 'approve' | 'hide') => {
    if (!one) return;
    const draw = () => setDecisions((before) => before + 1);
    decided.add(markOf(one));
    draw();
    try {
      await api(`/donations/${one.id}/${one.part}/${decision}`, { method: 'POST' });
      changed('/donations/messages');
    } catch (failure) {
      decided.delete(markOf(one));
      draw();
      sayError(failure);
    }
  };

  // With the drawing, not after it: the next key is about what stands there then.
  useLayoutEffect(() => {
    if (!keys || !allowed) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      const target = event.target as HTMLElement;
      if (target.closest('input, textarea, select, [contenteditable], dialog, [role=menu]')) return;
      const left = stillWaiting();
      const one = left[Math.min(at, left.length - 1)];
      const act = {
        a: () => void decide(one, 'approve'),
        h: () => void decide(one, 'hide'),
        j: () => setAt(Math.min(current + 1, waiting.length - 1)),
        k: () => setAt(Math.max(current - 1, 0)),
      }[event.key.toLowerCase()];
      if (!act || left.length === 0) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });

  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);

  return (
    <section class="panel" aria-labelledby="waiting">
      <header class="panel__head">
        <h2 class="panel__title" id="waiting">
          {t('moderation.title')}
        </h2>
        <span class="panel__count" role="status">
          {data &&
            (isMore
              ? t('moderation.most', { count: number(waiting.length) })
              : tn('moderation.count', waiting.length))}
        </span>
      </header>
      {error && !data && <Failed error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={2} />}
      {data && waiting.length === 0 && <Empty icon="check" title={t('moderation.empty')} />}
      {waiting.length > 0 && (
        <ul class="queue" ref={list}>
          {waiting.map((one, index) => (
            <li
              key={markOf(one)}
              class="queue__item"
              aria-current={index === current ? 'true' : undefined}
              onClick={() => setAt(index)}
            >
              <p class="queue__text">{one.text}</p>
              <p class="queue__meta">
                {one.part === 'name'
                  ? t('moderation.name')
                  : t('moderation.message', { name: one.donorName })}{' '}
                · {moment(one.at)}
              </p>
              {allowed && (
                <p class="queue__actions">
                  <button
                    type="button"
                    class="button button--small"
                    onClick={() => void decide(one, 'approve')}
                  >
                    <Icon name="check" size={16} /> {t('moderation.approve')}
                  </button>
                  <button
                    type="button"
                    class="button button--quiet button--small"
                    onClick={() => void decide(one, 'hide')}
                  >
                    {t('moderation.hide')}
                  </button>
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
      {allowed && (
        <footer class="panel__foot">
          <CheckField
            label={
              <>
                <kbd>A</kbd> {t('moderation.approve')} <kbd>H</kbd> {t('moderation.hide')} <kbd>J</kbd>
                <kbd>K</kbd> {t('moderation.move')}
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
