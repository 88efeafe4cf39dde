import type { OpenReviewItemsDto } from '../../../../src/reporting/review/dto/open-review-items.dto.js';
import { Empty, Failed, Skeleton } from '../../../desk/states.js';
import { ago, moment, number, t } from '../../../desk/texts.js';
import { useQuery } from '../../api/query.js';
import { href } from '../../router.js';
import { FIRST_ITEMS, titleOf } from '../review-words.js';
import { FACTS_EVERY_MS } from './facts.js';

/** The review items that wait for a decision. */
export function Needs() {
  const { data, error, reload } = useQuery<OpenReviewItemsDto>(FIRST_ITEMS, { every: FACTS_EVERY_MS });
  const items = data?.data ?? [];
  return (
    <section class="panel panel--waits" aria-labelledby="needs">
      <header class="panel__head">
        <h2 class="panel__title" id="needs">
          {t('tonight.needs')}
        </h2>
        {data && items.length > 0 && (
          <a href={href('review')}>{t('tonight.needsAll', { count: number(data.total) })}</a>
        )}
      </header>
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={2} />}
      {data && !error && items.length === 0 && <Empty icon="check" title={t('review.empty')} />}
      <ul class="lines">
        {items.map((item) => (
          <li key={item.id} class="lines__row">
            <a href={href(`review/${item.id}`)}>{titleOf(item)}</a>
            <span class="lines__meta">
              {item.dueBy === null ? ago(item.createdAt) : t('review.due', { time: moment(item.dueBy) })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
