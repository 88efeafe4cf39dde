import { useState } from 'preact/hooks';
import type { ApiKeyDto, ApiKeys as Keys, CreatedApiKey } from '../../../src/api-keys/dto/api-key.dto.js';
import { API_SCOPE_NAMES } from '../../../src/common/access/api-scope-names.js';
import { Dialog } from '../../desk/dialog.js';
import { CheckField, Field, TextField } from '../../desk/fields.js';
import { ConfirmDialog, FormDialog } from '../../desk/form-dialog.js';
import { Failed, Pill, Skeleton } from '../../desk/states.js';
import { ago, date, t, word } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { changed, useQuery } from '../api/query.js';
import { EventChoice } from './event-choice.js';
import { useEvents } from './events.js';

const PATH = '/api-keys';

/** The keys with which other programs use the API. */
export function ApiKeys() {
  const { data, error, reload } = useQuery<Keys>(PATH);
  const { data: events = [] } = useEvents();
  const [adds, setAdds] = useState(false);
  const [made, setMade] = useState<string>();
  const [ends, setEnds] = useState<ApiKeyDto>();
  const metaOf = (key: ApiKeyDto) =>
    [
      key.prefix,
      key.scopes.map((scope) => word('keys.scope', scope)).join(', '),
      key.eventIds.map((id) => events.find((event) => event.id === id)?.name ?? id).join(', ') ||
        t('filter.allEvents'),
      t('keys.expires', { date: date(key.expiresAt) }),
      key.lastUsedAt === null ? t('keys.unused') : t('keys.used', { ago: ago(key.lastUsedAt) }),
    ].join(' · ');
  return (
    <section class="panel stack" aria-labelledby="api-keys">
      <h2 class="panel__title" id="api-keys">
        {t('keys.title')}
      </h2>
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={2} />}
      {data?.data.length === 0 && <p class="soft">{t('keys.none')}</p>}
      <ul class="lines">
        {data?.data.map((key) => (
          <li key={key.id} class="lines__row">
            <span>
              {key.name} {key.state !== 'works' && <Pill tone="quiet">{word('keys.state', key.state)}</Pill>}
              <span class="lines__meta"> {metaOf(key)}</span>
            </span>
            {key.state !== 'revoked' && (
              <button
                type="button"
                class="button button--quiet button--small"
                onClick={() => {
                  setEnds(key);
                }}
              >
                {t('keys.revoke')}
              </button>
            )}
          </li>
        ))}
      </ul>
      <button type="button" class="button button--quiet" onClick={() => setAdds(true)}>
        {t('keys.add')}
      </button>
      {adds && <Create onClose={() => setAdds(false)} onMade={setMade} />}
      {made !== undefined && (
        <Dialog
          title={t('keys.add')}
          onClose={() => setMade(undefined)}
          actions={
            <button
              type="button"
              class="button"
              onClick={() => void navigator.clipboard.writeText(made).then(() => say(t('action.copied')))}
            >
              {t('action.copy')}
            </button>
          }
        >
          <TextField label={t('keys.secret')} value={made} onValue={() => undefined} readOnly />
        </Dialog>
      )}
      {ends && (
        <ConfirmDialog
          title={t('keys.ask', { name: ends.name })}
          confirm={t('keys.revoke')}
          danger
          onClose={() => setEnds(undefined)}
          onConfirm={async () => {
            await api(`${PATH}/${ends.id}`, { method: 'DELETE' });
            changed(PATH);
          }}
        >
          <p>{t('keys.why')}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function Create({ onClose, onMade }: { onClose: () => void; onMade: (key: string) => void }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>(['read']);
  const [eventIds, setEventIds] = useState<string[]>([]);
  const [until, setUntil] = useState('');
  return (
    <FormDialog
      title={t('keys.add')}
      submit={t('keys.add')}
      disabled={scopes.length === 0}
      onClose={onClose}
      onSave={async () => {
        const { key } = await api<CreatedApiKey>(PATH, {
          method: 'POST',
          body: { name, scopes, eventIds, ...(until && { expiresAt: until }) },
        });
        changed(PATH);
        onClose();
        onMade(key);
      }}
    >
      <TextField label={t('donor.name')} value={name} maxLength={80} onValue={setName} required autoFocus />
      <Field label={t('keys.scopes')}>
        {({ id }) => (
          <div id={id} role="group" aria-label={t('keys.scopes')}>
            {API_SCOPE_NAMES.map((scope) => (
              <CheckField
                key={scope}
                label={word('keys.scope', scope)}
                checked={scopes.includes(scope)}
                onChecked={(on) =>
                  setScopes(on ? [...scopes, scope] : scopes.filter((other) => other !== scope))
                }
              />
            ))}
          </div>
        )}
      </Field>
      <EventChoice value={eventIds} onValue={setEventIds} />
      <TextField label={t('keys.until')} type="date" value={until} onValue={setUntil} optional />
    </FormDialog>
  );
}
