import { z } from 'zod';

/** The kinds of environment variables; an empty variable counts as absent, as compose files leave them. */

export const blankIsAbsent = (value: unknown) =>
  typeof value === 'string' && value.trim() === '' ? undefined : value;

export const optional = <T extends z.ZodType>(type: T) => z.preprocess(blankIsAbsent, type.optional());

export const withDefault = <T extends z.ZodType>(type: T, fallback: z.input<T>) =>
  z.preprocess((value) => blankIsAbsent(value) ?? fallback, type);

/** Values separated by commas. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' });

/** The problem of a group of which only a part is set, if there is one. */
export function groupProblem(names: readonly string[], values: object): string | undefined {
  const given = values as Readonly<Record<string, unknown>>;
  const missing = names.filter((name) => given[name] === undefined);
  if (missing.length === 0 || missing.length === names.length) return undefined;
  const set = names.filter((name) => given[name] !== undefined);
  return `${missing.join(', ')} must be set together with ${set.join(', ')}`;
}

/** Each variable by itself, so that a wrong one hides nothing of the others; a wrong one is absent. */
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
      problems.push(...parsed.error.issues.map(({ message }) => `${name} ${message}`));
    }
  }
  return { values, wrong, problems };
}
