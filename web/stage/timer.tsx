import { useEffect, useState } from 'preact/hooks';
import type { Formats } from '../wall/formats.js';
import { kept, keep } from './kept.js';

const MINUTES = [5, 10, 15] as const;
const MINUTE_MS = 60_000;
const KEY = 'stage.timerEnds';

/** Minutes and seconds, such as `4:05`; negative after the end. */
function clock(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  const all = Math.abs(seconds);
  return `${seconds < 0 ? '−' : ''}${String(Math.floor(all / 60))}:${String(all % 60).padStart(2, '0')}`;
}

/** The time of day, and a timer that counts down and continues below zero. A reload keeps it. */
export function Timer({ formats, locale }: { readonly formats: Formats; readonly locale: string }) {
  const [now, setNow] = useState(Date.now());
  const [ends, setEnds] = useState(() => {
    const stored = Number(kept(KEY));
    return stored > 0 ? stored : undefined;
  });
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now());
    }, 250);
    return () => {
      clearInterval(timer);
    };
  }, []);
  const start = (end: number | undefined) => {
    setEnds(end);
    keep(KEY, end === undefined ? '' : String(end));
  };
  const left = ends === undefined ? undefined : ends - now;
  return (
    <div class="timer">
      <p class="timer__clock">
        {new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(new Date(now))}
      </p>
      {left === undefined ? (
        MINUTES.map((minutes) => (
          <button
            key={minutes}
            type="button"
            class="chip"
            onClick={() => {
              start(Date.now() + minutes * MINUTE_MS);
            }}
          >
            {formats.fill('timer.start', { minutes: formats.number(minutes) })}
          </button>
        ))
      ) : (
        <>
          <p
            class={`timer__left ${left < 0 ? 'timer__left--over' : left < MINUTE_MS ? 'timer__left--soon' : ''}`}
            role="timer"
            aria-label={formats.text('timer.left')}
          >
            {clock(left)}
          </p>
          <button
            type="button"
            class="chip"
            onClick={() => {
              start(undefined);
            }}
          >
            {formats.text('timer.stop')}
          </button>
        </>
      )}
    </div>
  );
}
