import type { Reply } from '../calls/http.js';
import { Controls } from '../control/controls.js';
import type { PayPalPayment } from '../paypal/ledger.js';
import type { StripePayment } from '../stripe/ledger.js';
import { stripeExponent } from '../stripe/money.js';
import type { Delivery } from '../webhooks/deliveries.js';
import { displayAmount, html, type Markup, page } from './html.js';

const SHOWN = 50;

/** The front page: every payment, order and webhook, with its possible actions. */
export function overviewPage(controls: Controls, problem?: string): Reply {
  const body = html`<main>
    <h1>Payment sandbox</h1>
    <p class="lead">Act as the donor, the bank or a dashboard user. No real money moves here.</p>
    ${problem !== undefined && html`<p class="note" role="alert">${problem}</p>`}
    <p><a class="button" href="/">Refresh</a></p>
    <h2>Card payments</h2>
    ${stripeTable(controls)}
    <h2>Wallet orders</h2>
    ${paypalTable(controls)}
    <h2>Webhooks</h2>
    ${webhookTable(controls)}
  </main>`;
  return page('Overview', body, problem === undefined ? {} : { status: 409 });
}

function action(provider: string, name: string, id: string, label: string, sum = false): Markup {
  return html`<form method="post" action="/act/${provider}/${name}/${id}">
    ${sum && html`<input name="amount" inputmode="decimal" placeholder="all" aria-label="Amount, empty for all" />`}
    <button>${label}</button>
  </form>`;
}

function table(headings: string[], rows: Markup[], empty: string): Markup {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<table>
    <thead>
      <tr>
        ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

function state(text: string): Markup {
  const kind = /succeeded|completed|won|delivered/i.test(text)
    ? 'good'
    : /cancel|fail|declined|lost|void|dropped/i.test(text)
      ? 'bad'
      : 'wait';
  return html`<span class="state ${kind}">${text.toLowerCase().replaceAll('_', ' ')}</span>`;
}

function stripeTable(controls: Controls): Markup {
  const rows = controls.stripe.payments().slice(-SHOWN).reverse();
  return table(
    ['Payment', 'Amount', 'State', 'What now?'],
    rows.map((payment) => stripeRow(controls, payment)),
    'No card payments yet. Create one with POST /donations/intent.',
  );
}

function stripeRow(controls: Controls, payment: StripePayment): Markup {
  const { amount } = controls.stripe.intent(payment.id);
  const sum = (minorUnits: number) =>
    displayAmount(minorUnits, payment.currency, stripeExponent(payment.currency));
  const about = Object.entries(payment.metadata).map(([name, value]) => `${name}: ${value}`);
  return html`<tr>
    <td><code>${payment.id}</code><br /><code>${about.join(', ')}</code></td>
    <td class="sum">
      ${sum(amount)}${payment.held !== payment.paid && html`<br />held ${sum(payment.held)}`}
    </td>
    <td>${state(payment.status)}</td>
    <td>
      ${stripeActions(payment)} ${stripeRefunds(controls, payment, sum)}
      ${stripeDisputes(controls, payment, sum)}
    </td>
  </tr>`;
}

function stripeActions(payment: StripePayment): Markup[] {
  const act = (name: string, label: string, sum = false) => action('stripe', name, payment.id, label, sum);
  if (payment.status === 'requires_payment_method') {
    return [
      act('pay', 'Pay'),
      act('decline', 'Decline'),
      act('process', 'Start slowly'),
      act('cancel', 'Cancel'),
    ];
  }
  if (payment.status === 'processing') return [act('pay', 'Arrives'), act('decline', 'Bounces')];
  if (payment.status !== 'succeeded' || payment.held - payment.refundPending <= 0) return [];
  if (payment.disputed > 0) return [];
  return [act('refund', 'Refund', true), act('open-dispute', 'Dispute')];
}

function stripeRefunds(
  controls: Controls,
  payment: StripePayment,
  sum: (amount: number) => string,
): Markup[] {
  return controls.stripe
    .refundsOf(payment.id)
    .map(
      (refund) =>
        html`<div>
          Refund ${sum(refund.amount)} ${state(refund.status)}
          ${refund.status === 'pending' && action('stripe', 'settle-refund', refund.id, 'Arrives')}
          ${refund.status !== 'failed' && action('stripe', 'fail-refund', refund.id, 'Comes back')}
        </div>`,
    );
}

function stripeDisputes(
  controls: Controls,
  payment: StripePayment,
  sum: (amount: number) => string,
): Markup[] {
  return controls.stripe
    .disputesOf(payment.id)
    .map(
      (dispute) =>
        html`<div>
          Dispute ${sum(dispute.amount)} ${state(dispute.status)}
          ${
            dispute.status === 'needs_response' && [
              action('stripe', 'win-dispute', dispute.id, 'Charity wins'),
              action('stripe', 'lose-dispute', dispute.id, 'Charity loses'),
            ]
          }
        </div>`,
    );
}

function paypalTable(controls: Controls): Markup {
  const rows = controls.paypal.payments().slice(-SHOWN).reverse();
  return table(
    ['Order', 'Amount', 'State', 'What now?'],
    rows.map((payment) => paypalRow(controls, payment)),
    'No wallet orders yet. Create one with POST /donations/intent and "method": "wallet".',
  );
}

function paypalRow(controls: Controls, payment: PayPalPayment): Markup {
  const sum = (minorUnits: number) =>
    displayAmount(minorUnits, payment.currency, controls.paypal.exponent(payment.currency));
  return html`<tr>
    <td><code>${payment.id}</code><br /><code>${payment.customId}</code></td>
    <td class="sum">
      ${sum(payment.amount)}${payment.held !== payment.paid && html`<br />held ${sum(payment.held)}`}
    </td>
    <td>
      ${state(payment.captureStatus === undefined ? payment.status : `capture ${payment.captureStatus}`)}
    </td>
    <td>${paypalActions(payment)} ${paypalRefunds(controls, payment, sum)}</td>
  </tr>`;
}

function paypalActions(payment: PayPalPayment): Markup[] {
  const act = (name: string, label: string, sum = false) => action('paypal', name, payment.id, label, sum);
  if (payment.status === 'CREATED' || payment.status === 'PAYER_ACTION_REQUIRED') {
    return [act('approve', 'Approve'), act('void', 'Give up')];
  }
  if (payment.status === 'APPROVED') return [act('capture', 'Capture elsewhere'), act('void', 'Give up')];
  if (payment.captureStatus === 'PENDING')
    return [act('complete-capture', 'Arrives'), act('deny-capture', 'Denied')];
  if (payment.held - payment.refundPending <= 0) return [];
  return [act('refund', 'Refund', true), act('reverse', 'Reverse')];
}

function paypalRefunds(
  controls: Controls,
  payment: PayPalPayment,
  sum: (amount: number) => string,
): Markup[] {
  if (payment.captureId === undefined) return [];
  return controls.paypal
    .refundsOf(payment.captureId)
    .map(
      (refund) =>
        html`<div>
          ${refund.reversal ? 'Reversal' : 'Refund'} ${sum(refund.amount)} ${state(refund.status)}
          ${refund.status === 'PENDING' && action('paypal', 'settle-refund', refund.id, 'Arrives')}
          ${refund.status !== 'FAILED' && action('paypal', 'fail-refund', refund.id, 'Comes back')}
        </div>`,
    );
}

function webhookTable(controls: Controls): Markup {
  const all: [string, Delivery][] = [
    ...controls.stripe.deliveries.list().map((delivery): [string, Delivery] => ['stripe', delivery]),
    ...controls.paypal.deliveries.list().map((delivery): [string, Delivery] => ['paypal', delivery]),
  ];
  const newest = ([, { attempts }]: [string, Delivery]) => attempts.at(-1)?.at ?? '9';
  const rows = all.sort((one, other) => newest(other).localeCompare(newest(one))).slice(0, SHOWN);
  return table(
    ['Event', 'Receiver', 'State', 'What now?'],
    rows.map(([provider, delivery]) => {
      const last = delivery.attempts.at(-1);
      const answer = last === undefined ? '' : (last.error ?? `answered ${String(last.status)}`);
      return html`<tr>
        <td>${delivery.type}<br /><code>${delivery.eventId}</code></td>
        <td><code>${delivery.url}</code></td>
        <td>
          ${state(delivery.state)}
          ${delivery.attempts.length > 1 && `${String(delivery.attempts.length)} times`}<br /><code
            >${answer}</code
          >
        </td>
        <td>${action(provider, 'deliver', delivery.eventId, 'Send again')}</td>
      </tr>`;
    }),
    'No webhooks yet.',
  );
}
