import { useEffect, useRef, useState } from 'preact/hooks';
import { DELIMITERS, ENCODINGS } from '../../../src/documents/table-file/csv-form.js';
import { GUEST_FIELDS } from '../../../src/guests/import/guest-fields.js';
import {
  DATE_ORDERS,
  DECIMALS,
  PAST_FIELDS,
  PLEDGE_FIELDS,
} from '../../../src/imports/donations/donation-fields.js';
import type { CheckedImport, ImportDto } from '../../../src/imports/dto/import.dto.js';
import { SelectField } from '../../desk/fields.js';
import { LongList } from '../../desk/long-list.js';
import { Problem, reasonOf, useSending } from '../../desk/sending.js';
import { number, t, tn, word } from '../../desk/texts.js';
import { api } from '../api/client.js';
import { fieldProblem } from '../api/refusals.js';
import { ImportCounts, WrongRows } from './import-result.js';

type Changes = Partial<Pick<ImportDto, 'encoding' | 'delimiter'>> & {
  columns?: (string | null)[];
  decimal?: string;
  dateOrder?: string;
};

/** The fields of each kind of list, and the prefix of their texts. */
const KINDS = {
  guests: { fields: GUEST_FIELDS, texts: 'guest' },
  pledges: { fields: PLEDGE_FIELDS, texts: 'donation' },
  donations: { fields: PAST_FIELDS, texts: 'donation' },
} as const;
const fieldName = (kind: ImportDto['kind'], field: string) => word(`${KINDS[kind].texts}.field`, field);

/** True if the columns of the list have all necessary fields. */
function isComplete(kind: ImportDto['kind'], chosen: readonly (string | null)[]): boolean {
  if (kind === 'guests') return chosen.some((field) => field !== null && NAMES.has(field));
  return chosen.includes('amount') && (kind === 'pledges' || chosen.includes('date'));
}

const MOST_PROBLEMS = 200;
const NAMES = new Set<string>(['name', 'firstName', 'lastName']);

interface ColumnsProps {
  readonly uploaded: ImportDto;
  readonly onStarted: () => void;
  readonly onDiscarded: () => void;
}

/** Chooses the field of each column. After each change, shows the expected result of the import. */
export function ImportColumns({ uploaded, onStarted, onDiscarded }: ColumnsProps) {
  const [file, setFile] = useState(uploaded);
  const [chosen, setChosen] = useState(() => uploaded.columns.map(({ field }) => field));
  const [checked, setChecked] = useState<CheckedImport>();
  const [problem, setProblem] = useState<string>();
  const latest = useRef(0);
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const starting = useSending();

  const check = (changes: Changes) => {
    const round = ++latest.current;
    setChecked(undefined);
    setProblem(undefined);
    // The server stores each change, so the changes must arrive in their order.
    const answered = last.current.then(() =>
      api<CheckedImport>(`/imports/${file.id}/check`, { method: 'POST', body: changes }),
    );
    last.current = answered.catch(() => undefined);
    answered.then(
      (answer) => {
        if (round !== latest.current) return;
        setFile(answer.import);
        setChosen(answer.import.columns.map(({ field }) => field));
        setChecked(answer);
      },
      (error: unknown) => {
        if (round === latest.current) setProblem(reasonOf(error));
      },
    );
  };
  useEffect(() => check({}), []);

  const choose = (index: number, field: string | null) => {
    // A field belongs to one column. If the person chooses it for another column, the first column loses it.
    const fields = chosen.map((one, other) => (other === index ? field : one === field ? null : one));
    setChosen(fields);
    check({ columns: fields });
  };
  const imported = checked ? checked.created + checked.changed : 0;
  const { kind } = uploaded;
  const isUnclear = checked?.formats?.decimal === null || checked?.formats?.dateOrder === null;
  const isReady = isComplete(kind, chosen) && !isUnclear;
  return (
    <>
      <section class="panel" aria-labelledby="import-columns">
        <header class="panel__head">
          <h2 class="panel__title" id="import-columns">
            {t('import.columns')}
          </h2>
          <span class="panel__count">
            {file.fileName} · {tn('import.rows', file.rows)}
          </span>
        </header>
        {file.delimiter !== null && (
          <div class="pair">
            <SelectField
              label={t('import.encoding')}
              value={file.encoding ?? 'utf-8'}
              choices={ENCODINGS.map((value) => ({ value, label: t(`import.encoding.${value}`) }))}
              onValue={(encoding) => check({ encoding })}
            />
            <SelectField
              label={t('import.delimiter')}
              value={file.delimiter}
              choices={DELIMITERS.map((value) => ({ value, label: delimiterName(value) }))}
              onValue={(delimiter) => check({ delimiter })}
            />
          </div>
        )}
        {checked?.formats && (
          <div class="pair">
            <SelectField
              label={t('import.decimal')}
              value={checked.formats.decimal ?? ''}
              choices={[
                ...(checked.formats.decimal === null ? [{ value: '', label: t('import.chooseFormat') }] : []),
                ...DECIMALS.map((value) => ({ value, label: value === '.' ? '1,234.56' : '1.234,56' })),
              ]}
              onValue={(decimal) => decimal && check({ decimal })}
            />
            {kind === 'donations' && (
              <SelectField
                label={t('import.dateOrder')}
                value={checked.formats.dateOrder ?? ''}
                choices={[
                  ...(checked.formats.dateOrder === null
                    ? [{ value: '', label: t('import.chooseFormat') }]
                    : []),
                  ...DATE_ORDERS.map((value) => ({ value, label: t(`import.dateOrder.${value}`) })),
                ]}
                onValue={(dateOrder) => dateOrder && check({ dateOrder })}
              />
            )}
          </div>
        )}
        <ul class="lines">
          {file.columns.map(({ heading, examples }, index) => (
            <li key={index} class="lines__row import__column">
              <span>
                <strong>{heading || t('import.noHeading')}</strong>
                <br />
                <span class="lines__meta">{examples.join(' · ') || '–'}</span>
              </span>
              <label>
                <span class="visually-hidden">{t('import.fieldOf', { heading })}</span>
                <select
                  class="input select"
                  value={chosen[index] ?? ''}
                  onChange={({ currentTarget }) => choose(index, currentTarget.value || null)}
                >
                  <option value="">{t('import.ignore')}</option>
                  {KINDS[kind].fields.map((one) => (
                    <option key={one} value={one} selected={one === chosen[index]}>
                      {fieldName(kind, one)}
                    </option>
                  ))}
                </select>
              </label>
            </li>
          ))}
        </ul>
      </section>
      <section class="panel" aria-labelledby="import-check" aria-live="polite">
        <h2 class="panel__title" id="import-check">
          {t('import.check')}
        </h2>
        {!checked && !problem && <p class="lines__meta">{t('import.checking')}</p>}
        <Problem text={problem ?? starting.problem} />
        {checked && !isComplete(kind, chosen) && <p>{t(`import.incomplete.${kind}`)}</p>}
        {isUnclear && <p>{t('problem.FORMAT_UNCLEAR')}</p>}
        {checked && isReady && <ImportCounts counts={checked} />}
        {checked && isReady && checked.problems.length > 0 && <Problems checked={checked} />}
        <p class="page__actions">
          <button
            type="button"
            class="button"
            disabled={!checked || !isReady || imported === 0 || starting.busy}
            onClick={() =>
              void starting.send(async () => {
                await api(`/imports/${file.id}/run`, { method: 'POST' });
                onStarted();
              })
            }
          >
            {starting.busy ? t('state.working') : tn(`import.start.${kind}`, imported)}
          </button>
          {checked && isReady && checked.wrong > 0 && <WrongRows id={file.id} />}
          <button
            type="button"
            class="button button--quiet"
            disabled={starting.busy}
            onClick={() =>
              void starting.send(async () => {
                await api(`/imports/${file.id}`, { method: 'DELETE' });
                onDiscarded();
              })
            }
          >
            {t('import.discard')}
          </button>
        </p>
        {checked && isReady && checked.wrong > 0 && <p class="field__hint">{t('import.wrongHint')}</p>}
      </section>
    </>
  );
}

const DELIMITER_NAMES = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' } as const;
const delimiterName = (delimiter: (typeof DELIMITERS)[number]): string =>
  t(`import.delimiter.${DELIMITER_NAMES[delimiter]}`);

/** Names the wrong cells with row, column and reason. */
function Problems({ checked }: { checked: CheckedImport }) {
  const headingOf = (field: string) =>
    checked.import.columns.find((column) => column.field === field)?.heading;
  return (
    <LongList rows={checked.problems} most={MOST_PROBLEMS}>
      {({ row, field, rule, limit }) => (
        <li key={`${row}.${field}`} class="lines__row">
          <span>
            <strong>{t('import.row', { row: number(row) })}</strong>{' '}
            {headingOf(field) ?? fieldName(checked.import.kind, field)}
          </span>
          <span class="lines__meta">
            {fieldProblem({
              field: `${KINDS[checked.import.kind].texts}.${field}`,
              rule,
              ...(limit === undefined ? {} : { limit }),
            })}
          </span>
        </li>
      )}
    </LongList>
  );
}
