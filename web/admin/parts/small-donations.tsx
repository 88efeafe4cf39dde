import { useState } from 'preact/hooks';
import type { SmallDonationsDto } from '../../../src/gift-aid/dto/small-donations.dto.js';
import { SelectField } from '../../desk/fields.js';
import { LongList } from '../../desk/long-list.js';
import { Failed, NotHere, Skeleton } from '../../desk/states.js';
import { calendarDay, money, t, tn } from '../../desk/texts.js';
import { isMissingRoute } from '../api/errors.js';
import { useQuery } from '../api/query.js';

/** HM Revenue and Customs accepts a claim until two years after the end of the tax year. */
const YEARS = 3;
const pounds = (amount: number): string => money(amount, 'gbp');

/** The year in which the tax year of a day began. It begins on 6 April. */
export function taxYearOf(day: Date): number {
  const [month, date] = [day.getMonth() + 1, day.getDate()];
  return day.getFullYear() - (month < 4 || (month === 4 && date < 6) ? 1 : 0);
}

/** Small donations without a declaration, by tax year (Gift Aid Small Donations Scheme). */
export function SmallDonations() {
  const [year, setYear] = useState(() => taxYearOf(new Date()));
  const { data, error, reload } = useQuery<SmallDonationsDto>(`/gift-aid/gasds?taxYear=${year}`);
  const years = Array.from({ length: YEARS }, (_, index) => taxYearOf(new Date()) - index);
  return (
    <section class="panel stack" aria-labelledby="small-donations">
      <h2 class="panel__title" id="small-donations">
        {t('gasds.title')}
      </h2>
      <p class="field__hint">{t('gasds.text')}</p>
      <SelectField
        label={t('gasds.year')}
        value={String(year)}
        choices={years.map((one) => ({ value: String(one), label: `${one}/${String(one + 1).slice(2)}` }))}
        onValue={(value) => setYear(Number(value))}
      />
      {error && (isMissingRoute(error) ? <NotHere /> : <Failed error={error} retry={reload} />)}
      {!data && !error && <Skeleton rows={3} />}
      {data && <Sums sums={data} />}
    </section>
  );
}

function Sums({ sums }: { sums: SmallDonationsDto }) {
  const { cash, cardTerminal, giftAidDonations, limit, amount, tax, collections } = sums;
  const rows = [
    [t('gasds.cash'), `${tn('donation.count', cash.donations)}, ${pounds(cash.amount)}`],
    [t('gasds.card'), `${tn('donation.count', cardTerminal.donations)}, ${pounds(cardTerminal.amount)}`],
    [t('gasds.giftAid'), pounds(giftAidDonations)],
    [t('gasds.limit'), pounds(limit)],
    [t('gasds.amount'), t('gasds.amountText', { amount: pounds(amount), tax: pounds(tax) })],
  ] as const;
  return (
    <>
      <dl class="facts">
        {rows.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd class="facts__text">{value}</dd>
          </>
        ))}
      </dl>
      <p class="note">{t('gasds.notKnown')}</p>
      {collections.length > 0 && (
        <details>
          <summary>{t('gasds.collections')}</summary>
          <LongList rows={collections} label={t('gasds.collections')}>
            {({ shiftId, date, eventName, cash: received, countedBy }) => (
              <li key={shiftId} class="lines__row">
                <span>
                  {calendarDay(date)} · {eventName}
                  <br />
                  <span class="lines__meta">
                    {countedBy.length === 2
                      ? t('gasds.countedBy', { names: countedBy.join(', ') })
                      : t('gasds.notCounted')}
                  </span>
                </span>
                <strong class="number">{pounds(received)}</strong>
              </li>
            )}
          </LongList>
        </details>
      )}
    </>
  );
}
