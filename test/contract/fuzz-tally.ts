/** How many answers there were of each status; 0: none, to what never came to its end. */
export const statuses: Record<number, number> = {};

export const tally = (status: number): void => {
  statuses[status] = (statuses[status] ?? 0) + 1;
};
