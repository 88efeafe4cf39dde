/** Input of the donor, restored after a reload. */
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

/** The answer to the request for a payment: the provider's secret and the token of the donation. */
export interface Intent {
  clientSecret: string;
  donorToken: string;
}

/**
 * One checkout of this tab, kept in its session storage. Its key makes every repeat the same donation: after a
 * reload, a double click, the back button or a lost connection.
 */
export interface Checkout {
  /** The same for every attempt, also after changes: two paid attempts are detected. */
  id: string;
  /** The same for every repeat of one attempt. */
  key: string;
  /** Start time; the server remembers keys for a day. */
  at: number;
  draft?: Draft;
  /** Request body of the intent, and its answer. */
  body?: string;
  intent?: Intent;
  /** True if a payment of the intent was started, so that it may be paid. */
  sent?: boolean;
  /** Start time of a payment that has no answer yet; 0 after its answer. Until then, the input must not change. */
  unsure?: number;
}

/** Longer than a payment can be in transit before the provider knows it. */
const UNSURE_MS = 90_000;
const KEPT_MS = 20 * 60 * 60 * 1_000;

export class CheckoutStore {
  /** Without session storage, memory keeps the checkout until the next reload. */
  private current: Checkout | undefined;
  private readonly place: string;

  constructor({ slug, pledge }: { slug: string; pledge?: string }) {
    // A pledge has its own checkout, so the input of another checkout is not restored.
    this.place = pledge === undefined ? `donate:${slug}` : `donate:${slug}:${pledge}`;
    try {
      const found = JSON.parse(sessionStorage.getItem(this.place) ?? 'null') as Checkout | null;
      if (found && Date.now() - found.at < KEPT_MS) this.current = found;
    } catch {
      // Start with an empty checkout.
    }
  }

  get(): Checkout {
    return (this.current ??= { id: newKey(), key: newKey(), at: Date.now() });
  }

  /** Milliseconds for which the last payment can stay unconfirmed, unless the provider answers earlier. */
  get unsureFor(): number {
    const { unsure = 0 } = this.get();
    return unsure === 0 ? 0 : Math.max(0, unsure + UNSURE_MS - Date.now());
  }

  change(changes: Partial<Checkout>): Checkout {
    this.current = { ...this.get(), ...changes };
    this.save();
    return this.current;
  }

  /** Call it after a payment: deletes the input. The form must show the payment before the donor starts another one. */
  paid(donorToken: string): void {
    const { intent } = this.get();
    const clientSecret = intent?.donorToken === donorToken ? intent.clientSecret : '';
    const sent = { sent: true, intent: { clientSecret, donorToken } };
    this.current = { id: newKey(), key: newKey(), at: Date.now(), ...sent };
    this.save();
  }

  /** Another attempt of this checkout: a new key, the same donor. */
  renew(): void {
    const { id, draft } = this.get();
    this.current = { id, key: newKey(), at: Date.now(), ...(draft && { draft }) };
    this.save();
  }

  /** Another donation of a donor who has seen the first one. */
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

/** A random key without `randomUUID`, which exists only on secure addresses: a demo may run without TLS. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
