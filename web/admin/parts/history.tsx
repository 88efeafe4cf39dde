import type { HistoryEntryDto } from '../../../src/donations/dto/history.dto.js';
import { Failed, Skeleton, type Tone } from '../../desk/states.js';
import { dateTime, t } from '../../desk/texts.js';
import { isMissingRoute } from '../api/errors.js';
import type { Names } from '../api/query.js';
import { can } from '../me.js';
import { STATUS_TONE } from './donations.js';
import { stepText } from './history-words.js';
import { whoOf } from './who.js';

const STEP_TONE: Readonly<Record<string, Tone>> = STATUS_TONE;

/** Every step of a donation, oldest first, with its person and time. */
export function History({
  entries,
  names,
  failed,
}: {
  entries: readonly HistoryEntryDto[] | undefined;
  names: Names | undefined;
  failed: Error | undefined;
}) {
  if (!can('donations:history')) return null;
  return (
    <section aria-labelledby="story">
      <h3 class="section__title" id="story">
        {t('story.title')}
      </h3>
      {!entries && !failed && <Skeleton rows={3} />}
      {!entries && failed && !isMissingRoute(failed) && <Failed error={failed} />}
      <ol class="timeline">
        {(entries ?? []).map((entry, index) => {
          const { what, why } = stepText(entry);
          return (
            <li key={index} class="timeline__step" data-tone={STEP_TONE[entry.to] ?? 'quiet'}>
              <p class="timeline__what">
                {what}
                {why.length > 0 && <span class="timeline__why"> · {why.join(' · ')}</span>}
              </p>
              <p class="timeline__who">
                {whoOf(entry, names)} · <time dateTime={entry.at}>{dateTime(entry.at)}</time>
              </p>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
