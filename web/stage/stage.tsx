import type { Formats } from '../wall/formats.js';
import { matchedOf, openPool } from '../wall/pools.js';
import { nextLevel, nextStep, type Shown } from './evening.js';
import type { StageModel } from './model.js';
import { Names } from './names.js';
import { Timer } from './timer.js';

interface Props {
  readonly model: StageModel;
  readonly formats: Formats;
  readonly shown: Shown;
}

export function Stage({ model, formats, shown }: Props) {
  if (shown.status === 'ended')
    return (
      <div class="stage stage--ended">
        <h1 class="stage__event">{model.name}</h1>
        <p class="quiet">{formats.text('ended')}</p>
      </div>
    );
  return (
    <div class="stage">
      <header class="stage__head">
        <h1 class="stage__event">{model.name}</h1>
        <Timer formats={formats} locale={model.locale} />
      </header>
      <State formats={formats} shown={shown} />
      <div class="stage__sums">
        <Total model={model} formats={formats} shown={shown} />
        <Next model={model} formats={formats} shown={shown} />
        <Raise model={model} formats={formats} shown={shown} />
        <Pool formats={formats} shown={shown} />
      </div>
      <Names event={model.event} formats={formats} donations={shown.donations} />
    </div>
  );
}

/** States in which the room sees something else than usual, and a lost connection. */
function State({ formats, shown: { connection, status, control } }: Omit<Props, 'model'>) {
  const lines = [
    connection !== 'live' && formats.text('reconnecting'),
    status !== 'active' && formats.text(`status.${status}`),
    control.paused && formats.text('wallPaused'),
    control.notice !== '' && formats.fill('notice', { text: control.notice }),
  ].filter((line) => typeof line === 'string' && line !== '');
  return (
    <div class="states" role="status">
      {lines.map((line) => (
        <p key={line} class="state" dir="auto">
          {line}
        </p>
      ))}
    </div>
  );
}

function Total({ model, formats, shown: { totals, pools } }: Props) {
  if (!totals)
    return (
      <section class="part part--total">
        <p class="total">…</p>
      </section>
    );
  const { currency, totalRaised, donorCount, goalAmount } = totals;
  const matched = matchedOf(pools, currency);
  const money = (amount: number) => formats.money(amount, currency);
  const others = totals.totals.filter((one) => one.currency !== currency && one.totalRaised > 0);
  return (
    <section class="part part--total">
      <p class="total">{money(model.isMatchWith ? totalRaised + matched : totalRaised)}</p>
      <p class="total__facts">
        {goalAmount > 0 && <span>{formats.fill('ofGoal', { goal: money(goalAmount) })}</span>}
        <span>
          {formats.number(donorCount)} {formats.donors(donorCount)}
        </span>
        {matched > 0 && (
          <span>
            {formats.fill(model.isMatchWith ? 'match.with' : 'match.apart', { sum: money(matched) })}
          </span>
        )}
        {others.map((one) => (
          <span key={one.currency}>
            {formats.fill('also', { sum: formats.money(one.totalRaised, one.currency) })}
          </span>
        ))}
      </p>
    </section>
  );
}

function Next({ model, formats, shown }: Props) {
  const next = nextStep(shown, model.isMatchWith);
  if (!next || !shown.totals) return null;
  const money = (amount: number) => formats.money(amount, shown.totals?.currency ?? '');
  const { milestone, missing, amount } = next;
  return (
    <section class="part">
      <h2 class="part__title">{formats.text('step')}</h2>
      <p class="part__main">
        {money(amount)}: <bdi>{milestone?.title ?? formats.text('goal')}</bdi>
      </p>
      {missing === 0 && <p class="part__call">{formats.text('step.announce')}</p>}
      {missing !== undefined && missing > 0 && (
        <p class="part__call">{formats.fill('step.missing', { sum: money(missing) })}</p>
      )}
      {milestone?.text !== undefined && (
        <p class="quiet" dir="auto">
          {milestone.text}
        </p>
      )}
    </section>
  );
}

function Raise({ model, formats, shown: { round } }: Props) {
  const level = nextLevel(model.levels, round);
  const isOpen = round?.status === 'open';
  if (!isOpen && level === undefined) return null;
  return (
    <section class="part">
      <h2 class="part__title">{formats.text('level')}</h2>
      {isOpen && (
        <>
          <p class="part__main">
            {formats.fill('level.now', { amount: formats.money(round.amount, round.currency) })}
            {round.name !== undefined && <bdi class="quiet"> {round.name}</bdi>}
          </p>
          <p class="part__call">
            {formats.fill('level.sum', {
              count: `${formats.number(round.count)} ${formats.plural('raise.pledges', round.count)}`,
              sum: formats.money(round.sum, round.currency),
            })}
          </p>
        </>
      )}
      {level !== undefined && (
        <p class={isOpen ? 'quiet' : 'part__main'}>
          {formats.fill('level.next', { amount: formats.money(level, model.currency) })}
        </p>
      )}
    </section>
  );
}

function Pool({ formats, shown: { pools } }: Omit<Props, 'model'>) {
  const pool = openPool(pools);
  if (!pool) return null;
  return (
    <section class="part">
      <h2 class="part__title">{formats.text('pool')}</h2>
      <p class="part__main">
        {formats.fill('pool.left', {
          left: formats.money(pool.left, pool.currency),
          cap: formats.money(pool.cap, pool.currency),
        })}
      </p>
      <p class="quiet">
        <bdi>{pool.matcher}</bdi>
      </p>
    </section>
  );
}
