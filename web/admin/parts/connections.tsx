import { useState } from 'preact/hooks';
import type { PaymentMethodsDto } from '../../../src/payments/intents/dto/payment-methods.dto.js';
import type { ProviderCheckDto } from '../../../src/payments/providers/dto/provider-check.dto.js';
import type { ProviderStateDto } from '../../../src/reporting/evening/dto/tonight.dto.js';
import { TextField } from '../../desk/fields.js';
import { Empty, Failed, NotHere, Pill, Skeleton } from '../../desk/states.js';
import { ago, t, word } from '../../desk/texts.js';
import { api } from '../api/client.js';
import { isMissingRoute } from '../api/errors.js';
import { useQuery } from '../api/query.js';
import { can, useMe } from '../me.js';
import { ApiKeys } from './api-keys.js';
import { MailOff } from './mail-off.js';
import { Webhooks } from './webhooks.js';

/** Shows whether the payment providers and the mail server respond. */
export function Connections() {
  const methods = useQuery<PaymentMethodsDto>('/settings/payments');
  const names = [...new Set((methods.data?.methods ?? []).map(({ provider }) => provider))];
  return (
    <div class="columns">
      <section class="panel" aria-labelledby="providers">
        <h2 class="panel__title" id="providers">
          {t('connections.payments')}
        </h2>
        {methods.error && <Failed error={methods.error} retry={methods.reload} />}
        {!methods.data && !methods.error && <Skeleton rows={2} />}
        {methods.data && names.length === 0 && (
          <Empty icon="close" title={t('connections.none')}>
            {t('connections.noneText')}
          </Empty>
        )}
        <ul class="lines">
          {names.map((name) => (
            <Provider key={name} name={name} />
          ))}
        </ul>
      </section>
      <TestEmail />
      {can('webhooks:list') && <Webhooks />}
      {can('api-keys:list') && <ApiKeys />}
    </div>
  );
}

function Provider({ name }: { name: string }) {
  const [result, setResult] = useState<ProviderCheckDto | 'missing' | Error>();
  const [busy, setBusy] = useState(false);
  const check = async () => {
    setBusy(true);
    try {
      setResult(await api<ProviderCheckDto>(`/settings/providers/${name}/check`, { method: 'POST' }));
    } catch (error) {
      setResult(isMissingRoute(error) ? 'missing' : (error as Error));
    }
    setBusy(false);
  };
  return (
    <li class="lines__row">
      <span>
        {word('provider', name)}
        <span class="lines__meta" role="status">
          {result === 'missing' ? (
            <NotHere />
          ) : result instanceof Error ? (
            ` · ${result.message}`
          ) : (
            result && (
              <>
                {' '}
                <Pill tone={result.ok ? 'good' : 'bad'}>
                  {result.ok ? t('health.ok') : t('health.failing')}
                </Pill>{' '}
                {result.detail} ·{' '}
                {result.lastWebhookAt === null
                  ? t('health.neverHeard')
                  : t('health.heard', { ago: ago(result.lastWebhookAt) })}
                <WebhookWarning of={result} />
              </>
            )
          )}
        </span>
      </span>
      <button
        type="button"
        class="button button--quiet button--small"
        disabled={busy}
        onClick={() => void check()}
      >
        {busy ? t('state.working') : t('connections.check')}
      </button>
    </li>
  );
}

function TestEmail() {
  const who = useMe();
  const [to, setTo] = useState(who?.user.email ?? '');
  const [result, setResult] = useState<{ readonly ok: boolean; readonly text: string }>();
  const send = async (event: Event) => {
    event.preventDefault();
    setResult(undefined);
    try {
      await api('/settings/test-email', { method: 'POST', body: { to } });
      setResult({ ok: true, text: t('connections.sent', { to }) });
    } catch (error) {
      setResult({
        ok: false,
        text: isMissingRoute(error)
          ? t('state.notHere')
          : error instanceof Error
            ? error.message
            : String(error),
      });
    }
  };
  return (
    <section class="panel" aria-labelledby="mail">
      <h2 class="panel__title" id="mail">
        {t('connections.mail')}
      </h2>
      <form class="stack" onSubmit={(event) => void send(event)}>
        <MailOff />
        <TextField label={t('connections.to')} type="email" value={to} onValue={setTo} required />
        <button type="submit" class="button button--quiet">
          {t('connections.send')}
        </button>
        {result && (
          <p class={result.ok ? 'note' : 'note note--bad'} role="status">
            {result.text}
          </p>
        )}
      </form>
    </section>
  );
}

/** Shows the problem with a provider's webhooks, if there is one. */
export function WebhookWarning({
  of,
}: {
  of: Partial<Pick<ProviderStateDto, 'webhookProblem' | 'unsubscribedTypes'>>;
}) {
  // A server of the previous release does not send this field.
  if (!of.webhookProblem) return null;
  return (
    <span class="lines__alarm">
      {t(`health.webhooks.${of.webhookProblem}`, { types: (of.unsubscribedTypes ?? []).join(', ') })}
    </span>
  );
}
