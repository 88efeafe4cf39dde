/** Languages of posters, table cards and paper lists. */
export const PRINT_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'ar'] as const;
export type PrintLanguage = (typeof PRINT_LANGUAGES)[number];

/** Maximum number of table cards in one file. */
export const MOST_CARDS = 200;
