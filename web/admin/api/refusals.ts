import type { RefusedEdit, RefusedField, RefusedReceipt } from '../../../src/common/errors/error-body.js';
import { known, number, t, type TextKey } from '../../desk/texts.js';
import { fieldName, isMoney } from '../parts/field-names.js';

/*
 * The texts for refusals of the server, in the reader's language: by error code, and for refused fields by field and broken
 * rule. A text that is missing here would show the server's English sentence.
 */

/** Codes that mean the same for the person. All other codes have a text of their own, `problem.<code>`. */
const SHARED: Readonly<Record<string, TextKey>> = {
  DONATION_NOT_FOUND: 'problem.gone',
  TERMINAL_NOT_FOUND: 'problem.gone',
  ASSIGNMENT_NOT_FOUND: 'problem.gone',
  REVIEW_ITEM_NOT_FOUND: 'problem.gone',
  PLEDGE_ROUND_NOT_FOUND: 'problem.gone',
  SHIFT_NOT_FOUND: 'problem.gone',
  SESSION_NOT_FOUND: 'problem.gone',
  EMAIL_NOT_FOUND: 'problem.gone',
  DONOR_NOT_FOUND: 'problem.gone',
  IMAGE_NOT_FOUND: 'problem.gone',
  IMAGE_UNKNOWN: 'problem.gone',
  MILESTONE_NOT_FOUND: 'problem.gone',
  FLOOR_MESSAGE_NOT_FOUND: 'problem.gone',
  FLOOR_REQUEST_NOT_FOUND: 'problem.gone',
  PROVIDER_NOT_FOUND: 'problem.gone',
  NOT_FOUND: 'problem.gone',
  CONFLICT: 'problem.moved',
  EVENT_STATUS_MOVE: 'problem.moved',
  DONATION_PENDING: 'problem.moved',
  DONATION_COMPLETED: 'problem.moved',
  DONATION_FAILED: 'problem.moved',
  DONATION_CANCELLED: 'problem.moved',
  DONATION_REFUNDED: 'problem.moved',
  DONATION_NOT_COMPLETED: 'problem.moved',
  PLEDGE_NOT_OPEN: 'problem.moved',
  MILESTONE_NOT_REACHED: 'problem.moved',
  MESSAGE_MISSING: 'problem.moved',
  NAME_MISSING: 'problem.moved',
  TRIBUTE_MISSING: 'problem.moved',
  RECORD_NOT_HELD: 'problem.moved',
  SECOND_FACTOR_ON: 'problem.moved',
  SECOND_FACTOR_NOT_BEGUN: 'problem.moved',
  DEPENDENCY_UNAVAILABLE: 'problem.later',
  EXPORTS_BUSY: 'problem.later',
  SUMS_TOO_SLOW: 'problem.later',
  OVERLOADED: 'problem.later',
  SIGN_IN_BUSY: 'problem.later',
  IDP_UNAVAILABLE: 'problem.later',
  REQUEST_TIMEOUT: 'problem.later',
  IDEMPOTENCY_KEY_IN_USE: 'problem.repeated',
  IDEMPOTENCY_KEY_REUSED: 'problem.repeated',
  ROLE_UNKNOWN: 'problem.FORBIDDEN',
  INTERNAL_ERROR: 'error.server',
  ROUTE_NOT_FOUND: 'state.notHere',
};

/** Fields with the same name as another field, by the path of the request. */
const RENAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/auth/totp/confirm': { code: 'totp' },
  '/floor-messages': { text: 'moment.text', terminalId: 'floor.to', staffId: 'floor.to' },
  '/wall-moments': { title: 'moment.title', text: 'moment.text' },
  '/gift-aid/claims': { from: 'period.from', to: 'period.to' },
  '/auth/password': { next: 'password', current: 'password' },
};

/** The fields of milestones have names of their own in all their forms. */
const OF_MILESTONES = {
  title: 'milestone.title',
  text: 'milestone.text',
};
const OF_TEAMS = { kind: 'team.kind' };
const renamedOf = (path: string): Readonly<Record<string, string>> => {
  if (path.includes('/milestones')) return OF_MILESTONES;
  return RENAMED[path] ?? (path.includes('/teams') ? OF_TEAMS : {});
};

export interface RefusalTexts {
  readonly message: string;
  /** Text for each refused field, by the name of the field in the request. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Returns the texts for a refusal. The server's own sentence is used only for a code of a later release. */
export function refusalTexts(
  path: string,
  status: number,
  refusal: Partial<RefusedEdit & RefusedReceipt>,
): RefusalTexts {
  const { code = '', message = t('error.server'), fields = [], findings = [] } = refusal;
  if (status === 429) return { message: t('error.busy'), fields: {} };
  if (status >= 500 && code === '') return { message: t('error.server'), fields: {} };
  if (fields.length === 0) {
    const lacking = findings.map(({ field, rule }) =>
      t('invalid.line', { field: fieldName(field), text: `${t(`receipts.rule.${rule}`)}.` }),
    );
    return { message: [textOfCode(code, message), ...lacking].join(' '), fields: {} };
  }
  const renamed = renamedOf(path);
  const texts = fields.map((one) => [one.field, textOfField(one, renamed[one.field] ?? one.field)] as const);
  const lines = texts.map(([field, text]) =>
    t('invalid.line', { field: fieldName(renamed[field] ?? field), text }),
  );
  return { message: lines.join(' '), fields: Object.fromEntries(texts) };
}

const textOfCode = (code: string, message: string): string => {
  const shared = SHARED[code];
  if (shared !== undefined) return t(shared);
  return known('problem', code)?.replace('{message}', message) ?? message;
};

/** Text for a field that breaks a rule. */
export const fieldProblem = (refused: RefusedField): string => textOfField(refused, refused.field);

function textOfField({ rule, limit }: RefusedField, field: string): string {
  const values: Record<string, string> = limit === undefined ? {} : { limit: number(limit) };
  const own = known('invalid', `${field}.${rule}`, values);
  if (own !== undefined) return own;
  if (isMoney(field) && rule === 'minimum') return t('invalid.tooSmall');
  if (isMoney(field) && rule === 'maximum') return t('invalid.tooLarge');
  return t(`invalid.${rule}`, values);
}
