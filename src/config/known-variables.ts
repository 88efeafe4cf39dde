/** Variables of scripts and compose files. The server does not read them. */
const ELSEWHERE = [
  'ADMIN_EMAIL',
  'ADMIN_PASSWORD',
  'ADMIN_ROLE',
  'BACKUP_HOURS',
  'BACKUP_KEEP_DAYS',
  'BIND_ADDRESS',
  'COMPOSE_PROFILES',
  'POSTGRES_PASSWORD',
  'PUBLISHED_PORT',
  'REDIS_PASSWORD',
  'SANDBOX_PORT',
];

// Variables that container platforms set for every service. They are never reported.
const PLATFORM = /_(SERVICE_(HOST|PORT)|PORT)(_|$)|_(TCP|UDP)(_|$)/;
const OURS = /^(STRIPE|PAYPAL|IDP|CORS|TRUST|TRUSTED|METRICS|SMTP|MAIL|WEBHOOK)_/;

/** Returns one line for each unknown variable that is probably meant for this service. */
export function unknownVariables(source: NodeJS.ProcessEnv, names: readonly string[]): string[] {
  const known = new Set([...names, ...ELSEWHERE]);
  return Object.keys(source)
    .filter((name) => !known.has(name) && !PLATFORM.test(name))
    .flatMap((name) => {
      const meant = [...known].find((other) => isSlip(name, other));
      if (meant) return [`${name} is not read: did you mean ${meant}?`];
      return OURS.test(name) ? [`${name} is not read: this service has no such variable`] : [];
    });
}

/** True if the names differ only in case or by at most two letters. Short names may differ only in case. */
function isSlip(name: string, meant: string): boolean {
  if (name.toUpperCase() === meant) return true;
  return (
    meant.length >= 8 && Math.abs(name.length - meant.length) <= 2 && distance(name.toUpperCase(), meant) <= 2
  );
}

/** Returns the number of letters to add, remove or change to turn one name into the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let line = 1; line <= one.length; line++) {
    const next = [line];
    for (let column = 1; column <= other.length; column++)
      next.push(
        Math.min(
          (row[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (row[column - 1] ?? 0) + (one[line - 1] === other[column - 1] ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[other.length] ?? 0;
}

/** Returns a warning for each variable in quotes or with spaces around it, which become part of the value. */
export function wrappedVariables(source: NodeJS.ProcessEnv, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const value = source[name];
    if (value === undefined || value.trim() === '') return [];
    if (/^(["']).*\1$/.test(value.trim())) return [`${name} is in quotes, which become part of the value`];
    return value.trim() === value ? [] : [`${name} begins or ends with a space`];
  });
}
