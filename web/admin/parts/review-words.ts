import type { ReviewItemDto } from '../../../src/reporting/review/dto/review-item.dto.js';
import { NEUTRAL } from '../../../src/reporting/review/neutral-words.js';
import { known, t } from '../../desk/texts.js';

/** All open items, one page at a time, with their number. */
export const OPEN_ITEMS = '/review-items/open';
/** One request for both the items on the page "Tonight" and the number in the menu. */
export const FIRST_ITEMS = `${OPEN_ITEMS}?limit=4`;

/** Title in the reader's language if the dashboard has a text for the kind; otherwise the server's title. */
export const titleOf = ({ kind, title }: Pick<ReviewItemDto, 'kind' | 'title'>): string =>
  known('reviewKind', kind) ?? (title === NEUTRAL.title ? t('reviewKind.newer') : title);

/** Explanation of the item: its effect on the money and the donors. */
export const meaningOf = ({ kind, meaning }: Pick<ReviewItemDto, 'kind' | 'meaning'>): string =>
  known('reviewMeaning', kind) ?? (meaning === NEUTRAL.meaning ? t('reviewMeaning.newer') : meaning);

/** Recommended action, without the deadline. */
export const adviceOf = (item: Pick<ReviewItemDto, 'kind' | 'advice' | 'detail' | 'particulars'>): string =>
  known('reviewAdvice', `${item.kind}${caseOf(item)}`)?.replace('{right}', String(item.detail['right'])) ??
  (item.advice === NEUTRAL.advice ? t('reviewAdvice.newer') : item.advice);

/** Returns the suffix of the text key. Only some kinds of review items have different advice for different states. */
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
