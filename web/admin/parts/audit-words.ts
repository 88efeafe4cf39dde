import type { AuditEntryDto } from '../../../src/audit/dto/audit.dto.js';
import { known, number, t, word } from '../../desk/texts.js';
import type { Names } from '../api/query.js';
import { fieldName } from './field-names.js';
import { amountText, fieldText } from './field-words.js';
import { nameOfId } from './who.js';

type Detail = AuditEntryDto['detail'];
type Values = Readonly<Record<string, unknown>>;

const MONEY = new Set(['amount', 'openingFloat', 'counted', 'expected', 'goalAmount', 'announced']);
/** Not shown alone: the currency is part of each amount. */
const SILENT = new Set(['currency']);

/** Keys whose values are words of the server, with the text group of the values. */
const WORDS: Readonly<Record<string, string>> = {
  role: 'role',
  status: 'event.status',
  kind: 'reviewKind',
  method: 'method',
  format: 'format',
  reason: 'withdrawal',
  leftOutReason: 'giftAid.leftOut',
};

/** Text group of the field names in `fields`, by the resource of the action. */
const isOfDonor = (action: string) => action.startsWith('donation.');

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the name of the subject, if it is known and is not the actor, and then the detail of the action in
 * the reader's language.
 */
export const detailText = (entry: AuditEntryDto, names: Names): string =>
  [
    entry.subjectId === entry.actorId ? undefined : nameOfId(entry.subjectId, names),
    ...changes(entry.detail),
    ...Object.entries(entry.detail)
      .filter(([key]) => !SILENT.has(key))
      .map(([key, value]) => part(key, value, entry, names)),
  ]
    .filter(Boolean)
    .join(' · ');

/** Fields with their values before and after a change. */
function changes(detail: Detail): string[] {
  const { before, after } = detail;
  if (!isValues(before) || !isValues(after)) return [];
  const currency = currencyOf(detail);
  return Object.keys(after).map(
    (field) =>
      `${fieldName(field)}: ${fieldText(field, before[field], currency)} → ${fieldText(field, after[field], currency)}`,
  );
}

const currencyOf = ({ currency }: Detail): string | undefined =>
  typeof currency === 'string' ? currency : undefined;

function part(
  key: string,
  value: unknown,
  { action, detail }: AuditEntryDto,
  names: Names,
): string | undefined {
  // The server sends false for a setting that did not change.
  if (value === null || value === undefined || value === false) return undefined;
  const label = word('auditDetail', key);
  if (value === true) return label;
  if (key === 'before' || key === 'after')
    return typeof value === 'number' ? `${label}: ${number(value)}` : undefined;
  if (key === 'fields') return fieldsText(value, action, detail);
  if (key === 'filters' && Array.isArray(value))
    return value.length === 0
      ? undefined
      : `${label}: ${value.map((one) => word('filterName', String(one))).join(', ')}`;
  if (isValues(value) && 'after' in value)
    return `${label}: ${valueText(key, value['before'], detail, names)} → ${valueText(key, value['after'], detail, names)}`;
  return `${label}: ${valueText(key, value, detail, names)}`;
}

/** The changed fields, without those that are shown with their values. */
function fieldsText(value: unknown, action: string, { after }: Detail): string | undefined {
  const fields = (Array.isArray(value) ? value : []).map(String);
  const rest = fields.filter((field) => !(isValues(after) && field in after));
  if (rest.length === 0) return undefined;
  const named = rest.map((field) => (isOfDonor(action) ? word('fieldname', field) : fieldName(field)));
  return `${t('auditDetail.fields')}: ${named.join(', ')}`;
}

function valueText(key: string, value: unknown, detail: Detail, names: Names): string {
  if (typeof value === 'boolean') return t(value ? 'state.on' : 'state.off');
  if (typeof value === 'number') {
    if (MONEY.has(key)) return amountText(value, currencyOf(detail));
    return key === 'year' ? String(value) : number(value);
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  const group = WORDS[key];
  return (group && known(group, value.replaceAll(' ', '_'))) ?? nameOfId(value, names) ?? value;
}
