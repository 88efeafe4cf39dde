interface MethodRow {
  readonly type: string | null;
  readonly method: string | null;
  readonly wallet: string | null;
}

/**
 * Returns the rows of one kind of donations by method; an empty list if no method is known. Otherwise, the
 * row with null contains the donations whose method is not known. So the rows add up to the sum of the kind.
 */
export function methodsOf<Row extends MethodRow>(rows: readonly Row[], type: string): Row[] {
  const own = rows.filter((row) => row.type === type);
  return own.some(({ method }) => method !== null) ? own : [];
}
