import { useEffect, useRef, useState } from 'preact/hooks';
import type { ImportDto, ImportList } from '../../../src/imports/dto/import.dto.js';
import { KIND_NAMES } from '../../../src/imports/kinds/kind-names.js';
import { SelectField } from '../../desk/fields.js';
import { ConfirmDialog } from '../../desk/form-dialog.js';
import { Icon } from '../../desk/icons.js';
import { LongList } from '../../desk/long-list.js';
import { Problem, useSending } from '../../desk/sending.js';
import { Empty, Failed, Pill, Skeleton, type Tone } from '../../desk/states.js';
import { dateTime, number, t, tn } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api, queryOf } from '../api/client.js';
import { changed, outdated, useQuery } from '../api/query.js';
import { go, href, usePlace } from '../router.js';
import type { DeskEvent } from './events.js';
import { ImportColumns } from './import-columns.js';
import { ImportCounts, WrongRows } from './import-result.js';

const LOOK_EVERY_MS = 1_000;
const MOST_LISTED = 100;
const MOST_BYTES = 5 * 1024 * 1024;

/**
 * Imports a list of guests, pledges or past donations in steps: upload, columns and check, import, undo. The address contains the
 * id of the import, so after a reload the person continues the same import.
 */
export function GuestImport({ event }: { event: DeskEvent }) {
  const { query } = usePlace();
  const id = query.get('import');
  return (
    <>
      <header class="page__head">
        <div class="page__title">
          <a class="iconbutton" href={href('guests', { event: event.slug })} aria-label={t('nav.guests')}>
            <Icon name="left" size={20} />
          </a>
          <h1 class="page__name">{t('guest.import')}</h1>
        </div>
      </header>
      <div class="stack">
        {id === null ? <Upload event={event} /> : <Opened key={id} id={id} event={event} />}
      </div>
    </>
  );
}

const addressOf = (event: DeskEvent, id?: string) => href('guests/import', { event: event.slug, import: id });

function Upload({ event }: { event: DeskEvent }) {
  const { busy, problem, send } = useSending();
  const [kind, setKind] = useState<ImportDto['kind']>('guests');
  const [tooLarge, setTooLarge] = useState(false);
  const [isOver, setIsOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const upload = (file: File | undefined) => {
    if (!file) return;
    setTooLarge(file.size > MOST_BYTES);
    if (file.size > MOST_BYTES) return;
    void send(async () => {
      const made = await api<ImportDto>(
        `/events/${event.id}/imports${queryOf({ fileName: file.name, kind })}`,
        {
          method: 'POST',
          raw: file,
          headers: { 'content-type': 'application/octet-stream' },
        },
      );
      changed(`/events/${event.id}/imports`);
      go(addressOf(event, made.id));
    });
  };
  return (
    <>
      <section class="panel">
        <SelectField
          label={t('import.kind')}
          hint={t(`import.kindHint.${kind}`)}
          value={kind}
          choices={KIND_NAMES.map((value) => ({ value, label: t(`import.kind.${value}`) }))}
          onValue={setKind}
        />
        <div
          class={`dropzone stack${isOver ? ' dropzone--over' : ''}`}
          onDragOver={(drag) => {
            drag.preventDefault();
            setIsOver(true);
          }}
          onDragLeave={() => setIsOver(false)}
          onDrop={(drop) => {
            drop.preventDefault();
            setIsOver(false);
            upload(drop.dataTransfer?.files[0]);
          }}
        >
          <p>{t(`import.intro.${kind}`)}</p>
          <p>
            <button type="button" class="button" disabled={busy} onClick={() => input.current?.click()}>
              {busy ? t('state.working') : t('import.choose')}
            </button>
          </p>
          <p class="field__hint">{t('import.limits')}</p>
          <input
            ref={input}
            type="file"
            class="visually-hidden"
            tabIndex={-1}
            aria-label={t('import.choose')}
            accept=".csv,.txt,.xlsx,text/csv"
            onChange={({ currentTarget }) => {
              upload(currentTarget.files?.[0]);
              currentTarget.value = '';
            }}
          />
        </div>
        <Problem text={tooLarge ? t('import.tooLarge') : problem} />
      </section>
      <Earlier event={event} />
    </>
  );
}

const TONE: Readonly<Record<ImportDto['status'], Tone>> = {
  uploaded: 'quiet',
  running: 'warn',
  done: 'good',
  undone: 'quiet',
};

function Earlier({ event }: { event: DeskEvent }) {
  const { data, error, reload } = useQuery<ImportList>(`/events/${event.id}/imports`);
  if (error && !data) return <Failed error={error} retry={reload} />;
  if (!data) return <Skeleton rows={3} />;
  if (data.data.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="earlier-imports">
      <h2 class="panel__title" id="earlier-imports">
        {t('import.earlier')}
      </h2>
      <LongList rows={data.data} most={MOST_LISTED}>
        {(one) => (
          <li key={one.id} class="lines__row">
            <span>
              <a href={addressOf(event, one.id)}>{one.fileName}</a>{' '}
              <span class="lines__meta">{dateTime(one.createdAt)}</span>
            </span>
            <span class="lines__meta">
              {one.status === 'done' && `${t(`import.kind.${one.kind}`)}: ${tn('import.added', one.created)}`}{' '}
              <Pill tone={TONE[one.status]}>{t(`import.status.${one.status}`)}</Pill>
            </span>
          </li>
        )}
      </LongList>
    </section>
  );
}

function Opened({ id, event }: { id: string; event: DeskEvent }) {
  const [isRunning, setIsRunning] = useState(true);
  const { data, error, reload } = useQuery<ImportDto>(
    `/imports/${id}`,
    isRunning ? { every: LOOK_EVERY_MS } : {},
  );
  const status = data?.status;
  useEffect(() => {
    setIsRunning(status === 'running');
    if (status === 'done') outdated(`/events/${event.id}`, '/donations', '/pledges');
  }, [status]);
  if (error && !data)
    return (
      <Empty icon="events" title={t('problem.IMPORT_NOT_FOUND')}>
        <button type="button" class="linkbutton" onClick={reload}>
          {t('action.retry')}
        </button>{' '}
        <a href={addressOf(event)}>{t('import.another')}</a>
      </Empty>
    );
  if (!data) return <Skeleton />;
  if (data.status === 'uploaded')
    return (
      <ImportColumns
        uploaded={data}
        onStarted={() => changed(`/imports/${id}`, `/events/${event.id}/imports`)}
        onDiscarded={() => {
          changed(`/events/${event.id}/imports`);
          go(addressOf(event), { replace: true });
        }}
      />
    );
  if (data.status === 'running') return <Running running={data} />;
  return <Finished done={data} event={event} />;
}

function Running({ running: { rows, rowsDone } }: { running: ImportDto }) {
  return (
    <section class="panel" aria-live="polite">
      <p>{t('import.running', { done: number(rowsDone), rows: number(rows) })}</p>
      <progress class="meter" value={rowsDone} max={rows} aria-label={t('import.status.running')} />
      <p class="field__hint">{t('import.runningHint')}</p>
    </section>
  );
}

function Finished({ done, event }: { done: ImportDto; event: DeskEvent }) {
  const [undoing, setUndoing] = useState(false);
  const isUndone = done.status === 'undone';
  return (
    <section class="panel" aria-labelledby="import-result">
      <header class="panel__head">
        <h2 class="panel__title" id="import-result">
          {done.fileName}
        </h2>
        <Pill tone={TONE[done.status]}>{t(`import.status.${done.status}`)}</Pill>
      </header>
      {!isUndone && <ImportCounts counts={done} />}
      <p class="page__actions">
        <a
          class="button"
          href={
            done.kind === 'guests'
              ? href('guests', { event: event.slug })
              : `${href('donations', { event: event.slug })}${done.kind === 'pledges' ? '&type=pledge' : ''}`
          }
        >
          {t(`import.toList.${done.kind}`)}
        </a>
        {done.wrong > 0 && <WrongRows id={done.id} />}
        {!isUndone && done.created + done.changed > 0 && (
          <button type="button" class="button button--quiet button--bad" onClick={() => setUndoing(true)}>
            {t('import.undo')}
          </button>
        )}
        <a class="button button--quiet" href={addressOf(event)}>
          {t('import.another')}
        </a>
      </p>
      {undoing && (
        <ConfirmDialog
          title={t('import.undoTitle', { file: done.fileName })}
          confirm={t('import.undo')}
          danger
          onClose={() => setUndoing(false)}
          onConfirm={async () => {
            await api(`/imports/${done.id}/undo`, { method: 'POST' });
            changed(`/imports/${done.id}`, `/events/${event.id}`, '/donations', '/pledges');
            say(t('state.done'));
          }}
        >
          <p>
            {t(done.kind === 'guests' ? 'import.undoText' : 'import.undoDonations', {
              created: number(done.created),
              changed: number(done.changed),
            })}
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}
