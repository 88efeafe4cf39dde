import type { Deliveries, FlushOrder } from './deliveries.js';
import { FAULT_KINDS, type Fault, type FaultKind, type Provider } from './faults.js';
import type { Call, Reply } from './http.js';
import type { CertificateKind } from './paypal/certificates.js';
import { PayPalError } from './paypal/errors.js';
import type { Sandbox } from './server.js';
import { clockActions } from './control-clock.js';
import { disputeActions } from './control-disputes.js';
import { waitingActions } from './control-waiting.js';
import { ControlError, choice, days, isCount, typed } from './control-options.js';
import { VOUCHER_KINDS } from './stripe/actions.js';
import { StripeError } from './stripe/errors.js';

type Options = Record<string, unknown>;
type Action = (target: string, options: Options) => unknown;

/**
 * The sandbox's own HTTP API, `/sandbox/…`: `POST /sandbox/<provider>/<action>[/<id>]` with the
 * options as JSON, and GETs for what there is to see. The same as the methods of `Sandbox`.
 */
export class ControlApi {
  private readonly actions: Record<string, Action>;
  private readonly views: Record<string, (target: string) => unknown>;

  constructor(private readonly sandbox: Sandbox) {
    this.actions = {
      ...stripeActions(sandbox),
      ...paypalActions(sandbox),
      ...disputeActions(sandbox),
      ...deliveryActions('stripe', sandbox.stripe.deliveries),
      ...deliveryActions('paypal', sandbox.paypal.deliveries),
      ...commonActions(sandbox),
      ...clockActions(sandbox),
      ...waitingActions(sandbox),
    };
    this.views = {
      'stripe/payments': () => sandbox.stripe.payments(),
      'stripe/events': () => sandbox.stripe.events(),
      'stripe/deliveries': () => sandbox.stripe.deliveries.list(),
      'stripe/net-held': (currency) => ({ currency, amount: sandbox.stripe.netHeld(currency) }),
      'paypal/payments': () => sandbox.paypal.payments(),
      'paypal/events': () => sandbox.paypal.events(),
      'paypal/deliveries': () => sandbox.paypal.deliveries.list(),
      'paypal/net-held': (currency) => ({ currency, amount: sandbox.paypal.netHeld(currency) }),
      'stripe/balance': () => sandbox.stripe.balance(),
      'stripe/disputes': (intent) => sandbox.stripe.disputesOf(intent),
      'paypal/violations': () => sandbox.referee.violations(),
      clock: () => ({ now: new Date(sandbox.clock.now()).toISOString() }),
      faults: () => sandbox.faults.list(),
      operations: () => sandbox.operations(),
    };
  }

  async answer(call: Call): Promise<Reply> {
    if (call.method === 'GET' && call.path === '/sandbox/paypal/ca.pem') {
      return { status: 200, text: this.sandbox.paypal.caPem, contentType: 'application/x-pem-file' };
    }
    const [name, target] = this.find(call);
    try {
      if (call.method === 'GET') {
        const view = this.views[name];
        return view ? { status: 200, body: view(target) } : unknown(call);
      }
      const action = this.actions[name];
      if (!action || call.method !== 'POST') return unknown(call);
      if (!isSafe(call)) throw new ControlError('Controls take JSON from this sandbox or a terminal');
      const result = await action(target, readOptions(call.body));
      return { status: 200, body: result ?? { ok: true } };
    } catch (error) {
      return failed(error);
    }
  }

  /** Does what `POST /sandbox/<name>/<target>` does; throws what the state refuses. */
  perform(name: string, target: string, options: Options): unknown {
    const action = Object.hasOwn(this.actions, name) ? this.actions[name] : undefined;
    if (!action) throw new ControlError(`No control ${name}`);
    return action(target, options);
  }

  /** The longest action or view name that the path begins with; the rest is the target. */
  private find(call: Call): [name: string, target: string] {
    const segments = call.path
      .slice('/sandbox/'.length)
      .replace(/\/$/, '')
      .split('/')
      .map(decodeURIComponent);
    const known = call.method === 'GET' ? this.views : this.actions;
    for (let length = Math.min(segments.length, 3); length > 0; length -= 1) {
      const name = segments.slice(0, length).join('/');
      if (Object.hasOwn(known, name)) return [name, segments.slice(length).join('/')];
    }
    return ['', ''];
  }
}

function stripeActions({ stripe }: Sandbox): Record<string, Action> {
  return {
    'stripe/pay': (id, options) => stripe.pay(id, typed(options)),
    'stripe/decline': (id, options) => stripe.decline(id, typed(options)),
    'stripe/process': (id, { method }) => stripe.process(id, typeof method === 'string' ? { method } : {}),
    'stripe/require-authentication': (id, { returnUrl }) =>
      stripe.requireAuthentication(id, typeof returnUrl === 'string' ? { returnUrl } : {}),
    'stripe/fail-authentication': (id) => stripe.failAuthentication(id),
    'stripe/issue-voucher': (id, { kind, expiresInDays }) =>
      stripe.issueVoucher(id, {
        kind: choice(kind ?? 'multibanco', VOUCHER_KINDS, 'kind'),
        ...days({ expiresInDays }),
      }),
    'stripe/expire-voucher': (id) => stripe.expireVoucher(id),
    'stripe/change-account': () => {
      stripe.changeAccount();
    },
    'stripe/change-account-back': () => {
      stripe.changeAccountBack();
    },
    'stripe/cancel': (id, options) => stripe.cancel(id, typed(options)),
    'stripe/expire': (id) => stripe.expire(id),
    'stripe/create-intent': (_, options) => stripe.createIntent(newIntent(options)),
    'stripe/create-paid': (_, options) => stripe.createPaid(newIntent(options)),
    'stripe/refund': (id, options) =>
      stripe.refund(id, { ...typed(options), requiresAction: options.requiresAction === true }),
    'stripe/settle-refund': (id) => stripe.settleRefund(id),
    'stripe/fail-refund': (id, options) => stripe.failRefund(id, typed(options)),
  };
}

function paypalActions({ paypal }: Sandbox): Record<string, Action> {
  return {
    'paypal/approve': (id) => paypal.approve(id),
    'paypal/capture': (id, options) => paypal.capture(id, typed(options)),
    'paypal/capture-again': (id, options) => paypal.captureAgain(id, typed(options)),
    'paypal/hide': (id, { status }) => {
      paypal.hide(id, { status: choice(status ?? 404, [403, 404] as const, 'status') });
    },
    'paypal/reveal': (id) => {
      paypal.reveal(id);
    },
    'paypal/keep-refusals': (_, { keep }) => {
      paypal.keepRefusals(keep !== false);
    },
    'paypal/complete-capture': (id) => paypal.completeCapture(id),
    'paypal/deny-capture': (id) => paypal.denyCapture(id),
    'paypal/void': (id) => paypal.void(id),
    'paypal/forget': (id) => {
      paypal.forget(id);
    },
    'paypal/create-approved-order': (_, options) => paypal.createApprovedOrder(ownOrder(options)),
    'paypal/create-captured-order': (_, options) => paypal.createCapturedOrder(ownOrder(options)),
    'paypal/refund': (id, options) => paypal.refund(id, typed(options)),
    'paypal/settle-refund': (id) => paypal.settleRefund(id),
    'paypal/fail-refund': (id) => paypal.failRefund(id),
    'paypal/reverse': (id, options) => paypal.reverse(id, typed(options)),
    'paypal/revoke-tokens': () => {
      paypal.revokeTokens();
    },
    'paypal/use-certificate': (kind) => {
      const kinds: readonly CertificateKind[] = ['good', 'expired', 'wrong-name', 'untrusted'];
      paypal.useCertificate(choice(kind, kinds, 'certificate'));
    },
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

function commonActions(sandbox: Sandbox): Record<string, Action> {
  return {
    'webhook-urls': (_, options) => {
      sandbox.setWebhookUrls({ stripe: urls(options.stripe), paypal: urls(options.paypal) });
    },
    'delivery-mode': (mode) => {
      sandbox.setDeliveryMode(choice(mode, ['auto', 'manual'] as const, 'mode'));
    },
    settled: async (_, { timeoutMs }) => {
      await sandbox.settled(typeof timeoutMs === 'number' ? timeoutMs : undefined);
    },
    faults: (_, options) => ({ id: sandbox.faults.add(newFault(options)) }),
    'faults/clear': () => {
      sandbox.faults.clear();
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
  const kinds: readonly FaultKind[] = FAULT_KINDS;
  return {
    provider: choice(options.provider, ['stripe', 'paypal'] as const, 'provider'),
    operation,
    kind: choice(options.kind, kinds, 'kind'),
    after: options.after === true,
    sticky: options.sticky === true,
    ...Object.fromEntries(numbers.map((name) => [name, options[name]])),
  };
}

function newIntent({ amount, currency, metadata }: Options) {
  if (!isCount(amount) || typeof currency !== 'string')
    throw new ControlError('amount and currency are needed');
  return { amount, currency: currency.toLowerCase(), metadata: textFields(metadata) };
}

function ownOrder({ amount, currency, custom_id, merchantId }: Options) {
  if (!isCount(amount) || typeof currency !== 'string')
    throw new ControlError('amount and currency are needed');
  return {
    amount,
    currency,
    ...(typeof custom_id === 'string' && { custom_id }),
    ...(typeof merchantId === 'string' && { merchantId }),
  };
}

function textFields(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, String(field)]));
}

/** Types of event; null for all. */
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

function readOptions(body: string): Options {
  if (body.trim() === '') return {};
  const parsed: unknown = JSON.parse(body);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new ControlError('Options are a JSON object');
  }
  return parsed as Options;
}

/** A web page from elsewhere must not move the sandbox's money. */
function isSafe(call: Call): boolean {
  const origin = call.headers.origin;
  return origin === undefined || origin === `http://${call.headers.host ?? ''}`;
}

function unknown(call: Call): Reply {
  return { status: 404, body: { error: { message: `No control ${call.method} ${call.path}` } } };
}

function failed(error: unknown): Reply {
  if (error instanceof StripeError) return { status: error.status, body: { error: error.fields } };
  if (error instanceof PayPalError) {
    const { status, code, message } = error;
    return { status, body: { error: { code, message } } };
  }
  return {
    status: 400,
    body: { error: { message: error instanceof Error ? error.message : String(error) } },
  };
}
