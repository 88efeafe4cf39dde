import type { Metrics } from '../../common/metrics/metrics.js';
import type { PaymentProvider, WebhookEvent } from './provider-port.js';
import { ProviderRefusedError, ProviderUnavailableError } from './provider-errors.js';

/** Receives the result of each request to a provider. */
interface AnswerNotes {
  answered(provider: string): void;
  unanswered(provider: string): void;
}

// Do not measure `readWebhook`, because verifying a signature usually sends no request to the provider.
const NOT_ASKED: ReadonlySet<string | symbol> = new Set(['readWebhook']);

/** Wraps a provider so that the duration and result of every request are measured. */
export function timedProvider(
  provider: PaymentProvider,
  metrics: Metrics,
  health: AnswerNotes,
): PaymentProvider {
  const note = (error?: unknown) => {
    if (error instanceof ProviderUnavailableError) health.unanswered(provider.name);
    // For other errors, it is unknown if a request was sent.
    else if (error === undefined || error instanceof ProviderRefusedError) health.answered(provider.name);
  };
  return new Proxy(provider, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== 'function') return member;
      return (...parameters: unknown[]): unknown => {
        const isAsked = !(
          NOT_ASKED.has(property) ||
          (property === 'factsOf' && target.saysAll?.(parameters[0] as WebhookEvent))
        );
        const heard = isAsked ? note : () => undefined;
        const answer: unknown = Reflect.apply(member, target, parameters);
        if (isList(answer)) return listed(answer, heard);
        if (!(answer instanceof Promise)) return answer;
        const stop = metrics.providerDuration.startTimer({ provider: target.name, call: String(property) });
        return answer.then(
          (value: unknown) => {
            stop({ result: 'answered' });
            heard();
            return value;
          },
          (error: unknown) => {
            stop({ result: 'failed' });
            heard(error);
            throw error;
          },
        );
      };
    },
  });
}

const isList = (answer: unknown): answer is AsyncIterable<unknown> =>
  typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;

async function* listed(list: AsyncIterable<unknown>, heard: (error?: unknown) => void) {
  try {
    yield* list;
    heard();
  } catch (error) {
    heard(error);
    throw error;
  }
}
