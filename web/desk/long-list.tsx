import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { number, t } from './texts.js';

interface LongListProps<Row> {
  readonly rows: readonly Row[];
  readonly children: (row: Row) => ComponentChildren;
  /**
   * Maximum number of rows that the server lists. If the list has this many rows, the server may have left
   * out further rows.
   */
  readonly most?: number;
  readonly label?: string;
}

/** Number of rows that each step draws. */
const STEP = 100;

/** A list of any length: draws the first rows, and more on request. Shows a note if the server may have left rows out. */
export function LongList<Row>({ rows, children, most, label }: LongListProps<Row>) {
  const [shown, setShown] = useState(STEP);
  const left = rows.length - shown;
  return (
    <>
      <ul class="lines" aria-label={label}>
        {rows.slice(0, shown).map(children)}
      </ul>
      {left > 0 && (
        <p class="panel__links">
          <button type="button" class="button button--quiet" onClick={() => setShown(shown + STEP)}>
            {t('action.showMore', { count: number(left) })}
          </button>
        </p>
      )}
      {most !== undefined && rows.length >= most && (
        <p class="note">{t('list.most', { count: number(most) })}</p>
      )}
    </>
  );
}
