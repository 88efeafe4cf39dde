import type { ReviewItemDto } from '../../../src/review/dto/review-item.dto.js';
import { known } from '../../desk/texts.js';

/** What happened, in the reader's language where the desk has words for the kind; else in the service's. */
export const titleOf = ({ kind, title }: Pick<ReviewItemDto, 'kind' | 'title'>): string =>
  known('reviewKind', kind) ?? title;
