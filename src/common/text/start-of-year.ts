/** Returns the start of a year in a time zone. */
export function startOfYear(year: number, timezone: string): Date {
  const asUtc = Date.UTC(year, 0, 1);
  // The first round subtracts the offset of the time zone from UTC. The second round is needed if the offset changes near the
  // start of the year.
  let moment = asUtc;
  for (let round = 0; round < 2; round++) moment = asUtc - offsetAt(moment, timezone);
  return new Date(moment);
}

function offsetAt(moment: number, timezone: string): number {
  const parts = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(moment);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value ?? 0);
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return shown - moment;
}
