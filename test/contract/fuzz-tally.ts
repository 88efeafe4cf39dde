/** Number of answers of each status. Status 0 means an incomplete request, which gets no answer. */
export const statuses: Record<number, number> = {};

export const tally = (status: number): void => {
  statuses[status] = (statuses[status] ?? 0) + 1;
};
