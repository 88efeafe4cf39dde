/**
 * Returns a part of a whole in whole percent, rounded down: 100 means that the whole is reached. All pages
 * and API answers use this function, so they show the same figure for the same total.
 * @param part an integer, such as an amount in minor units
 * @param whole an integer greater than 0
 */
export const percentOf = (part: number | bigint, whole: number | bigint): number =>
  // Integers: in floating-point numbers, 29 of 100 would be 28.999… and become 28.
  Number((BigInt(part) * 100n) / BigInt(whole));
