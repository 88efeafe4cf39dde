import * as z from 'zod';

/**
 * Types of environment variables. An empty variable counts as absent, because compose files set unused variables to an empty
 * text.
 */

export const blankIsAbsent = (value: unknown) =>
  typeof value === 'string' && value.trim() === '' ? undefined : value;

export const optional = <T extends z.ZodType>(type: T) => z.preprocess(blankIsAbsent, type.optional());

export const withDefault = <T extends z.ZodType>(type: T, fallback: z.input<T>) =>
  z.preprocess((value) => blankIsAbsent(value) ?? fallback, type);

/** An integer. `what` describes the integer in the error message. */
export const whole = (least: number, most: number, what = 'a whole number') => {
  const says = `must be ${what} from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, says)
    .transform(Number)
    .refine((number) => number >= least && number <= most, says);
};

export const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, { error: `must be one of ${names.join(', ')}` });

/** A list of values, separated by commas. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' });

/** The address of an e-mail server in nodemailer's format. */
export const smtpUrl = z
  .string()
  .regex(/^smtps?:\/\//, 'must be an smtp:// or smtps:// URL')
  .refine(
    (text) => URL.canParse(text) && new URL(text).hostname !== '',
    'cannot be read: write smtps://user:password@host:465, special characters as %XX',
  );

export interface Mailbox {
  readonly name: string | undefined;
  readonly address: string;
}

const NO_MAILBOX = 'must be an address such as receipts@example.org, or Name <receipts@example.org>';
const MAILBOX = /^(?:"?([^"<>\p{C}]{1,100}?)"?\s*<([^<>\s]+)>|([^<>\s]+))$/u;
const ADDRESS = /^[^\s@<>()[\],;:\\"]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)*$/i;

/** Sender of an e-mail. */
export const mailbox = z.string().transform((text, context): Mailbox => {
  const [, name, named, bare] = MAILBOX.exec(text.trim()) ?? [];
  const address = named ?? bare ?? '';
  if (ADDRESS.test(address) && address.length <= 254)
    return { name: name === '' ? undefined : name, address };
  context.addIssue({ code: 'custom', message: NO_MAILBOX });
  return z.NEVER;
});

/** Returns the problem of a group in which only some variables are set. */
export function groupProblem(names: readonly string[], values: object): string | undefined {
  const given = values as Readonly<Record<string, unknown>>;
  const missing = names.filter((name) => given[name] === undefined);
  if (missing.length === 0 || missing.length === names.length) return undefined;
  const set = names.filter((name) => given[name] !== undefined);
  return `${missing.join(', ')} must be set together with ${set.join(', ')}`;
}

/** Parses each variable separately, so that all wrong variables are reported. The result does not contain wrong variables. */
export function parseEach(
  shape: z.ZodRawShape,
  source: NodeJS.ProcessEnv,
): { values: Record<string, unknown>; wrong: ReadonlySet<string>; problems: string[] } {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  const wrong = new Set<string>();
  for (const [name, type] of Object.entries(shape)) {
    const parsed = z.safeParse(type, source[name]);
    if (parsed.success) values[name] = parsed.data;
    else {
      wrong.add(name);
      // Two issues of one variable may have the same message.
      problems.push(...new Set(parsed.error.issues.map(({ message }) => `${name} ${message}`)));
    }
  }
  return { values, wrong, problems };
}
