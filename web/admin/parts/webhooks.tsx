import { useState } from 'preact/hooks';
import type {
  CreateWebhookEndpoint,
  WebhookEndpointDto,
  WebhookEndpointList,
  WebhookEndpointWithSecret,
} from '../../../src/webhooks/dto/webhook-endpoint.dto.js';
import type { WebhookMessageList, WebhookTestDto } from '../../../src/webhooks/dto/webhook-message.dto.js';
import { CHOSEN_TOPICS } from '../../../src/webhooks/webhook-topics.js';
import { Dialog } from '../../desk/dialog.js';
import { CheckField, SelectField, TextField } from '../../desk/fields.js';
import { ConfirmDialog, FormDialog } from '../../desk/form-dialog.js';
import { Failed, Pill } from '../../desk/states.js';
import { ago, percent, t, type TextKey } from '../../desk/texts.js';
import { say, sayError } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { changed, useQuery } from '../api/query.js';
import { EventChoice } from './event-choice.js';

const PATH = '/webhook-endpoints';
const STATES = {
  waiting: ['warn', 'refund.status.queued'],
  delivered: ['good', 'refund.status.sent'],
  failed: ['bad', 'refund.status.failed'],
  skipped: ['quiet', 'hooks.skipped'],
  active: ['good', 'user.state.active'],
  paused: ['warn', 'event.status.paused'],
  disabled: ['bad', 'user.state.disabled'],
} as const;
const OF_MESSAGES = ['waiting', 'delivered', 'failed', 'skipped'] as const;
/** Messages are kept this long. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

const post = async <Answer,>(path: string, body?: object) =>
  await api<Answer>(`${PATH}/${path}`, { method: 'POST', ...(body && { body }) });

const nameOf = ({ description, url }: WebhookEndpointDto) => description ?? new URL(url).host;

const State = ({ of: [tone, name] }: { of: (typeof STATES)[keyof typeof STATES] }) => (
  <Pill tone={tone}>{t(name)}</Pill>
);

const Small = ({ name, onClick }: { name: TextKey; onClick: () => void }) => (
  <button type="button" class="button button--quiet button--small" onClick={onClick}>
    {t(name)}
  </button>
);

/** The systems that get a message about each change. */
export function Webhooks() {
  const { data, error, reload } = useQuery<WebhookEndpointList>(PATH);
  const [open, setOpen] = useState<string>();
  const [secret, setSecret] = useState<string>();
  const close = () => setOpen(undefined);
  const one = data?.data.find(({ id }) => id === open);
  return (
    <section class="panel stack" aria-labelledby="webhooks">
      <h2 class="panel__title" id="webhooks">
        {t('resource.webhook')}
      </h2>
      {error && <Failed error={error} retry={reload} />}
      {data?.data.length === 0 && <p class="soft">{t('hooks.none')}</p>}
      <ul class="lines">
        {data?.data.map((endpoint) => (
          <li key={endpoint.id} class="lines__row">
            <span>
              {nameOf(endpoint)} <State of={STATES[endpoint.status]} />
              <span class="lines__meta">{figuresOf(endpoint)}</span>
            </span>
            <Small
              name="action.edit"
              onClick={() => {
                setOpen(endpoint.id);
                changed(PATH);
              }}
            />
          </li>
        ))}
      </ul>
      <Small name="hooks.add" onClick={() => setOpen('')} />
      {open === '' && <Form onClose={close} onSecret={setSecret} />}
      {one && <Endpoint of={one} onClose={close} onSecret={setSecret} />}
      {secret !== undefined && (
        <Dialog title={t('hooks.rotate')} onClose={() => setSecret(undefined)}>
          <TextField label={t('hooks.secret')} value={secret} onValue={() => undefined} readOnly />
        </Dialog>
      )}
    </section>
  );
}

/** Success of the last day, and the oldest message that waits. */
const figuresOf = ({ attempts24h, successes24h, oldestWaitingAt }: WebhookEndpointDto): string =>
  [
    attempts24h > 0 && t('hooks.rate', { share: percent(successes24h, attempts24h) }),
    oldestWaitingAt !== null && t('hooks.oldest', { ago: ago(oldestWaitingAt) }),
  ]
    .filter(Boolean)
    .join(' · ');

type Fields = Required<Pick<CreateWebhookEndpoint, keyof CreateWebhookEndpoint>>;

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
    eventIds: of?.eventIds ?? [],
    containsPersonalData: of?.containsPersonalData ?? false,
  });
  const set = (change: Partial<Fields>) => setFields({ ...fields, ...change });
  const { topics } = fields;
  return (
    <FormDialog
      title={t(of ? 'action.edit' : 'hooks.add')}
      submit={t('action.save')}
      onClose={onClose}
      onSave={async () => {
        const made = await api<Partial<WebhookEndpointWithSecret>>(of ? `${PATH}/${of.id}` : PATH, {
          method: of ? 'PATCH' : 'POST',
          body: fields,
        });
        changed(PATH);
        onClose();
        if (made.secret) onSecret(made.secret);
      }}
    >
      <TextField label="URL" type="url" value={fields.url} onValue={(url) => set({ url })} required />
      <TextField
        label={t('event.description')}
        value={fields.description ?? ''}
        onValue={(description) => set({ description })}
        optional
      />
      <fieldset>
        <legend>{t('hooks.topics')}</legend>
        {CHOSEN_TOPICS.map((topic) => (
          <CheckField
            key={topic}
            label={topic}
            checked={topics.includes(topic)}
            onChecked={(on) =>
              set({ topics: on ? [...topics, topic] : topics.filter((other) => other !== topic) })
            }
          />
        ))}
      </fieldset>
      <EventChoice value={fields.eventIds} onValue={(eventIds) => set({ eventIds })} />
      <CheckField
        label={t('hooks.personal')}
        checked={fields.containsPersonalData}
        onChecked={(containsPersonalData) => set({ containsPersonalData })}
      />
    </FormDialog>
  );
}

function Endpoint({ of, onClose, onSecret }: FormProps & { of: WebhookEndpointDto }) {
  const [step, setStep] = useState<'edit' | 'delete'>();
  const path = `${PATH}/${of.id}`;
  const enable = async (missed: string) => await post(`${of.id}/enable`, { missed });
  type Action = readonly [TextKey, () => Promise<unknown>];
  const replay = async () => {
    const from = new Date(Date.now() - KEPT_MS).toISOString();
    return t('hooks.replayed', await post<{ messages: number }>(`${of.id}/replay`, { from }));
  };
  const rotate = async () => {
    onSecret((await post<WebhookEndpointWithSecret>(`${of.id}/rotate-secret`)).secret);
  };
  const running: readonly Action[] = [
    ['remote.pause', () => api(path, { method: 'PATCH', body: { status: 'paused' } })],
    ['hooks.replay', replay],
  ];
  const stopped: readonly Action[] = [
    ['hooks.send', () => enable('send')],
    ['hooks.skip', () => enable('skip')],
  ];
  /** An action can return a text for the person. */
  const actions: readonly Action[] = [
    ['hooks.test', async () => answerOf(await post<WebhookTestDto>(`${of.id}/test`))],
    ...(of.status === 'active' ? running : stopped),
    ['hooks.rotate', rotate],
  ];
  return (
    <Dialog title={nameOf(of)} subtitle={of.url} look="sheet" onClose={onClose}>
      <div class="stack">
        <p>
          <State of={STATES[of.status]} /> {figuresOf(of)}
        </p>
        <div class="page__actions">
          {actions.map(([name, work]) => (
            <Small
              key={name}
              name={name}
              onClick={() =>
                void work().then((text) => {
                  if (typeof text === 'string') say(text);
                  changed(PATH);
                }, sayError)
              }
            />
          ))}
          <Small name="action.edit" onClick={() => setStep('edit')} />
          <Small name="event.delete" onClick={() => setStep('delete')} />
        </div>
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
            await api(path, { method: 'DELETE' });
            onClose();
            // The messages of the deleted endpoint are not read again.
            setTimeout(changed, 0, PATH);
          }}
        >
          {of.url}
        </ConfirmDialog>
      )}
    </Dialog>
  );
}

/** The answer of the receiver, or the reason of the failure. */
const answerOf = ({ error, status, milliseconds: ms }: Omit<WebhookTestDto, 'messageId' | 'isSuccess'>) =>
  error ?? t('hooks.ok', { status: String(status), ms });

function Messages({ of }: { of: string }) {
  const [state, setState] = useState('');
  const path = `${PATH}/${of}/messages`;
  const { data, error, reload } = useQuery<WebhookMessageList>(
    state === '' ? path : `${path}?states=${state}`,
  );
  return (
    <>
      <SelectField
        label={t('toasts')}
        value={state}
        onValue={setState}
        choices={[
          { value: '', label: t('filter.allStates') },
          ...OF_MESSAGES.map((value) => ({ value, label: t(STATES[value][1]) })),
        ]}
      />
      {error && <Failed error={error} retry={reload} />}
      <ul class="lines">
        {data?.data.map((message) => (
          <li key={message.id} class="lines__row">
            <div>
              <code>{message.topic}</code> <State of={STATES[message.state]} />
              {message.tries.map((attempt) => (
                <div key={attempt.at} class="lines__meta">
                  {ago(attempt.at)} · {answerOf(attempt)}
                </div>
              ))}
            </div>
            {message.topic !== 'test.ping' && (
              <Small
                name="email.retry"
                onClick={() =>
                  void post(`${of}/messages/${message.id}/resend`).then(() => changed(PATH), sayError)
                }
              />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
