const DAY_MS = 86_400_000;

/**
 * Returns the start of a day in a time zone.
 * @param day `YYYY-MM-DD`
 * @param later days to add
 */
export function startOfDay(day: string, timezone: string, later = 0): Date {
  const asUtc = Date.parse(`${day}T00:00:00Z`) + later * DAY_MS;
  // The first round subtracts the offset of the time zone from UTC. The second round is needed if the offset changes near the
  // start of the day.
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
