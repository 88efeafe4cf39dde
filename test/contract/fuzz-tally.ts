/** Number of answers of each status. 0 counts incomplete requests, which get no answer. */
export const statuses: Record<number, number> = {};

export const tally = (status: number): void => {
  statuses[status] = (statuses[status] ?? 0) + 1;
};
