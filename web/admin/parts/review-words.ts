import type { ReviewItemDto } from '../../../src/reporting/review/dto/review-item.dto.js';
import { NEUTRAL } from '../../../src/reporting/review/neutral-words.js';
import { known, t } from '../../desk/texts.js';

/** All that is open, a page at a time, with how many there are. */
export const OPEN_ITEMS = '/review-items/open';
/** Those that stand on Tonight, and the number beside Review in the menu: one request for both. */
export const FIRST_ITEMS = `${OPEN_ITEMS}?limit=4`;

/** What happened, in the reader's language where the desk has words for the kind; else in the service's. */
export const titleOf = ({ kind, title }: Pick<ReviewItemDto, 'kind' | 'title'>): string =>
  known('reviewKind', kind) ?? (title === NEUTRAL.title ? t('reviewKind.newer') : title);

/** What it means for the money and the donors. */
export const meaningOf = ({ kind, meaning }: Pick<ReviewItemDto, 'kind' | 'meaning'>): string =>
  known('reviewMeaning', kind) ?? (meaning === NEUTRAL.meaning ? t('reviewMeaning.newer') : meaning);

/** What to do about it. A deadline stands beside it. */
export const adviceOf = (item: Pick<ReviewItemDto, 'kind' | 'advice' | 'detail' | 'particulars'>): string =>
  known('reviewAdvice', `${item.kind}${caseOf(item)}`)?.replace('{right}', String(item.detail['right'])) ??
  (item.advice === NEUTRAL.advice ? t('reviewAdvice.newer') : item.advice);

/** Where the advice depends on how the matter stands. */
function caseOf({
  kind,
  detail,
  particulars,
}: Pick<ReviewItemDto, 'kind' | 'detail' | 'particulars'>): string {
  if (kind === 'email_failed') return detail['state'] === 'bounced' ? '.bounced' : '.tried';
  if (kind === 'payment_held') return `.${String(particulars?.['status'])}`;
  if (kind !== 'dispute') return '';
  if (particulars?.['status'] === 'reversed') return '.reversed';
  if (particulars?.['unknown'] === true) return '.unknown';
  if (particulars?.['appeal'] === true) return '.appeal';
  if (detail['state'] === 'lost') return '.lost';
  return particulars?.['inquiry'] === true ? '.inquiry' : '.open';
}
