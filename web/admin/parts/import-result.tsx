import { Icon } from '../../desk/icons.js';
import { number, t } from '../../desk/texts.js';
import { queryOf } from '../api/client.js';
import { spokenLanguage } from '../languages.js';
import { download } from './downloads.js';

/** Downloads the rows that were not imported. */
export const WrongRows = ({ id }: { id: string }) => (
  <button
    type="button"
    class="button button--quiet"
    onClick={() =>
      void download(`/imports/${id}/wrong-rows${queryOf({ language: spokenLanguage() })}`, 'wrong-rows.csv')
    }
  >
    <Icon name="download" size={16} /> {t('import.wrongRows')}
  </button>
);

type Counts = Readonly<Record<'created' | 'changed' | 'same' | 'wrong', number>>;

/** The number of rows of each outcome. */
export const ImportCounts = ({ counts }: { counts: Counts }) => (
  <dl class="counts">
    {(['created', 'changed', 'same', 'wrong'] as const).map((outcome) => (
      <div key={outcome} class={outcome === 'wrong' && counts.wrong > 0 ? 'counts__bad' : undefined}>
        <dt>{t(`import.outcome.${outcome}`)}</dt>
        <dd class="number">{number(counts[outcome])}</dd>
      </div>
    ))}
  </dl>
);
