import type { StripeAccount } from '../account.js';
import { invalidParameter, StripeError } from '../errors.js';
import type { RefundStatus } from '../objects.js';
import { createRefund } from '../refunds.js';
import { type Add, metadata, oneOf, onlyKnown, optionalInteger, optionalText } from './call.js';
import { expand, ofPayment, page, PAGING } from './lists.js';

const STATUS_BY_FAULT: Readonly<Partial<Record<string, RefundStatus>>> = {
  pending: 'pending',
  requires_action: 'requires_action',
  decline: 'failed',
};

export function addRefundRoutes(account: StripeAccount, add: Add): void {
  add('POST', '/v1/refunds', 'refunds.create', ({ form, cause, fault }) => {
    onlyKnown(form, ['amount', 'charge', 'instructions_email', 'metadata', 'payment_intent', 'reason']);
    const chargeId = optionalText(form, 'charge');
    const intentId = optionalText(form, 'payment_intent');
    if (chargeId === undefined && intentId === undefined) {
      const message =
        'One of the following params should be provided for this request: payment_intent or charge.';
      throw new StripeError(400, { type: 'invalid_request_error', message }, false);
    }
    const amount = optionalInteger(form, 'amount');
    if (amount !== undefined && amount < 1) {
      throw invalidParameter('amount', 'Invalid positive integer', 'parameter_invalid_integer');
    }
    const charge =
      chargeId === undefined
        ? account.paidCharge(account.intent(intentId ?? '', 'payment_intent'))
        : account.charge(chargeId);
    const reason = oneOf(form, 'reason', ['duplicate', 'fraudulent', 'requested_by_customer']) ?? null;
    const status = STATUS_BY_FAULT[fault?.kind ?? ''] ?? 'succeeded';
    return expand(
      account,
      createRefund(account, charge, { amount, reason, metadata: metadata(form), status }, cause),
      form,
    );
  });

  add('GET', '/v1/refunds/:id', 'refunds.retrieve', ({ params, form }) => {
    onlyKnown(form, []);
    return expand(account, account.refund(params.id ?? ''), form);
  });

  add('GET', '/v1/refunds', 'refunds.list', ({ form }) => {
    onlyKnown(form, [...PAGING, 'charge', 'payment_intent']);
    const rows = ofPayment(account.refunds.values(), form);
    return expand(account, page(rows, form, '/v1/refunds'), form);
  });

  add('GET', '/v1/charges/:id/refunds', 'refunds.list', ({ params, form }) => {
    onlyKnown(form, PAGING);
    const { id } = account.charge(params.id ?? '', 'id');
    const rows = [...account.refunds.values()].filter((refund) => refund.charge === id);
    return expand(account, page(rows, form, `/v1/charges/${id}/refunds`), form);
  });
}
