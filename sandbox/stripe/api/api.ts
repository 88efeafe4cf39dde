import { createHash, timingSafeEqual } from 'node:crypto';
import { type Call, header, type Reply, Router } from '../../calls/http.js';
import { stripeId } from '../../common/ids.js';
import type { Deliveries } from '../../webhooks/deliveries.js';
import type { StripeAccount } from '../account.js';
import { StripeError, type StripeErrorFields } from '../errors.js';
import { API_VERSION } from '../objects.js';
import { allowBrowser, CORS, keyOf, withoutPrivate } from './browser.js';
import type { StripeCall } from './call.js';
import { type Form, parseForm } from './form.js';
import { IdempotencyKeys } from './idempotency.js';
import { addStripeRoutes } from './routes.js';

/** Stripe's HTTP API: keys, request ids, idempotency keys, error bodies. */
export class StripeApi {
  private readonly router = new Router();
  readonly keys: IdempotencyKeys;

  constructor(
    private readonly account: StripeAccount,
    private readonly access: { secretKey: string; publishableKey: string },
    deliveries: Deliveries,
  ) {
    this.keys = new IdempotencyKeys(account.clock);
    addStripeRoutes(account, deliveries, (method, path, operation, run) => {
      this.router.add(method, path, operation, (call) => this.run(operation, call, run));
    });
  }

  match(method: string, path: string) {
    return this.router.match(method, path);
  }

  operations(): string[] {
    return this.router.operations();
  }

  unknownRoute(method: string, path: string): Reply {
    const message = `Unrecognized request URL (${method}: ${path}).`;
    return this.reply(404, { error: { type: 'invalid_request_error', message } }, stripeId('req'));
  }

  failure(status: number, operation = ''): Reply {
    if (status === 429) {
      const error = {
        type: 'invalid_request_error',
        code: 'rate_limit',
        message: 'Request rate limit exceeded.',
      };
      return this.reply(429, { error }, stripeId('req'));
    }
    if (status === 403) return this.reply(403, { error: this.forbidden(operation) }, stripeId('req'));
    const error = { type: 'api_error', message: 'An unknown error occurred' };
    return this.reply(status, { error }, stripeId('req'));
  }

  /** Marks the key of a slow request as in use, so that other requests with the same key get 409. */
  hold(call: Call): () => void {
    const key = header(call.headers, 'idempotency-key');
    return key === undefined || call.method !== 'POST' ? () => undefined : this.keys.hold(key);
  }

  private run(operation: string, call: Call, handler: (call: StripeCall) => object): Reply {
    const requestId = stripeId('req');
    try {
      const key = call.method === 'POST' ? header(call.headers, 'idempotency-key') : undefined;
      const form = { ...parseForm(call.query.toString()), ...parseForm(call.body) };
      const browser = this.authenticate(operation, call, form);
      delete form.key;
      const cause = { id: requestId, idempotency_key: key ?? null };
      const execute = () =>
        this.execute(requestId, () => {
          const answer = handler({ params: call.params, form, cause, fault: call.fault });
          return browser ? withoutPrivate(answer) : answer;
        });
      if (key === undefined) return execute().reply;
      return this.once(key, call, requestId, execute);
    } catch (error) {
      if (error instanceof StripeError) return this.errorReply(error, requestId);
      throw error;
    }
  }

  private once(key: string, call: Call, requestId: string, execute: () => Executed): Reply {
    if (key.length > 255) {
      const message = 'Idempotency keys can be at most 255 characters';
      throw new StripeError(400, { type: 'invalid_request_error', message }, false);
    }
    this.keys.refuseInFlight(key);
    const fingerprint = createHash('sha256')
      .update(`${call.method} ${call.path}\n${canonical(call.body)}`)
      .digest('hex');
    const earlier = this.keys.find(key, fingerprint);
    if (earlier) {
      const headers = { ...earlier.headers, 'original-request': earlier.headers?.['request-id'] ?? '' };
      return { ...earlier, headers: { ...headers, 'request-id': requestId } };
    }
    if (call.fault?.kind === 'error' && call.fault.sticky === true) {
      if (call.fault.after === true) execute();
      const reply = this.failure(call.fault.status ?? 500);
      this.keys.store(key, fingerprint, reply);
      return reply;
    }
    const { reply, executed } = execute();
    if (executed) this.keys.store(key, fingerprint, reply);
    return { ...reply, headers: { ...reply.headers, 'idempotency-key': key } };
  }

  private execute(requestId: string, run: () => object): Executed {
    try {
      return { reply: this.reply(200, run(), requestId), executed: true };
    } catch (error) {
      if (error instanceof StripeError)
        return { reply: this.errorReply(error, requestId), executed: error.executed };
      throw error;
    }
  }

  /** Checks the API key. Returns true for the publishable key of a donor's browser, which has few permissions. */
  private authenticate(operation: string, call: Call, form: Form): boolean {
    const given = keyOf(call, form);
    if (given === '') {
      const message =
        'You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth.';
      throw new StripeError(401, { type: 'invalid_request_error', message }, false);
    }
    if (given === this.access.publishableKey) {
      allowBrowser(this.account, operation, call, form);
      return true;
    }
    if (!sameText(given, this.access.secretKey)) {
      const message = `Invalid API Key provided: ${given.slice(0, 7)}${'*'.repeat(8)}`;
      throw new StripeError(401, { type: 'invalid_request_error', code: 'api_key_invalid', message }, false);
    }
    return false;
  }

  /** Returns the error for a restricted key that lacks the permission for a call. */
  private forbidden(operation: string): StripeErrorFields {
    const key = `${this.access.secretKey.slice(0, 7)}${'*'.repeat(8)}`;
    const message =
      `The provided key '${key}' does not have the required permissions for this endpoint on account ` +
      `'acct_sandbox'. Having the '${permissionOf(operation)}' permission would allow this request to continue.`;
    return { type: 'invalid_request_error', message };
  }

  private errorReply(error: StripeError, requestId: string): Reply {
    const body: { error: StripeErrorFields & { doc_url?: string } } = { error: { ...error.fields } };
    if (error.fields.code !== undefined) {
      body.error.doc_url = `https://docs.stripe.com/error-codes/${error.fields.code.replaceAll('_', '-')}`;
    }
    return this.reply(error.status, body, requestId);
  }

  /** Copies the body, so that a replayed answer stays the same after later changes. */
  private reply(status: number, body: unknown, requestId: string): Reply {
    const headers = { ...CORS, 'request-id': requestId, 'stripe-version': API_VERSION };
    return { status, body: structuredClone(body), headers };
  }
}

interface Executed {
  reply: Reply;
  executed: boolean;
}

/** Returns the API name of the permission that a restricted key needs for an operation. */
function permissionOf(operation: string): string {
  const [resource = '', verb = ''] = operation.split('.');
  const name = resource === 'refunds' ? 'charge' : resource.replace(/s$/, '');
  return `rak_${name}_${verb === 'retrieve' || verb === 'list' ? 'read' : 'write'}`;
}

/** Sorts the parameters, so that their order does not matter. */
function canonical(body: string): string {
  const parameters = new URLSearchParams(body);
  parameters.sort();
  return parameters.toString();
}

function sameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
