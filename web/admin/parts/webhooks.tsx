import { useState } from 'preact/hooks';
import type {
  CreateWebhookEndpoint,
  WebhookEndpointDto,
  WebhookEndpointList,
  WebhookEndpointWithSecret,
} from '../../../src/webhooks/dto/webhook-endpoint.dto.js';
import type { WebhookMessageList, WebhookTestDto } from '../../../src/webhooks/dto/webhook-message.dto.js';
import { Dialog } from '../../desk/dialog.js';
import { CheckField, Field, SelectField, TextField } from '../../desk/fields.js';
import { ConfirmDialog, FormDialog } from '../../desk/form-dialog.js';
import { Problem, useSending } from '../../desk/sending.js';
import { Failed, Pill, Skeleton } from '../../desk/states.js';
import { ago, percent, t, type TextKey } from '../../desk/texts.js';
import { api } from '../api/client.js';
import { changed, useQuery } from '../api/query.js';

const PATH = '/webhook-endpoints';
const TOPICS = [
  'donation.completed',
  'donation.updated',
  'donation.refunded',
  'donation.cancelled',
  'donation.restored',
  'match.changed',
  'milestone.reached',
  'event.status_changed',
  'shift.closed',
  'donor.erased',
] as const;
const STATES = ['waiting', 'delivered', 'failed', 'skipped'] as const;
const TONES = {
  active: 'good',
  delivered: 'good',
  paused: 'warn',
  skipped: 'quiet',
  waiting: 'warn',
  disabled: 'bad',
  failed: 'bad',
} as const;
/** Messages are kept this long. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

const post = async <Answer,>(path: string, body?: object) =>
  await api<Answer>(`${PATH}/${path}`, { method: 'POST', ...(body && { body }) });

/** The systems that get a message about each change. */
export function Webhooks() {
  const { data, error, reload } = useQuery<WebhookEndpointList>(PATH);
  const [open, setOpen] = useState<string>();
  const [adds, setAdds] = useState(false);
  const [secret, setSecret] = useState<string>();
  const one = data?.data.find(({ id }) => id === open);
  return (
    <section class="panel stack" aria-labelledby="webhooks">
      <h2 class="panel__title" id="webhooks">
        {t('hooks.title')}
      </h2>
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={2} />}
      {data?.data.length === 0 && <p class="soft">{t('hooks.none')}</p>}
      <ul class="lines">
        {data?.data.map((endpoint) => (
          <li key={endpoint.id} class="lines__row">
            <span>
              {endpoint.description ?? new URL(endpoint.url).host} <State of={endpoint.status} />
              <span class="lines__meta">{figuresOf(endpoint)}</span>
            </span>
            <button
              type="button"
              class="button button--quiet button--small"
              onClick={() => {
                setOpen(endpoint.id);
              }}
            >
              {t('action.edit')}
            </button>
          </li>
        ))}
      </ul>
      <button type="button" class="button button--quiet" onClick={() => setAdds(true)}>
        {t('hooks.add')}
      </button>
      {adds && <Form onClose={() => setAdds(false)} onSecret={setSecret} />}
      {one && <Endpoint of={one} onClose={() => setOpen(undefined)} onSecret={setSecret} />}
      {secret !== undefined && (
        <Dialog title={t('hooks.rotate')} onClose={() => setSecret(undefined)}>
          <TextField label={t('hooks.secret')} value={secret} onValue={() => undefined} readOnly />
        </Dialog>
      )}
    </section>
  );
}

const State = ({ of }: { of: keyof typeof TONES }) => <Pill tone={TONES[of]}>{t(`hooks.state.${of}`)}</Pill>;

/** Success of the last day, and the oldest message that waits. */
function figuresOf({ attempts24h, successes24h, oldestWaitingAt }: WebhookEndpointDto): string {
  const share = attempts24h > 0 && percent(successes24h, attempts24h);
  return [
    share && t('hooks.rate', { share }),
    oldestWaitingAt !== null && t('hooks.oldest', { ago: ago(oldestWaitingAt) }),
  ]
    .filter(Boolean)
    .join(' · ');
}

type Fields = Omit<CreateWebhookEndpoint, 'eventIds'>;

interface FormProps {
  readonly of?: WebhookEndpointDto;
  readonly onClose: () => void;
  readonly onSecret: (secret: string) => void;
}

function Form({ of, onClose, onSecret }: FormProps) {
  const [fields, setFields] = useState<Fields>({
    url: of?.url ?? '',
    description: of?.description ?? '',
    topics: of?.topics ?? [],
    containsPersonalData: of?.containsPersonalData ?? false,
  });
  const set = (change: Partial<Fields>) => setFields({ ...fields, ...change });
  const topics = fields.topics ?? [];
  return (
    <FormDialog
      title={of ? t('action.edit') : t('hooks.add')}
      submit={t('action.save')}
      onClose={onClose}
      onSave={async () => {
        const path = of ? `${PATH}/${of.id}` : PATH;
        const made = await api<Partial<WebhookEndpointWithSecret>>(path, {
          method: of ? 'PATCH' : 'POST',
          body: fields,
        });
        changed(PATH);
        onClose();
        if (made.secret) onSecret(made.secret);
      }}
    >
      <TextField
        label={t('hooks.url')}
        type="url"
        value={fields.url}
        onValue={(url) => set({ url })}
        required
      />
      <TextField
        label={t('hooks.description')}
        value={fields.description ?? ''}
        onValue={(description) => set({ description })}
        optional
      />
      <Field label={t('hooks.topics')}>
        {({ id }) => (
          <div id={id} role="group" aria-label={t('hooks.topics')}>
            {TOPICS.map((topic) => (
              <CheckField
                key={topic}
                label={<code>{topic}</code>}
                checked={topics.includes(topic)}
                onChecked={(on) =>
                  set({ topics: on ? [...topics, topic] : topics.filter((other) => other !== topic) })
                }
              />
            ))}
          </div>
        )}
      </Field>
      <CheckField
        label={t('hooks.personal')}
        checked={fields.containsPersonalData ?? false}
        onChecked={(containsPersonalData) => set({ containsPersonalData })}
      />
    </FormDialog>
  );
}

function Endpoint({ of, onClose, onSecret }: FormProps & { of: WebhookEndpointDto }) {
  const { busy, problem, send } = useSending();
  const [said, setSaid] = useState<string>();
  const [step, setStep] = useState<'edit' | 'delete'>();
  const run = (work: () => Promise<string | undefined>) =>
    void send(async () => {
      setSaid(undefined);
      setSaid(await work());
      changed(PATH);
    });
  const act = (name: TextKey, work: () => Promise<string | undefined>) => (
    <button
      type="button"
      class="button button--quiet button--small"
      disabled={busy}
      onClick={() => run(work)}
    >
      {t(name)}
    </button>
  );
  const enable = (name: 'send' | 'skip') =>
    act(`hooks.${name}`, async () => {
      await post(`${of.id}/enable`, { missed: name });
      return undefined;
    });
  return (
    <Dialog title={of.description ?? new URL(of.url).host} subtitle={of.url} look="sheet" onClose={onClose}>
      <div class="stack">
        <p>
          <State of={of.status} /> {figuresOf(of)}
        </p>
        <div class="actions">
          {act('hooks.test', async () => {
            const { status, milliseconds, error } = await post<WebhookTestDto>(`${of.id}/test`);
            return error ?? t('hooks.ok', { status: String(status), ms: milliseconds });
          })}
          {of.status === 'active' ? (
            <>
              {act('hooks.pause', async () => {
                await api(`${PATH}/${of.id}`, { method: 'PATCH', body: { status: 'paused' } });
                return undefined;
              })}
              {of.failed > 0 &&
                act('hooks.replay', async () => {
                  const from = new Date(Date.now() - KEPT_MS).toISOString();
                  const { messages } = await post<{ messages: number }>(`${of.id}/replay`, { from });
                  return t('hooks.replayed', { messages });
                })}
            </>
          ) : (
            <>
              {enable('send')}
              {enable('skip')}
            </>
          )}
          {act('hooks.rotate', async () => {
            onSecret((await post<WebhookEndpointWithSecret>(`${of.id}/rotate-secret`)).secret);
            return undefined;
          })}
          <button type="button" class="button button--quiet button--small" onClick={() => setStep('edit')}>
            {t('action.edit')}
          </button>
          <button type="button" class="button button--danger button--small" onClick={() => setStep('delete')}>
            {t('event.delete')}
          </button>
        </div>
        <Problem text={problem} />
        {said !== undefined && (
          <p class="note" role="status">
            {said}
          </p>
        )}
        <Messages of={of.id} />
      </div>
      {step === 'edit' && <Form of={of} onClose={() => setStep(undefined)} onSecret={onSecret} />}
      {step === 'delete' && (
        <ConfirmDialog
          title={t('event.delete')}
          confirm={t('event.delete')}
          danger
          onClose={() => setStep(undefined)}
          onConfirm={async () => {
            await api(`${PATH}/${of.id}`, { method: 'DELETE' });
            changed(PATH);
            onClose();
          }}
        >
          {of.url}
        </ConfirmDialog>
      )}
    </Dialog>
  );
}

function Messages({ of }: { of: string }) {
  const [state, setState] = useState('');
  const query = state === '' ? '' : `?states=${state}`;
  const { data, error, reload } = useQuery<WebhookMessageList>(`${PATH}/${of}/messages${query}`);
  const { send } = useSending();
  return (
    <>
      <SelectField
        label={t('settings.moderate.messages')}
        value={state}
        onValue={setState}
        choices={[
          { value: '', label: t('filter.allStates') },
          ...STATES.map((value) => ({ value, label: t(`hooks.state.${value}`) })),
        ]}
      />
      {error && <Failed error={error} retry={reload} />}
      <ul class="lines">
        {data?.data.map((message) => (
          <li key={message.id} class="lines__row">
            <span>
              <code>{message.topic}</code> <State of={message.state} />
              {message.tries.slice(0, 3).map(({ at, status, milliseconds, error: reason }) => (
                <span key={at} class="lines__meta">
                  {ago(at)} · {reason ?? t('hooks.ok', { status: String(status), ms: milliseconds })}
                </span>
              ))}
            </span>
            {message.topic !== 'test.ping' && (
              <button
                type="button"
                class="button button--quiet button--small"
                onClick={() =>
                  void send(async () => {
                    await post(`${of}/messages/${message.id}/resend`);
                    changed(PATH);
                  })
                }
              >
                {t('hooks.again')}
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
