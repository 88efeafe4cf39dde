import type { Metrics } from '../common/metrics/metrics.js';
import type { PaymentProvider } from './payment-provider.js';

/** The provider, with the time and the result of every question to it measured. */
export function timedProvider(provider: PaymentProvider, metrics: Metrics): PaymentProvider {
  return new Proxy(provider, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== 'function') return member;
      return (...parameters: unknown[]): unknown => {
        const stop = metrics.providerDuration.startTimer({ provider: target.name, call: String(property) });
        const answer: unknown = Reflect.apply(member, target, parameters);
        if (!(answer instanceof Promise)) return answer;
        return answer.then(
          (value: unknown) => {
            stop({ result: 'answered' });
            return value;
          },
          (error: unknown) => {
            stop({ result: 'failed' });
            throw error;
          },
        );
      };
    },
  });
}
