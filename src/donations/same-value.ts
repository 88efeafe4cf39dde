/** Whether two column values are the same; dates and binary values by their content. */
export function sameValue(one: unknown, other: unknown): boolean {
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  if (Buffer.isBuffer(one) && Buffer.isBuffer(other)) return one.equals(other);
  return one === other;
}
