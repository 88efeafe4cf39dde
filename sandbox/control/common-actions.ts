import { type Fault, FAULT_KINDS, type Provider } from '../calls/faults.js';
import { DAY_MS } from '../common/clock.js';
import { Deliveries, type FlushOrder } from '../webhooks/deliveries.js';
import { Controls } from './controls.js';
import { type Action, choice, ControlError, days, isCount, type Options } from './options.js';

/** Controls for both providers: webhooks, faults and the clock. */
export function commonActions(controls: Controls): Record<string, Action> {
  return {
    'webhook-urls': (_, options) => {
      controls.setWebhookUrls({ stripe: urls(options.stripe), paypal: urls(options.paypal) });
    },
    'delivery-mode': (mode) => {
      controls.setDeliveryMode(choice(mode, ['auto', 'manual'] as const, 'mode'));
    },
    settled: async (_, { timeoutMs }) => {
      await controls.settled(typeof timeoutMs === 'number' ? timeoutMs : undefined);
    },
    faults: (_, options) => ({ id: controls.faults.add(newFault(options)) }),
    'faults/clear': () => {
      controls.faults.clear();
    },
    ...deliveryActions('stripe', controls.stripe.deliveries),
    ...deliveryActions('paypal', controls.paypal.deliveries),
    ...clockActions(controls),
  };
}

function deliveryActions(provider: Provider, deliveries: Deliveries): Record<string, Action> {
  return {
    [`${provider}/deliver`]: async (id, { times, atOnce }) => ({
      statuses:
        atOnce === true
          ? await deliveries.deliverAtOnce(id, count(times))
          : await deliveries.deliver(id, count(times)),
    }),
    [`${provider}/drop`]: (id) => {
      deliveries.drop(id);
    },
    [`${provider}/endpoint`]: (_, { enabled, types }) => {
      if (typeof enabled === 'boolean') deliveries.isEnabled = enabled;
      if (types !== undefined) deliveries.subscribed = names(types);
    },
    [`${provider}/flush`]: async (_, { order }) => {
      const orders: readonly FlushOrder[] = ['oldest-first', 'newest-first', 'shuffled'];
      await deliveries.flush(choice(order ?? 'oldest-first', orders, 'order'));
    },
    [`${provider}/redeliver`]: async () => {
      await deliveries.redeliverUndelivered();
    },
  };
}

function clockActions({ clock }: Controls): Record<string, Action> {
  const now = () => ({ now: new Date(clock.now()).toISOString() });
  return {
    'clock/advance': (_, options) => {
      const { ms, days: wanted } = days({ ms: options.ms, days: options.days });
      clock.advance((ms ?? 0) + (wanted ?? 0) * DAY_MS);
      return now();
    },
    'clock/set': (_, { time }) => {
      const when = new Date(typeof time === 'string' ? time : NaN);
      if (Number.isNaN(when.getTime())) throw new ControlError('time must be an ISO 8601 date and time');
      clock.set(when);
      return now();
    },
    'clock/reset': () => {
      clock.reset();
      return now();
    },
  };
}

function newFault(options: Options): Fault {
  const { operation } = options;
  if (typeof operation !== 'string') throw new ControlError('operation must be text');
  const numbers = ['times', 'skip', 'ms', 'status', 'bytes', 'amount'].filter(
    (name) => options[name] !== undefined,
  );
  if (numbers.some((name) => !isCount(options[name])))
    throw new ControlError('Numbers must be whole and not negative');
  return {
    provider: choice(options.provider, ['stripe', 'paypal'] as const, 'provider'),
    operation,
    kind: choice(options.kind, FAULT_KINDS, 'kind'),
    after: options.after === true,
    sticky: options.sticky === true,
    ...Object.fromEntries(numbers.map((name) => [name, options[name]])),
  };
}

/** Reads a list of event types. Null means all types. */
function names(types: unknown): string[] | undefined {
  if (types === null) return undefined;
  if (!Array.isArray(types)) throw new ControlError('types must be a list, or null for all');
  return types.map(String);
}

function urls(value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.map((url) => {
    if (typeof url !== 'string' || !URL.canParse(url))
      throw new ControlError('Webhook addresses must be URLs');
    return url;
  });
}

function count(value: unknown): number {
  return isCount(value) ? value : 1;
}
