import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { number, t } from './texts.js';

export interface Column<Row> {
  readonly key: string;
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly end?: boolean;
  /** Width of the column in the units of a CSS grid: `2fr`, `8rem`. */
  readonly width?: string;
  /** Position of the cell on a phone, where a row is a card of two lines. Without a position, the cell is hidden there. */
  readonly phone?: 'title' | 'amount' | 'note' | 'state';
  /** Shown only on wide screens. */
  readonly wide?: boolean;
  readonly sort?: { readonly direction: 'ascending' | 'descending' | 'none'; readonly onSort: () => void };
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Number of all rows, including rows that are not loaded yet; undefined if unknown. */
  readonly total?: number | undefined;
  readonly more?: (() => void) | undefined;
  readonly loadingMore?: boolean;
  readonly isCurrent?: (row: Row) => boolean;
  readonly onOpen?: (row: Row) => void;
}

const DESK_ROW = 45;
const PHONE_ROW = 69;
const SPARE = 12;
const PHONE = '(max-width: 46rem)';

/**
 * A list of any length. Only the visible rows and some around them are in the document. The table loads the next page
 * before the reader reaches the end. Because all rows have the same height, the scroll bar is correct.
 */
export function DataTable<Row>(props: TableProps<Row>) {
  const { label, columns, rows, keyOf, total, more, loadingMore = false, isCurrent, onOpen } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const [height, setHeight] = useState(() => (matchMedia(PHONE).matches ? PHONE_ROW : DESK_ROW));
  const [[first, last], setRange] = useState<readonly [number, number]>([0, 60]);

  useLayoutEffect(() => {
    const media = matchMedia(PHONE);
    let frame = 0;
    const measure = () => {
      frame = 0;
      const high = media.matches ? PHONE_ROW : DESK_ROW;
      setHeight(high);
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const from = Math.max(0, Math.floor(-top / high) - SPARE);
      const to = Math.ceil((innerHeight - top) / high) + SPARE;
      setRange((before) => (before[0] === from && before[1] === to ? before : [from, to]));
    };
    const soon = () => {
      if (!frame) frame = requestAnimationFrame(measure);
    };
    measure();
    addEventListener('scroll', soon, { passive: true });
    addEventListener('resize', soon);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', soon);
      removeEventListener('resize', soon);
    };
  }, []);

  const reached = last >= rows.length - SPARE;
  useEffect(() => {
    if (reached && more && !loadingMore) more();
  }, [reached, more, loadingMore, rows.length]);

  const from = Math.min(first, Math.max(0, rows.length - 1));
  const shown = rows.slice(from, last);
  const before = from * height;
  const after = Math.max(0, rows.length - from - shown.length) * height;
  const known = total ?? (more ? -1 : rows.length);
  return (
    <div class="table__frame">
      <table
        class="table"
        role="table"
        aria-label={label}
        aria-rowcount={known < 0 ? -1 : known + 1}
        style={{ '--columns': columns.map(({ width = '1fr' }) => `minmax(0, ${width})`).join(' ') }}
      >
        <thead role="rowgroup">
          <tr role="row" class="table__row table__row--head" aria-rowindex={1}>
            {columns.map(({ key, head, end, wide, sort }) => (
              <th
                key={key}
                role="columnheader"
                scope="col"
                class={cellClass({ end, wide })}
                aria-sort={sort?.direction}
              >
                {sort ? (
                  <button type="button" class="table__sort" onClick={sort.onSort}>
                    {head}
                    <span aria-hidden="true">
                      {sort.direction === 'ascending' ? ' ↑' : sort.direction === 'descending' ? ' ↓' : ''}
                    </span>
                  </button>
                ) : (
                  head
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" ref={body}>
          {before > 0 && <Gap height={before} />}
          {shown.map((row, index) => (
            <tr
              key={keyOf(row)}
              role="row"
              aria-rowindex={from + index + 2}
              aria-current={isCurrent?.(row) ? 'true' : undefined}
              class={onOpen ? 'table__row table__row--open' : 'table__row'}
              onClick={(event) => {
                // A click on a control, or at the end of a text selection, must not open the row.
                if (!onOpen || (event.target as Element).closest('a, button, input, select, label')) return;
                if (getSelection()?.toString()) return;
                onOpen(row);
              }}
            >
              {columns.map((column) => (
                <td key={column.key} role="cell" class={cellClass(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
          {after > 0 && <Gap height={after} />}
        </tbody>
      </table>
      <p class="table__end" role="status">
        {loadingMore
          ? t('state.loading')
          : total !== undefined && rows.length < total
            ? t('table.part', { shown: number(rows.length), total: number(total) })
            : ''}
      </p>
    </div>
  );
}

const Gap = ({ height }: { height: number }) => (
  <tr aria-hidden="true" class="table__gap">
    <td style={{ height: `${height}px` }} />
  </tr>
);

const cellClass = ({ end, wide, phone }: { end?: boolean; wide?: boolean; phone?: string }): string =>
  ['table__cell', end && 'table__cell--end', wide && 'table__cell--wide', phone && `table__cell--${phone}`]
    .filter(Boolean)
    .join(' ');
