import { useState } from 'preact/hooks';
import type { FloorMessageDto, FloorOverview, FloorRequestDto } from '../../../../src/floor/dto/floor.dto.js';
import type { AssignedStaff } from '../../../../src/staff/dto/staff.dto.js';
import type { TerminalList } from '../../../../src/terminals/dto/terminal.dto.js';
import { SelectField, TextField } from '../../../desk/fields.js';
import { FormDialog } from '../../../desk/form-dialog.js';
import { Problem, useSending } from '../../../desk/sending.js';
import { Failed } from '../../../desk/states.js';
import { ago, t } from '../../../desk/texts.js';
import { say } from '../../../desk/toast.js';
import { api } from '../../api/client.js';
import { isMissingRoute } from '../../api/errors.js';
import { changed, useQuery } from '../../api/query.js';
import { can } from '../../me.js';
import type { DeskEvent } from '../events.js';

const LOOK_EVERY_MS = 15_000;
const MESSAGES = 3;
const PATH = '/floor-messages';

/** The open requests of the tills, and messages to the tills with the names of those who have read them. */
export function Floor({ event }: { event: DeskEvent }) {
  const { data, error, reload } = useQuery<FloorOverview>(`${PATH}?eventId=${event.id}`, {
    every: LOOK_EVERY_MS,
  });
  const [opened, setOpened] = useState(false);
  if (isMissingRoute(error)) return null;
  const messages = data?.messages.filter(({ withdrawnAt }) => withdrawnAt === null) ?? [];
  return (
    <section class={`panel ${data?.requests.length ? 'panel--waits' : ''}`} aria-labelledby="floor">
      <header class="panel__head">
        <h2 class="panel__title" id="floor">
          {t('floor.title')}
        </h2>
        {can('floor:manage') && (
          <button type="button" class="button button--quiet button--small" onClick={() => setOpened(true)}>
            {t('floor.send')}
          </button>
        )}
      </header>
      {error && !data && <Failed error={error} retry={reload} />}
      {data?.requests.length === 0 && <p class="lines__meta">{t('floor.none')}</p>}
      <ul class="lines" aria-live="polite">
        {data?.requests.map((one) => (
          <Request key={one.id} request={one} />
        ))}
        {messages.slice(0, MESSAGES).map((one) => (
          <Message key={one.id} message={one} />
        ))}
      </ul>
      {opened && <SendDialog event={event} onClose={() => setOpened(false)} />}
    </section>
  );
}

const joined = (...parts: (string | null | undefined)[]): string => parts.filter(Boolean).join(' · ');

function Request({ request }: { request: FloorRequestDto }) {
  const { id, kind, place, staff, terminal, createdAt, seenAt, seenBy } = request;
  const { busy, problem, send } = useSending();
  const answer = (how: 'see' | 'close') =>
    send(async () => {
      const after = await api<FloorRequestDto>(`/floor-requests/${id}/${how}`, { method: 'POST' });
      // The name is that of the first person, so that two people at once see who goes.
      const name = (how === 'see' ? after.seenBy : after.closedBy) ?? t('conflict.someone');
      say(t(how === 'see' ? 'floor.seen' : 'floor.closed', { name }));
      changed(PATH);
    });
  return (
    <li class={`note milestone__waiting ${seenAt === null ? 'note--warn' : ''}`} data-request={kind}>
      <span>
        <strong>{t(`floor.kind.${kind}`)}</strong>{' '}
        <span class="lines__meta">
          {joined(
            place && t('floor.place', { place }),
            staff.name,
            terminal?.name,
            ago(createdAt),
            seenAt && t('floor.seen', { name: seenBy ?? t('conflict.someone') }),
          )}
        </span>
      </span>
      <Problem text={problem} />
      {can('floor:manage') && (
        <span class="milestone__actions">
          {seenAt === null && (
            <button
              type="button"
              class="button button--small"
              disabled={busy}
              onClick={() => void answer('see')}
            >
              {t('floor.see')}
            </button>
          )}
          <button
            type="button"
            class="button button--quiet button--small"
            disabled={busy}
            onClick={() => void answer('close')}
          >
            {t('floor.close')}
          </button>
        </span>
      )}
    </li>
  );
}

function Message({ message }: { message: FloorMessageDto }) {
  const { id, text, terminal, staff, createdAt, readings } = message;
  const { busy, send } = useSending();
  const names = readings.map((one) => joined(one.staff.name, one.terminal?.name));
  return (
    <li class="lines__row" data-message={id}>
      <span>
        {text}{' '}
        <span class="lines__meta">
          {joined(
            terminal?.name ?? staff?.name ?? t('floor.all'),
            ago(createdAt),
            names.length === 0 ? t('floor.unread') : t('floor.read', { names: names.join(', ') }),
          )}
        </span>
      </span>
      {can('floor:manage') && (
        <button
          type="button"
          class="linkbutton"
          disabled={busy}
          onClick={() =>
            void send(async () => {
              await api(`${PATH}/${id}/withdraw`, { method: 'POST' });
              changed(PATH);
            })
          }
        >
          {t('floor.withdraw')}
        </button>
      )}
    </li>
  );
}

function SendDialog({ event, onClose }: { event: DeskEvent; onClose: () => void }) {
  const [text, setText] = useState('');
  /** The name of the field and the id of the receiver; empty for all tills. */
  const [to, setTo] = useState('');
  const terminals = useQuery<TerminalList>('/terminals');
  const members = useQuery<readonly AssignedStaff[]>(`/events/${event.id}/staff?pins=false`);
  const [field = '', id = ''] = to.split(' ');
  return (
    <FormDialog
      title={t('floor.send')}
      submit={t('floor.do')}
      onClose={onClose}
      onSave={async () => {
        const body = { eventId: event.id, text, ...(to !== '' && { [field]: id }) };
        await api(PATH, { method: 'POST', body });
        changed(PATH);
        say(t('floor.sent'));
        onClose();
      }}
    >
      <TextField
        label={t('moment.text')}
        hint={t('floor.textHint')}
        value={text}
        onValue={setText}
        maxLength={140}
        rows={2}
        required
        autoFocus
      />
      <SelectField
        label={t('floor.to')}
        value={to}
        choices={[
          { value: '', label: t('floor.all') },
          ...(terminals.data?.data ?? [])
            .filter(({ revokedAt, event: own }) => revokedAt === null && (!own || own.id === event.id))
            .map((one) => ({ value: `terminalId ${one.id}`, label: one.name })),
          ...(members.data ?? []).map((one) => ({ value: `staffId ${one.id}`, label: one.name })),
        ]}
        onValue={setTo}
      />
    </FormDialog>
  );
}
