/** The countries with an annual document for the tax office. The dashboard loads this file too. */
export const ANNUAL_PACKS: readonly string[] = ['ch', 'nl'];
