import type { ShiftCashDto } from '../../../src/reporting/summary/summary.dto.js';
import { dateTime, money, t } from '../../desk/texts.js';
import { href } from '../router.js';
import type { DeskEvent } from './events.js';
import { signed } from './ledger.js';

/** The cash of each shift: expected, counted, and the difference. A drawer that is not counted has no difference. */
export function CashByShift({ event, shifts }: { event: DeskEvent; shifts: readonly ShiftCashDto[] }) {
  if (shifts.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="cash">
      <header class="panel__head">
        <h2 class="panel__title" id="cash">
          {t('cash.title')}
        </h2>
        <a href={href('terminals', { event: event.slug })}>{t('shift.title')}</a>
      </header>
      <table class="sum sum--cash">
        <thead>
          <tr>
            <th scope="col">{t('cash.shift')}</th>
            <th scope="col">{t('cash.expected')}</th>
            <th scope="col">{t('cash.counted')}</th>
            <th scope="col">{t('cash.difference')}</th>
          </tr>
        </thead>
        <tbody>
          {shifts.map(({ shiftId, staffName, terminalName, openedAt, currency, ...cash }) => (
            <tr key={shiftId} data-shift={shiftId}>
              <th scope="row">
                {staffName}
                <span class="cell__sub">
                  {' '}
                  · {[terminalName, dateTime(openedAt)].filter(Boolean).join(' · ')}
                </span>
              </th>
              {cash.counted === null || cash.expected === null || cash.difference === null ? (
                <td colSpan={3}>{t('cash.notCounted')}</td>
              ) : (
                <>
                  <td class="number">{money(cash.expected, currency)}</td>
                  <td class="number">{money(cash.counted, currency)}</td>
                  <td class={cash.difference === 0 ? 'number' : 'number field__error'}>
                    {signed(cash.difference, currency)}
                  </td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
