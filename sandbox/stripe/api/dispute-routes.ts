import type { StripeAccount } from '../account.js';
import { asOfNow, closeDispute, submitEvidence } from '../disputes.js';
import { invalidParameter } from '../errors.js';
import { type Add, metadata, onlyKnown, optionalText } from './call.js';
import { expand, ofPayment, page, PAGING } from './lists.js';

export function addDisputeRoutes(account: StripeAccount, add: Add): void {
  add('GET', '/v1/disputes/:id', 'disputes.retrieve', ({ params, form }) => {
    onlyKnown(form, []);
    return expand(account, asOfNow(account, account.dispute(params.id ?? '')), form);
  });

  add('GET', '/v1/disputes', 'disputes.list', ({ form }) => {
    onlyKnown(form, [...PAGING, 'charge', 'payment_intent']);
    const rows = ofPayment(account.disputes.values(), form).map((dispute) => asOfNow(account, dispute));
    return expand(account, page(rows, form, '/v1/disputes'), form);
  });

  add('POST', '/v1/disputes/:id', 'disputes.update', ({ params, form, cause }) => {
    onlyKnown(form, ['evidence', 'metadata', 'submit']);
    const dispute = account.dispute(params.id ?? '');
    const { evidence } = form;
    if (evidence !== undefined && (typeof evidence === 'string' || Array.isArray(evidence)))
      throw invalidParameter('evidence', 'Invalid object');
    Object.assign(dispute.metadata, metadata(form));
    if (evidence !== undefined && form.submit !== 'false') submitEvidence(account, dispute, evidence, cause);
    else if (evidence !== undefined) dispute.evidence = { ...dispute.evidence, ...evidence };
    return expand(account, asOfNow(account, dispute), form);
  });

  add('POST', '/v1/disputes/:id/close', 'disputes.close', ({ params, form, cause }) => {
    onlyKnown(form, []);
    const dispute = account.dispute(params.id ?? '');
    return expand(account, asOfNow(account, closeDispute(account, dispute, 'lost', cause)), form);
  });
}

export function addFraudWarningRoutes(account: StripeAccount, add: Add): void {
  const path = '/v1/radar/early_fraud_warnings';
  add('GET', `${path}/:id`, 'early_fraud_warnings.retrieve', ({ params, form }) => {
    onlyKnown(form, []);
    return expand(account, account.warning(params.id ?? ''), form);
  });

  add('GET', path, 'early_fraud_warnings.list', ({ form }) => {
    onlyKnown(form, [...PAGING, 'charge', 'payment_intent']);
    const wanted = (['charge', 'payment_intent'] as const).flatMap((name) => {
      const value = optionalText(form, name);
      return value === undefined ? [] : [{ name, value }];
    });
    const rows = [...account.warnings.values()].filter((row) =>
      wanted.every(({ name, value }) => row[name] === value),
    );
    return expand(account, page(rows, form, path), form);
  });
}
