/** Time between two reads of figures that arrive without a message. */
export const FACTS_EVERY_MS = 30_000;
