import type { HealthReport } from '../../../../src/health/dto/health.dto.js';
import type { TonightDto } from '../../../../src/reporting/evening/dto/tonight.dto.js';
import { Pill, type Tone } from '../../../desk/states.js';
import { ago, clock, number, t, word } from '../../../desk/texts.js';
import { type Query, useQuery } from '../../api/query.js';
import type { Live } from '../../live.js';
import { WebhookWarning } from '../connections.js';
import { FACTS_EVERY_MS } from './facts.js';

const PROVIDER_TONE: Readonly<Record<string, Tone>> = { ok: 'good', failing: 'bad', unknown: 'quiet' };

/** State of the connections. A connection is shown as working only after a message has arrived through it. */
export function Health({
  facts: { data: facts, error, at: factsAt },
  live,
}: {
  facts: Query<TonightDto>;
  live: Live;
}) {
  const health = useQuery<HealthReport>('/health', { every: FACTS_EVERY_MS });
  // A server of the previous release does not send this field.
  const { crowdedAddresses: crowded = [] }: Partial<TonightDto> = facts ?? {};
  return (
    <section class="panel" aria-labelledby="health">
      <header class="panel__head">
        <h2 class="panel__title" id="health">
          {t('health.title')}
        </h2>
        {factsAt !== undefined && (
          <span class="panel__count">{t('live.asOf', { time: clock(factsAt) })}</span>
        )}
      </header>
      <ul class="lines">
        <li class="lines__row">
          <span>{t('health.live')}</span>
          <Pill tone={live.connection === 'live' ? 'good' : 'bad'}>{t(`live.${live.connection}`)}</Pill>
        </li>
        <li class="lines__row">
          <span>{t('health.server')}</span>
          <Pill tone={health.error ? 'bad' : health.data ? 'good' : 'quiet'}>
            {health.error ? t('health.down') : health.data ? t('health.ok') : t('health.unknown')}
          </Pill>
        </li>
        {crowded.map(({ address, refused }) => (
          <li key={address} class="lines__row">
            <span>
              {t('health.crowded', { address, count: number(refused) })}
              <span class="lines__meta"> · {t('health.crowdedHint')}</span>
            </span>
            <Pill tone="warn">{t('health.refused')}</Pill>
          </li>
        ))}
        {!facts && (
          <li class="lines__row">
            <span>{t('connections.payments')}</span>
            <Pill tone={error ? 'bad' : 'quiet'}>{t(error ? 'closing.notChecked' : 'closing.checking')}</Pill>
          </li>
        )}
        {facts?.providers
          .filter(({ enabled }) => enabled)
          .map((provider) => (
            <li key={provider.name} class="lines__row">
              <span>
                {word('provider', provider.name)}
                <span class="lines__meta">
                  {' · '}
                  {provider.lastWebhookAt === null
                    ? t('health.neverHeard')
                    : t('health.heard', { ago: ago(provider.lastWebhookAt) })}
                </span>
                <WebhookWarning of={provider} />
              </span>
              <Pill tone={PROVIDER_TONE[provider.state] ?? 'quiet'}>
                {provider.state === 'ok'
                  ? t('health.ok')
                  : provider.state === 'failing'
                    ? t('health.failing')
                    : t('health.unknown')}
              </Pill>
            </li>
          ))}
      </ul>
    </section>
  );
}
