import { yearEndAfter } from '../common/text/accounting-year.js';

/**
 * Years for which a charity keeps the record of a claimed donation, counted from the end of the accounting period of the
 * donation. Source: HM Revenue and Customs, “Updated guidance on Gift Aid declaration and new model declarations” (records are
 * kept “for at least six years”) and its chapter 3 on the records of Gift Aid.
 */
export const GIFT_AID_YEARS = 6;

/**
 * Last day on which the declaration of a donation is kept.
 * @param given local day of the last claimed donation, `YYYY-MM-DD`
 * @param yearEnd last day of each accounting year, `MM-DD`
 * @returns `YYYY-MM-DD`
 */
export const keepUntil = (given: string, yearEnd: string): string =>
  yearEndAfter(given, yearEnd, GIFT_AID_YEARS);
