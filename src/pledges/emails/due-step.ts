import { daysBetween } from './quiet-hours.js';

/** A reminder of the schedule: its day after the pledge, and its name in `pledge_contact`. */
export interface Step {
  readonly name: string;
  readonly day: number;
}

/** An open pledge of one donor, with the names of the steps that the donor had for it. */
export interface PledgeOfDonor {
  readonly id: string;
  readonly pledgedAt: Date;
  readonly steps: readonly string[];
}

/** One e-mail to a donor. The first covered pledge is the one that was due. */
export interface DueEmail {
  readonly kind: 'pledge_reminder' | 'pledge_last';
  readonly step: string;
  readonly covered: readonly { readonly pledgeId: string; readonly step: string }[];
}

/** The last e-mail follows the last reminder after this number of days. */
export const LAST_AFTER_DAYS = 14;
/** A server that was off sends a missed step until this number of days after its day, and never later. */
const LATE_DAYS = 3;
/** A pledge that is due within this number of days joins the e-mail about another pledge: evenings do not end at midnight. */
const JOIN_DAYS = 2;
const LAST = 'last';

/** Returns the steps in the order of their days. */
export function stepsOf(reminderDays: readonly number[]): Step[] {
  const days = [...reminderDays].sort((one, other) => one - other);
  const final = days.at(-1);
  if (final === undefined) return [];
  return [...days.map((day) => ({ name: `day-${day}`, day })), { name: LAST, day: final + LAST_AFTER_DAYS }];
}

/**
 * Returns the e-mail about the open pledges of a donor that is due now. If several steps are due, only the newest one is sent.
 * @param pledges all open pledges of the donor at one event, oldest first
 */
export function dueEmail(
  pledges: readonly PledgeOfDonor[],
  steps: readonly Step[],
  now: Date,
  timezone: string,
): DueEmail | undefined {
  const aged = pledges.map((pledge) => ({
    ...pledge,
    age: daysBetween(pledge.pledgedAt, now, timezone),
    done: Math.max(0, ...pledge.steps.map(dayOf)),
  }));
  const due = aged.flatMap((pledge) => {
    const step = steps.findLast(({ day }) => day <= pledge.age);
    const isDue = step && pledge.age <= step.day + LATE_DAYS && pledge.done < step.day;
    return isDue ? [{ pledge, step }] : [];
  });
  const first = due.toSorted((one, other) => other.step.day - one.step.day)[0];
  if (!first) return undefined;
  const covered = new Map([[`${first.pledge.id} ${first.step.name}`, at(first.pledge, first.step)]]);
  for (const { pledge, step } of due) covered.set(`${pledge.id} ${step.name}`, at(pledge, step));
  for (const pledge of aged)
    if (pledge.age + JOIN_DAYS >= first.step.day && pledge.done < first.step.day)
      covered.set(`${pledge.id} ${first.step.name}`, at(pledge, first.step));
  const all = [...covered.values()];
  const isLast = aged.every(({ id }) => all.some((one) => one.pledgeId === id && one.step === LAST));
  return { kind: isLast ? 'pledge_last' : 'pledge_reminder', step: first.step.name, covered: all };
}

const at = ({ id }: PledgeOfDonor, { name }: Step) => ({ pledgeId: id, step: name });

/** The day of a step that was sent. Nothing follows the last e-mail. */
function dayOf(step: string): number {
  if (step === LAST) return Infinity;
  return step.startsWith('day-') ? Number(step.slice('day-'.length)) : 0;
}
