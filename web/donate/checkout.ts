/** What was typed, to be found again after a reload. */
export interface Draft {
  preset: string;
  amount: string;
  name: string;
  email: string;
  message: string;
  anonymous: boolean;
  address?: string;
  giftAid?: boolean;
  coverFee?: boolean;
}

/**
 * One checkout of this tab, kept in its session storage. Its key makes every repeat the same donation: after a
 * reload, a double click, the back button or a network that was lost.
 */
export interface Checkout {
  /** The same for every try, whatever the donor changes in between: two tries that are paid are noticed. */
  id: string;
  /** The same for every repeat of one try. */
  key: string;
  /** When it began; keys are remembered for a day. */
  at: number;
  draft?: Draft;
  /** The body that the intent was asked for with, and its answer. */
  body?: string;
  intent?: { clientSecret: string; donorToken: string };
  /** Whether a payment of the intent was ever begun, so that it may have been paid. */
  sent?: boolean;
  /** When a payment began whose answer never came here; 0 when it came. Nothing may change meanwhile. */
  unsure?: number;
}

/** Longer than a payment can be on its way to the provider without the provider knowing of it. */
const UNSURE_MS = 90_000;
const KEPT_MS = 20 * 60 * 60 * 1_000;

export class CheckoutStore {
  /** Where storage is forbidden, memory does until the next reload. */
  private current: Checkout | undefined;
  private readonly place: string;

  constructor({ slug, pledge }: { slug: string; pledge?: string }) {
    // A pledge is a checkout of its own: what was typed for another one is not brought back.
    this.place = pledge === undefined ? `donate:${slug}` : `donate:${slug}:${pledge}`;
    try {
      const found = JSON.parse(sessionStorage.getItem(this.place) ?? 'null') as Checkout | null;
      if (found && Date.now() - found.at < KEPT_MS) this.current = found;
    } catch {
      // Begin anew.
    }
  }

  get(): Checkout {
    return (this.current ??= { id: newKey(), key: newKey(), at: Date.now() });
  }

  /** How long it stays unsure whether the last payment went through, unless the provider says so before. */
  get unsureFor(): number {
    const { unsure = 0 } = this.get();
    return unsure === 0 ? 0 : Math.max(0, unsure + UNSURE_MS - Date.now());
  }

  change(changes: Partial<Checkout>): Checkout {
    this.current = { ...this.get(), ...changes };
    this.save();
    return this.current;
  }

  /** Paid: the form must say so before it takes another one. What the donor typed is forgotten. */
  paid(donorToken: string): void {
    const { intent } = this.get();
    const clientSecret = intent?.donorToken === donorToken ? intent.clientSecret : '';
    const sent = { sent: true, intent: { clientSecret, donorToken } };
    this.current = { id: newKey(), key: newKey(), at: Date.now(), ...sent };
    this.save();
  }

  /** Another try of this checkout: another key, the same donor. */
  renew(): void {
    const { id, draft } = this.get();
    this.current = { id, key: newKey(), at: Date.now(), ...(draft && { draft }) };
    this.save();
  }

  /** Another donation, asked for by a donor who knows of the first. */
  begin(): void {
    this.renew();
    this.change({ id: newKey() });
  }

  private save(): void {
    try {
      sessionStorage.setItem(this.place, JSON.stringify(this.current));
    } catch {
      // Storage is forbidden or full.
    }
  }
}

/** Not `randomUUID`, which browsers offer on secure addresses only: a demo may run on a plain one. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
