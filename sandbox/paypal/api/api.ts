import { randomBytes } from 'node:crypto';
import { type Call, header, type Reply, Router } from '../../calls/http.js';
import { debugId } from '../../common/ids.js';
import type { PayPalAccount } from '../account.js';
import { errorBody, notFound, PayPalError, PERMISSION_DENIED } from '../errors.js';
import { showView } from '../views.js';
import { parseBody, type PayPalAnswer, type PayPalCall, type WebhookSide } from './call.js';
import { RequestIds } from './request-ids.js';
import { addPayPalRoutes } from './routes.js';

/** PayPal's HTTP API: tokens, request ids, error bodies. */
export class PayPalApi {
  private readonly router = new Router();
  private readonly tokens = new Map<string, number>();
  readonly requestIds: RequestIds;

  constructor(
    private readonly account: PayPalAccount,
    private readonly credentials: { clientId: string; clientSecret: string },
    webhooks: WebhookSide,
  ) {
    this.requestIds = new RequestIds(account.clock);
    this.router.add('POST', '/v1/oauth2/token', 'oauth.token', (call) => this.token(call));
    this.router.add('GET', '/v1/notifications/certs/:id', 'certs.get', (call) => {
      const chain = webhooks.certificate(call.params.id ?? '');
      if (chain === undefined) return this.errorReply(new PayPalError(404, 'RESOURCE_NOT_FOUND'));
      return { status: 200, text: chain, contentType: 'application/x-pem-file' };
    });
    addPayPalRoutes(account, webhooks, (method, path, operation, run) => {
      this.router.add(method, path, operation, (call) => this.run(call, run));
    });
  }

  match(method: string, path: string) {
    return this.router.match(method, path);
  }

  operations(): string[] {
    return this.router.operations();
  }

  unknownRoute(): Reply {
    return this.errorReply(new PayPalError(404, 'RESOURCE_NOT_FOUND'));
  }

  failure(status: number): Reply {
    if (status === 403) return this.errorReply(new PayPalError(403, 'NOT_AUTHORIZED', [PERMISSION_DENIED]));
    if (status === 404) return this.errorReply(notFound());
    const name = status === 429 ? 'RATE_LIMIT_REACHED' : 'INTERNAL_SERVER_ERROR';
    return this.reply(status, errorBody(name));
  }

  /** Revokes all access tokens issued so far. */
  revokeTokens(): void {
    this.tokens.clear();
  }

  /** Refuses repeats of a request while the first one is in progress. */
  hold(call: Call): () => void {
    return this.requestIds.hold(call);
  }

  private token(call: Call): Reply {
    const { clientId, clientSecret } = this.credentials;
    const wanted = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    if (header(call.headers, 'authorization') !== wanted) {
      return this.reply(401, { error: 'invalid_client', error_description: 'Client Authentication failed' });
    }
    if (new URLSearchParams(call.body).get('grant_type') !== 'client_credentials') {
      return this.reply(400, { error: 'unsupported_grant_type', error_description: 'Grant Type is NULL' });
    }
    const token = `A21AA${randomBytes(36).toString('base64url')}`;
    const seconds = 32_400;
    this.tokens.set(token, Date.now() + seconds * 1000);
    return this.reply(200, {
      scope:
        'https://uri.paypal.com/services/payments/realtimepayment https://uri.paypal.com/services/payments/refund',
      access_token: token,
      token_type: 'Bearer',
      app_id: 'APP-80W284485P519543T',
      expires_in: seconds,
      nonce: `${new Date().toISOString()}${randomBytes(12).toString('base64url')}`,
    });
  }

  private run(call: Call, handler: (call: PayPalCall) => PayPalAnswer): Reply {
    try {
      this.authenticate(call);
      if (call.method === 'POST' && !(header(call.headers, 'content-type') ?? '').includes('json')) {
        return this.reply(415, { ...errorBody('INVALID_REQUEST'), name: 'UNSUPPORTED_MEDIA_TYPE' });
      }
      const body = call.method === 'POST' ? parseBody(call.body) : {};
      const full = /return=representation/i.test(header(call.headers, 'prefer') ?? '');
      const run = () => handler({ params: call.params, query: call.query, body, fault: call.fault, full });
      return this.answer(this.requestIds.once(call, JSON.stringify(body), run));
    } catch (error) {
      if (error instanceof PayPalError) return this.errorReply(error);
      throw error;
    }
  }

  private authenticate(call: Call): void {
    const token = /^Bearer (.+)$/.exec(header(call.headers, 'authorization') ?? '')?.[1] ?? '';
    const expires = this.tokens.get(token);
    if (expires === undefined || expires < Date.now()) throw new PayPalError(401, 'AUTHENTICATION_FAILURE');
  }

  private answer(answer: PayPalAnswer): Reply {
    return this.reply(
      answer.status,
      'show' in answer ? showView(this.account, answer.show, answer.id) : answer.body,
    );
  }

  private errorReply(error: PayPalError): Reply {
    return this.reply(error.status, errorBody(error.errorName, error.details));
  }

  private reply(status: number, body: unknown): Reply {
    return { status, body, headers: { 'paypal-debug-id': debugId() } };
  }
}
