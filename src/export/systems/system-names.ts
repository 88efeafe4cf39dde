/** Systems of other makers for which the server writes files of donations. */
export const SYSTEMS = ['npsp', 'civicrm', 'raisersedge'] as const;

export type System = (typeof SYSTEMS)[number];
