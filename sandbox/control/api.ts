import type { Call, Reply } from '../calls/http.js';
import { PayPalError } from '../paypal/errors.js';
import { StripeError } from '../stripe/errors.js';
import { commonActions } from './common-actions.js';
import { Controls } from './controls.js';
import { type Action, ControlError, type Options } from './options.js';
import { paypalActions } from './paypal-actions.js';
import { stripeActions } from './stripe-actions.js';

/**
 * The sandbox's own HTTP API, `/sandbox/…`. A control is a call such as `POST /sandbox/<provider>/<action>[/<id>]`
 * with options as JSON. GET routes return the state. Every route has a matching method of `Controls`.
 */
export class ControlApi {
  private readonly actions: Record<string, Action>;
  private readonly views: Record<string, (target: string) => unknown>;

  constructor(private readonly controls: Controls) {
    this.actions = {
      ...stripeActions(controls),
      ...paypalActions(controls),
      ...commonActions(controls),
    };
    this.views = {
      'stripe/payments': () => controls.stripe.payments(),
      'stripe/events': () => controls.stripe.events(),
      'stripe/deliveries': () => controls.stripe.deliveries.list(),
      'stripe/net-held': (currency) => ({ currency, amount: controls.stripe.netHeld(currency) }),
      'paypal/payments': () => controls.paypal.payments(),
      'paypal/events': () => controls.paypal.events(),
      'paypal/deliveries': () => controls.paypal.deliveries.list(),
      'paypal/net-held': (currency) => ({ currency, amount: controls.paypal.netHeld(currency) }),
      'stripe/balance': () => controls.stripe.balance(),
      'stripe/disputes': (intent) => controls.stripe.disputesOf(intent),
      'paypal/violations': () => controls.referee.violations(),
      clock: () => ({ now: new Date(controls.clock.now()).toISOString() }),
      faults: () => controls.faults.list(),
      operations: () => controls.operations(),
    };
  }

  async answer(call: Call): Promise<Reply> {
    if (call.method === 'GET' && call.path === '/sandbox/paypal/ca.pem') {
      return { status: 200, text: this.controls.paypal.caPem, contentType: 'application/x-pem-file' };
    }
    const [name, target] = this.find(call);
    try {
      if (call.method === 'GET') {
        const view = this.views[name];
        return view ? { status: 200, body: view(target) } : unknown(call);
      }
      const action = this.actions[name];
      if (!action || call.method !== 'POST') return unknown(call);
      if (!isSafe(call))
        throw new ControlError('Controls accept requests only from the sandbox pages or a terminal');
      const result = await action(target, readOptions(call.body));
      return { status: 200, body: result ?? { ok: true } };
    } catch (error) {
      return failed(error);
    }
  }

  /**
   * Runs the control `POST /sandbox/<name>/<target>`. Throws an error if the current state does not allow this
   * control.
   */
  perform(name: string, target: string, options: Options): unknown {
    const action = Object.hasOwn(this.actions, name) ? this.actions[name] : undefined;
    if (!action) throw new ControlError(`Unknown control: ${name}`);
    return action(target, options);
  }

  /** Returns the longest action or view name at the start of the path; the rest is the target. */
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

function readOptions(body: string): Options {
  if (body.trim() === '') return {};
  const parsed: unknown = JSON.parse(body);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new ControlError('Options must be a JSON object');
  }
  return parsed as Options;
}

/** True if the request does not come from another web page. Other pages must not change the state of the sandbox. */
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
