/** Languages of posters, table cards and paper lists. */
export const PRINT_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'ar'] as const;
export type PrintLanguage = (typeof PRINT_LANGUAGES)[number];

/** Maximum number of table cards in one file. */
export const MOST_CARDS = 200;

/** Codes of teams on A4 pages: one large code, two tent cards with a code on each side, or eight small cards. */
export const TEAM_LAYOUTS = ['sheet', 'tent', 'cards'] as const;
export type TeamLayout = (typeof TEAM_LAYOUTS)[number];
