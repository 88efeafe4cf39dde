/** A configuration rule: its variable, and whether a violation stops the start. */
export interface Rule<Values> {
  readonly variable: string;
  /** `refused`: the service does not start. `warned`: it starts and logs a warning. */
  readonly verdict: 'refused' | 'warned';
  /** True for a rule that applies only in production. */
  readonly inProduction?: true;
  when(values: Partial<Values>): boolean;
  /** End of the message. The message begins with the name of the variable and never contains the value. */
  readonly says: string;
}

export interface Judgement {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Returns all violated rules at once.
 * @param wrong variables that could not be parsed; their rules are skipped
 */
export function judge<Values>(
  rules: readonly Rule<Values>[],
  values: Partial<Values>,
  production: boolean,
  wrong: ReadonlySet<string>,
): Judgement {
  const broken = rules.filter(
    (rule) => (production || !rule.inProduction) && !wrong.has(rule.variable) && rule.when(values),
  );
  const lines = (verdict: Rule<Values>['verdict']) =>
    broken.filter((rule) => rule.verdict === verdict).map(({ variable, says }) => `${variable} ${says}`);
  return { problems: lines('refused'), warnings: lines('warned') };
}

export const isLoopback = ({ hostname }: Pick<URL, 'hostname'>): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');

/** True if an address is unencrypted and not on this machine. */
export const isPlain = (text: string | undefined): boolean => {
  if (text === undefined) return false;
  const url = new URL(text);
  return url.protocol === 'http:' && !isLoopback(url);
};
