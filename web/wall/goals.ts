/**
 * The goals of an event in minor units, lowest first: its own goal, and the next goal if it is higher.
 * Empty if the event has no goal.
 */
export function goalsOf(goalAmount: number, nextGoal = 0): readonly number[] {
  if (goalAmount <= 0) return [];
  return nextGoal > goalAmount ? [goalAmount, nextGoal] : [goalAmount];
}

/** Returns the highest goal that a change of the total reaches; undefined if it reaches none. */
export const goalReached = (goals: readonly number[], before: number, after: number): number | undefined =>
  goals.filter((goal) => before < goal && goal <= after).pop();

/** Returns the goal to work towards: the first one above the total, or the last one. Undefined without a goal. */
export const currentGoal = (goals: readonly number[], total: number): number | undefined =>
  goals.find((goal) => goal > total) ?? goals[goals.length - 1];
