import type { EventDetailDto } from '../../../../src/events/dto/event.dto.js';
import type { TonightDto } from '../../../../src/reporting/evening/dto/tonight.dto.js';
import { money, percent, t, tn } from '../../../desk/texts.js';
import type { Live } from '../../live.js';
import type { DeskEvent } from '../events.js';
import { ExplainButton } from '../explain.js';
import { Sparkline } from '../sparkline.js';

interface TotalProps {
  readonly event: DeskEvent;
  readonly totals: Pick<EventDetailDto, 'totalRaised' | 'donorCount' | 'totals'> | undefined;
  readonly live: Live;
  readonly facts: TonightDto | undefined;
}

/** The live total with its goal, and the last hour. */
export function Total({ event, totals, live, facts }: TotalProps) {
  const { currency, goalAmount } = event;
  const part = goalAmount > 0 && totals ? totals.totalRaised / goalAmount : undefined;
  const inPercent = goalAmount > 0 && totals ? percent(totals.totalRaised, goalAmount) : '';
  return (
    <section class="panel total" aria-label={t('tonight.total')} data-stale={live.connection === 'lost'}>
      <div class="total__figures">
        <p class="total__label">{t('tonight.raised')}</p>
        <p class="total__amount number" data-testid="total">
          {totals ? money(totals.totalRaised, currency, { short: true }) : '…'}
        </p>
        {part !== undefined && (
          <>
            <progress
              class="meter"
              max={1}
              value={Math.min(1, part)}
              aria-label={t('tonight.ofGoalLabel', { percent: inPercent })}
            />
            <p class="total__goal">
              <span>
                {t('tonight.ofGoal', {
                  percent: inPercent,
                  goal: money(goalAmount, currency, { short: true }),
                })}
              </span>
              <span>
                {totals && totals.totalRaised < goalAmount
                  ? t('tonight.left', {
                      amount: money(goalAmount - totals.totalRaised, currency, { short: true }),
                    })
                  : t('tonight.reached')}
              </span>
            </p>
          </>
        )}
        <p class="total__line">
          {totals && <span>{tn('donor.count', totals.donorCount)}</span>}
          {totals?.totals
            .filter((other) => other.currency !== currency)
            .map((other) => (
              <span key={other.currency}>+ {money(other.totalRaised, other.currency)}</span>
            ))}
          <ExplainButton eventId={event.id} currency={currency} name={event.name} />
        </p>
      </div>
      {facts && facts.perMinute.length > 0 && (
        <figure class="total__hour">
          <figcaption>
            {t('tonight.lastHour')}{' '}
            <strong class="number">{money(sumOf(facts.perMinute), currency, { short: true })}</strong>
          </figcaption>
          <Sparkline points={facts.perMinute} currency={currency} />
        </figure>
      )}
    </section>
  );
}

const sumOf = (points: TonightDto['perMinute']): number =>
  points.reduce((sum, { amount }) => sum + amount, 0);
