import type { ProviderStateDto } from '../../../src/reporting/evening/dto/tonight.dto.js';
import { t } from '../../desk/texts.js';

/** That nothing a provider says is believed, and what to look at; nothing where all is well. */
export function WebhookWarning({
  of,
}: {
  of: Partial<Pick<ProviderStateDto, 'webhookProblem' | 'unsubscribedTypes'>>;
}) {
  // A server of the release before says nothing of it.
  if (!of.webhookProblem) return null;
  return (
    <span class="lines__alarm">
      {t(`health.webhooks.${of.webhookProblem}`, { types: (of.unsubscribedTypes ?? []).join(', ') })}
    </span>
  );
}
