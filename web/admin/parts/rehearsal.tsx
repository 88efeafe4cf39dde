import { useState } from 'preact/hooks';
import type { RehearsalDto } from '../../../src/rehearsal/dto/rehearsal.dto.js';
import { CheckField, TextField } from '../../desk/fields.js';
import { Problem, useSending } from '../../desk/sending.js';
import { Failed, Skeleton } from '../../desk/states.js';
import { dateTime, t } from '../../desk/texts.js';
import { api } from '../api/client.js';
import { hasCode } from '../api/errors.js';
import { useQuery } from '../api/query.js';
import { href } from '../router.js';
import { RehearsalPlay } from './rehearsal-play.js';

/** Starts and ends the rehearsal of an event. */
export function Rehearsal({ eventId }: { eventId: string }) {
  const path = `/events/${eventId}/rehearsal`;
  // Most events have no rehearsal, so the server is asked only when somebody opens the panel.
  const [isOpen, setOpen] = useState(false);
  const { data, error, reload } = useQuery<RehearsalDto>(isOpen ? path : null);
  const [withNames, setWithNames] = useState(false);
  const [mailTo, setMailTo] = useState('');
  const { busy, problem, send } = useSending();
  const run = (method: 'POST' | 'DELETE', body?: object) => {
    void send(async () => {
      await api(path, { method, ...(body && { body }) });
      reload();
    });
  };
  const twin = error ? undefined : data;
  const isAbsent = hasCode(error, 'REHEARSAL_NOT_FOUND');
  return (
    <details
      class="panel"
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary class="panel__title">{t('rehearsal.title')}</summary>
      <p class="field__hint">{t('rehearsal.lead')}</p>
      {error && !isAbsent && <Failed error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={2} />}
      {(twin ?? isAbsent) && (
        <div class="stack">
          {twin ? (
            <>
              <p>
                <a href={href(`events/${twin.slug}`)}>{twin.slug}</a> · {dateTime(twin.endsAt)}
              </p>
              {!twin.isEnding && <RehearsalPlay path={path} />}
            </>
          ) : (
            <>
              <CheckField label={t('rehearsal.names')} checked={withNames} onChecked={setWithNames} />
              <TextField label={t('rehearsal.mailTo')} value={mailTo} onValue={setMailTo} />
            </>
          )}
          <Problem text={problem} />
          <button
            type="button"
            class="button button--quiet"
            disabled={busy || twin?.isEnding === true}
            onClick={() =>
              twin ? run('DELETE') : run('POST', { withNames, mailTo: mailTo.match(/[^\s,;]+/g) ?? [] })
            }
          >
            {t(twin ? 'rehearsal.end' : 'rehearsal.title')}
          </button>
        </div>
      )}
    </details>
  );
}
