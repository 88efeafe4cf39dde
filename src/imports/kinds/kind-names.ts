/** The kinds of lists that can be imported. */
export const KIND_NAMES = ['guests', 'pledges', 'donations'] as const;
export type KindName = (typeof KIND_NAMES)[number];
