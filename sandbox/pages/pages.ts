import { readFileSync } from 'node:fs';
import { type Call, header, type Reply, Router } from '../calls/http.js';
import type { ControlApi } from '../control/api.js';
import { Controls } from '../control/controls.js';
import { stripeExponent } from '../stripe/money.js';
import {
  answerAuthentication,
  answerSetup,
  answerVoucher,
  authenticationPage,
  setupPage,
  voucherPage,
  answerModal,
  modalPage,
} from './bank.js';
import { approvalPage, cardPage } from './donor.js';
import { html, page, redirect, typedAmount } from './html.js';
import { overviewPage } from './overview.js';
import { STYLE } from './style.js';

/** The sandbox's web pages: simple forms without scripts. Every button sends a POST, and the answer is a redirect. */
export class Pages {
  private readonly router = new Router();

  constructor(
    private readonly controls: Controls,
    private readonly api: ControlApi,
  ) {
    this.router.add('GET', '/', 'overview', () => overviewPage(controls));
    this.router.add('GET', '/style.css', 'style', () => ({
      status: 200,
      text: STYLE,
      contentType: 'text/css',
    }));
    this.router.add('POST', '/act/:provider/:action/:id', 'act', (call) => this.act(call));
    this.router.add('GET', '/pay/:id', 'card', ({ params }) => cardPage(controls, params.id ?? ''));
    this.router.add('POST', '/pay/:id/:action', 'card', (call) => this.payByCard(call));
    this.router.add('GET', '/3ds/:id', 'bank', ({ params }) => authenticationPage(controls, params.id ?? ''));
    this.router.add('POST', '/3ds/:id/:action', 'bank', ({ params }) =>
      answerAuthentication(controls, params.id ?? '', params.action),
    );
    this.router.add('GET', '/3ds-modal/:id', 'bank', ({ params }) => modalPage(controls, params.id ?? ''));
    this.router.add('POST', '/3ds-modal/:id/:action', 'bank', ({ params }) =>
      answerModal(controls, params.id ?? '', params.action),
    );
    this.router.add('GET', '/3ds-setup/:id', 'bank', ({ params }) => setupPage(controls, params.id ?? ''));
    this.router.add('POST', '/3ds-setup/:id/:action', 'bank', ({ params }) =>
      answerSetup(controls, params.id ?? '', params.action),
    );
    this.router.add('GET', '/voucher/:id', 'bank', ({ params }) => voucherPage(controls, params.id ?? ''));
    this.router.add('POST', '/voucher/:id/:action', 'bank', ({ params }) =>
      answerVoucher(controls, params.id ?? '', params.action),
    );
    this.router.add('GET', '/stripe.js', 'script', ({ headers }) => stripeScript(headers.host ?? ''));
    this.router.add('GET', '/checkoutnow', 'wallet', ({ query }) =>
      approvalPage(controls, query.get('token') ?? ''),
    );
    this.router.add('POST', '/checkoutnow/:id/:action', 'wallet', (call) => this.answerWallet(call));
  }

  async answer(call: Call): Promise<Reply> {
    const found = this.router.match(call.method, call.path);
    if (!found) return message(404, 'Page not found.');
    const { origin } = call.headers;
    if (
      call.method === 'POST' &&
      origin !== undefined &&
      origin !== `http://${header(call.headers, 'host') ?? ''}`
    ) {
      return message(403, 'This form was sent from another site.');
    }
    try {
      return await found.route.handler({ ...call, params: found.params });
    } catch (error) {
      return message(404, error instanceof Error ? error.message : 'The action failed.');
    }
  }

  private async act({ params, body }: Call): Promise<Reply> {
    const { provider = '', action = '', id = '' } = params;
    const amount = typedAmount(new URLSearchParams(body).get('amount'), this.exponent(provider, id));
    if (Number.isNaN(amount)) return overviewPage(this.controls, 'The amount is invalid.');
    try {
      await this.api.perform(`${provider}/${action}`, id, amount === undefined ? {} : { amount });
    } catch (error) {
      return overviewPage(this.controls, error instanceof Error ? error.message : 'The action failed.');
    }
    return redirect('/');
  }

  private exponent(provider: string, id: string): number {
    if (provider === 'stripe') {
      return id.startsWith('pi_') ? stripeExponent(this.controls.stripe.intent(id).currency) : 2;
    }
    const payment = this.controls.paypal.payments().find((candidate) => candidate.id === id);
    return payment ? this.controls.paypal.exponent(payment.currency) : 2;
  }

  private payByCard({ params }: Call): Reply {
    const { id = '', action } = params;
    const { stripe } = this.controls;
    if (action === 'pay') stripe.pay(id);
    else if (action === 'process') stripe.process(id);
    else if (action === 'decline') stripe.decline(id);
    return redirect(`/pay/${encodeURIComponent(id)}`);
  }

  /** Redirects back to the shop as PayPal does: `?token=…&PayerID=…`. */
  private answerWallet({ params }: Call): Reply {
    const { id = '', action } = params;
    const { paypal } = this.controls;
    if (action === 'approve') paypal.approve(id);
    const { returnUrl, cancelUrl, payerId } = paypal.returnUrls(id);
    const target = action === 'approve' ? returnUrl : cancelUrl;
    if (target === undefined) return redirect(`/checkoutnow?token=${encodeURIComponent(id)}`);
    const url = new URL(target);
    url.searchParams.set('token', id);
    if (action === 'approve' && payerId !== undefined) url.searchParams.set('PayerID', payerId);
    return redirect(url.href);
  }
}

/**
 * Returns the replacement for Stripe.js. The script contains the sandbox's address, because pages may load it from
 * another address.
 */
function stripeScript(host: string): Reply {
  const origin = `const SANDBOX = ${JSON.stringify(`http://${host}`)};\n`;
  const text = `'use strict';\n{\n${origin}${readScript('form.js')}${readScript('stripe.js')}}\n`;
  const headers = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
  return { status: 200, text, contentType: 'text/javascript; charset=utf-8', headers };
}

/** The scripts are next to the sources, not next to the compiled program. */
function readScript(name: string): string {
  return readFileSync(new URL(`../../sandbox/stripe-js/${name}`, import.meta.url), 'utf8');
}

function message(status: number, text: string): Reply {
  const body = html`<main class="card">
    <h1>${text}</h1>
    <p><a class="button" href="/">To the overview</a></p>
  </main>`;
  return page('Error', body, { status });
}
