import type { StripeAccount } from '../account.js';
import { invalidParameter, noSuch } from '../errors.js';
import { optionalInteger, optionalText, textList } from './call.js';
import type { Form } from './form.js';

export const PAGING = ['limit', 'starting_after', 'ending_before', 'created'];

interface Listed {
  id: string;
  created: number;
}

/** Returns one page, newest first, with Stripe's cursors `starting_after` and `ending_before`. */
export function page<T extends Listed>(rows: Iterable<T>, form: Form, url: string) {
  const limit = optionalInteger(form, 'limit') ?? 10;
  if (limit < 1 || limit > 100) {
    throw invalidParameter('limit', 'Invalid integer: limit must be between 1 and 100');
  }
  const matching = newestFirst(rows).filter((row) => createdIn(form, row.created));
  const after = optionalText(form, 'starting_after');
  const before = optionalText(form, 'ending_before');
  let found = matching;
  if (after !== undefined) found = matching.slice(position(matching, after, 'starting_after') + 1);
  if (before !== undefined) {
    const upTo = found.slice(0, position(found, before, 'ending_before'));
    const data = upTo.slice(-limit);
    return { object: 'list', data, has_more: upTo.length > data.length, url };
  }
  const data = found.slice(0, limit);
  return { object: 'list', data, has_more: found.length > data.length, url };
}

/** Sorts objects by time, newest first. Of two objects of the same second, the one that was added later is first. */
function newestFirst<T extends Listed>(rows: Iterable<T>): T[] {
  return [...rows].reverse().sort((one, other) => other.created - one.created);
}

/** Filters a list by its charge or payment. */
export function ofPayment<T extends { charge: string; payment_intent: string }>(
  rows: Iterable<T>,
  form: Form,
): T[] {
  const charge = optionalText(form, 'charge');
  const intent = optionalText(form, 'payment_intent');
  return [...rows].filter(
    (row) => (charge ?? row.charge) === row.charge && (intent ?? row.payment_intent) === row.payment_intent,
  );
}

function position(rows: Listed[], id: string, param: string): number {
  const index = rows.findIndex((row) => row.id === id);
  if (index < 0) throw noSuch('object', id, param);
  return index;
}

function createdIn(form: Form, created: number): boolean {
  const filter = form.created;
  if (filter === undefined) return true;
  if (typeof filter === 'string') return created === Number(filter);
  const tests = { gt: created > 0, gte: created > 0, lt: created > 0, lte: created > 0 };
  for (const [name, value] of Object.entries(filter)) {
    if (!(name in tests) || typeof value !== 'string' || !/^\d+$/.test(value)) {
      throw invalidParameter(`created[${name}]`, 'Invalid integer');
    }
    const bound = Number(value);
    if (name === 'gt' && created <= bound) return false;
    if (name === 'gte' && created < bound) return false;
    if (name === 'lt' && created >= bound) return false;
    if (name === 'lte' && created > bound) return false;
  }
  return true;
}

/** Replaces ids by objects along the `expand` paths of a request. */
export function expand(account: StripeAccount, object: object, form: Form): object {
  const copy = structuredClone(object) as Record<string, unknown>;
  for (const path of textList(form, 'expand')) expandPath(account, copy, path.split('.'), path);
  return copy;
}

function expandPath(account: StripeAccount, holder: unknown, path: string[], whole: string): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (Array.isArray(holder)) {
    for (const item of holder) expandPath(account, item, path, whole);
    return;
  }
  if (typeof holder !== 'object' || holder === null) return;
  const fields = holder as Record<string, unknown>;
  if (name === 'refunds' && fields.object === 'charge') {
    fields.refunds = refundsOf(account, String(fields.id));
  } else if (!(name in fields)) {
    throw invalidParameter('expand', `This property cannot be expanded (${whole}).`, 'property_unexpandable');
  } else if (typeof fields[name] === 'string') {
    fields[name] = referenced(account, fields[name]) ?? fields[name];
  }
  expandPath(account, fields[name], rest, whole);
}

function referenced(account: StripeAccount, id: string): object | undefined {
  const found =
    account.charges.get(id) ??
    account.intents.get(id) ??
    account.refunds.get(id) ??
    account.disputes.get(id) ??
    account.balance.get(id) ??
    account.payouts.get(id) ??
    account.methods.get(id) ??
    account.customers.get(id);
  return found && structuredClone(found);
}

function refundsOf(account: StripeAccount, charge: string) {
  const rows = [...account.refunds.values()].filter((refund) => refund.charge === charge);
  // The expanded list has ten entries and `has_more`, like the first page of a list request.
  return structuredClone(page(rows, {}, `/v1/charges/${charge}/refunds`));
}
