export const TRIBUTE_KINDS = ['honour', 'memory'] as const;
export type TributeKind = (typeof TRIBUTE_KINDS)[number];

/** A donation in honour or in memory of somebody. */
export interface Tribute {
  readonly kind: TributeKind;
  /** Name of the person who is honoured or remembered. */
  readonly name: string;
  /** Words for the person to notify. They are in the e-mail only. */
  readonly message: string | null;
  /** Address of a person who gets one e-mail about the donation, without its amount. */
  readonly notifyEmail: string | null;
}

/** The part of a tribute that walls and pages show. */
export type PublicTribute = Pick<Tribute, 'kind' | 'name'>;

/** The columns of a donation without a tribute. */
export const NO_TRIBUTE = { tribute: null, tribute_state: null, notified_key: null } as const;
