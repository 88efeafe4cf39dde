import { money, t, time } from '../../desk/texts.js';

interface Point {
  readonly minute: string;
  readonly count: number;
  readonly amount: number;
}

const WIDTH = 240;
const HEIGHT = 56;

/** Chart of the last hour with one bar per minute, and a text for screen readers. */
export function Sparkline({ points, currency }: { points: readonly Point[]; currency: string }) {
  const most = Math.max(1, ...points.map(({ amount }) => amount));
  const step = WIDTH / Math.max(points.length, 1);
  const best = points.reduce<Point | undefined>(
    (top, point) => (point.amount > (top?.amount ?? 0) ? point : top),
    undefined,
  );
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={
        best
          ? t('tonight.best', { time: time(best.minute), amount: money(best.amount, currency) })
          : t('tonight.quiet')
      }
    >
      {points.map(({ minute, amount }, index) => {
        const high = amount === 0 ? 1.5 : Math.max(3, (amount / most) * HEIGHT);
        return (
          <rect
            key={minute}
            class={amount === 0 ? 'spark__none' : 'spark__bar'}
            x={index * step + step * 0.15}
            y={HEIGHT - high}
            width={step * 0.7}
            height={high}
            rx={1}
          />
        );
      })}
    </svg>
  );
}
