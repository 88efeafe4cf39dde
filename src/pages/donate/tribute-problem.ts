import { holdsLink } from '../../common/text/holds-link.js';

export const TRIBUTE_FIELDS = ['tributeName', 'notifyEmail', 'tributeMessage'] as const;
export type TributeField = (typeof TRIBUTE_FIELDS)[number];

/** The typed texts of a tribute; empty ones are absent. */
type Typed = Partial<Readonly<Record<TributeField, string | undefined>>>;

/** True if the donor typed a part of a tribute. */
export const hasTribute = (typed: Typed): boolean => TRIBUTE_FIELDS.some((field) => typed[field]);

/** Returns the first problem of a tribute; undefined if there is none. The page and the server use the same rules. */
export function tributeProblem(typed: Typed): { key: string; field: TributeField } | undefined {
  if (!hasTribute(typed)) return undefined;
  const { tributeName, notifyEmail, tributeMessage } = typed;
  if (!tributeName) return { key: 'tributeNameMissing', field: 'tributeName' };
  if (notifyEmail && !/^\S+@\S+\.\S+$/.test(notifyEmail))
    return { key: 'tributeEmailInvalid', field: 'notifyEmail' };
  if (holdsLink(tributeName)) return { key: 'tributeLink', field: 'tributeName' };
  return tributeMessage && holdsLink(tributeMessage)
    ? { key: 'tributeLink', field: 'tributeMessage' }
    : undefined;
}

/** The tribute of `metadata`; undefined if the donor typed none. */
export const tributeOf = ({ tributeName, notifyEmail, tributeMessage }: Typed, kind: string | undefined) =>
  tributeName === undefined || tributeName === ''
    ? undefined
    : {
        kind: kind === 'honour' ? 'honour' : 'memory',
        name: tributeName,
        ...(tributeMessage && { message: tributeMessage }),
        ...(notifyEmail && { notifyEmail }),
      };
