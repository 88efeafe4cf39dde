import { stripeId } from '../ids.js';
import type { StripeAccount } from './account.js';
import { expand, page, PAGING } from './lists.js';
import type { Charge, FraudWarning } from './objects.js';
import { onlyKnown, optionalText } from './params.js';
import type { Add } from './routes.js';

/** The bank of the card reports a payment as fraud; money moves only when somebody refunds or disputes it. */
export function warnOfFraud(
  account: StripeAccount,
  charge: Charge,
  fraudType = 'made_with_stolen_card',
): FraudWarning {
  const warning: FraudWarning = {
    id: stripeId('issfr'),
    object: 'radar.early_fraud_warning',
    actionable: !charge.disputed && !charge.refunded,
    charge: charge.id,
    created: account.seconds(),
    fraud_type: fraudType,
    livemode: false,
    payment_intent: charge.payment_intent,
  };
  account.warnings.set(warning.id, warning);
  account.emit('radar.early_fraud_warning.created', warning);
  return warning;
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
