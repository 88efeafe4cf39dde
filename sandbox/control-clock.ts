import { DAY_MS } from './clock.js';
import { ControlError, days } from './control-options.js';
import type { Sandbox } from './server.js';

type Action = (target: string, options: Record<string, unknown>) => unknown;

/** The time by which objects are dated. */
export function clockActions({ clock }: Sandbox): Record<string, Action> {
  const now = () => ({ now: new Date(clock.now()).toISOString() });
  return {
    'clock/advance': (_, options) => {
      const { ms, days: wanted } = days({ ms: options.ms, days: options.days });
      clock.advance((ms ?? 0) + (wanted ?? 0) * DAY_MS);
      return now();
    },
    'clock/set': (_, { time }) => {
      const when = new Date(typeof time === 'string' ? time : NaN);
      if (Number.isNaN(when.getTime())) throw new ControlError('time must be an ISO 8601 instant');
      clock.set(when);
      return now();
    },
    'clock/reset': () => {
      clock.reset();
      return now();
    },
  };
}
