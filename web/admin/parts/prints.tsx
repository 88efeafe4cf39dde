import { useState } from 'preact/hooks';
import { MOST_CARDS, PRINT_LANGUAGES, type PrintLanguage } from '../../../src/prints/print-limits.js';
import { SelectField, TextField } from '../../desk/fields.js';
import { Icon } from '../../desk/icons.js';
import { t } from '../../desk/texts.js';
import { queryOf } from '../api/client.js';
import { LANGUAGES, spokenLanguage } from '../languages.js';
import { download } from './downloads.js';

/** Posters and table cards with the code of the donate page, as PDF. */
export function Prints({ slug }: { slug: string }) {
  const [language, setLanguage] = useState<PrintLanguage>(
    () => PRINT_LANGUAGES.find((one) => one === spokenLanguage()) ?? 'en',
  );
  const [from, setFrom] = useState('1');
  const [to, setTo] = useState('10');
  const [names, setNames] = useState('');
  const count = Number(to) - Number(from) + 1;
  const isPossible = names.trim() !== '' || (count >= 1 && count <= MOST_CARDS && Number(from) >= 1);
  const path = `/events/${slug}`;
  const poster = (paper: 'a4' | 'a3') =>
    void download(`${path}/poster${queryOf({ paper, language })}`, `poster-${paper}.pdf`);
  const cards = () => {
    const tables = names.trim() === '' ? { from, to } : { names: names.replaceAll('\n', ',') };
    void download(`${path}/table-cards${queryOf({ ...tables, language })}`, 'table-cards.pdf');
  };
  return (
    <section class="panel" aria-labelledby="prints">
      <h2 class="panel__title" id="prints">
        {t('print.title')}
      </h2>
      <div class="stack">
        <p class="field__hint">{t('print.hint')}</p>
        <SelectField
          label={t('print.language')}
          value={language}
          choices={PRINT_LANGUAGES.map((value) => ({ value, label: LANGUAGES[value] ?? 'العربية' }))}
          onValue={setLanguage}
        />
        <p class="page__actions">
          <button type="button" class="button button--quiet" onClick={() => poster('a4')}>
            <Icon name="download" size={16} /> {t('print.poster', { paper: 'A4' })}
          </button>
          <button type="button" class="button button--quiet" onClick={() => poster('a3')}>
            <Icon name="download" size={16} /> {t('print.poster', { paper: 'A3' })}
          </button>
        </p>
        <div class="pair">
          <TextField label={t('print.from')} type="number" min={1} value={from} onValue={setFrom} />
          <TextField label={t('print.to')} type="number" min={1} value={to} onValue={setTo} />
        </div>
        <TextField
          label={t('print.names')}
          hint={t('print.namesHint')}
          rows={2}
          maxLength={8_000}
          value={names}
          onValue={setNames}
          optional
        />
        {!isPossible && <p class="field__error">{t('print.range', { count: MOST_CARDS })}</p>}
        <p class="page__actions">
          <button type="button" class="button button--quiet" disabled={!isPossible} onClick={cards}>
            <Icon name="download" size={16} /> {t('print.cards')}
          </button>
        </p>
      </div>
    </section>
  );
}
