/** Input of the donor, restored after a reload. */
export interface Draft {
  preset: string;
  amount: string;
  name: string;
  email: string;
  message: string;
  anonymous: boolean;
  hideAmount?: boolean;
  /** The text fields below the message, by name. */
  more?: Record<string, string>;
  tributeKind?: string | undefined;
  giftAid?: boolean;
  coverFee?: boolean;
  /** The link or code that led the donor to the page. */
  source?: string;
  /** Address of the donation's team. */
  team?: string | undefined;
}

/** The answer to the request for a payment: the provider's secret and the token of the donation. */
export interface Intent {
  clientSecret: string;
  donorToken: string;
}

/**
 * One checkout of this tab, kept in its session storage. After a reload, a double click, the back button or a lost
 * connection, the page repeats the request with the same key. So there is only one donation.
 */
export interface Checkout {
  /** Id of all attempts of this checkout, also after changed input. With it, the server detects two paid attempts. */
  id: string;
  /** Idempotency key of one attempt, the same for each repetition of its request. */
  key: string;
  /** Start time of the attempt. The server remembers keys for a day. */
  at: number;
  draft?: Draft;
  /** Request body of the intent, and its answer. */
  body?: string;
  intent?: Intent;
  /** True after the page started a payment of the intent. The intent may then be paid. */
  sent?: boolean;
  /** Start time of a payment without an answer; 0 after its answer. Before the answer, the input must not change. */
  unsure?: number;
}

/** After this time, a payment without an answer has reached the provider or never will. */
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
      // The stored checkout cannot be read, so start with an empty one.
    }
  }

  get(): Checkout {
    return (this.current ??= { id: newKey(), key: newKey(), at: Date.now() });
  }

  /** Milliseconds until a payment without an answer can no longer reach the provider; 0 if there is no such payment. */
  get unsureFor(): number {
    const { unsure = 0 } = this.get();
    return unsure === 0 ? 0 : Math.max(0, unsure + UNSURE_MS - Date.now());
  }

  change(changes: Partial<Checkout>): Checkout {
    this.current = { ...this.get(), ...changes };
    this.save();
    return this.current;
  }

  /** Call it after a payment. Deletes the input, but keeps the payment, so that the form can show it to the donor. */
  paid(donorToken: string): void {
    const { intent } = this.get();
    const clientSecret = intent?.donorToken === donorToken ? intent.clientSecret : '';
    const sent = { sent: true, intent: { clientSecret, donorToken } };
    this.current = { id: newKey(), key: newKey(), at: Date.now(), ...sent };
    this.save();
  }

  /** Starts another attempt of this checkout, with a new key and the same input. */
  renew(): void {
    const { id, draft } = this.get();
    this.current = { id, key: newKey(), at: Date.now(), ...(draft && { draft }) };
    this.save();
  }

  /** Starts a new checkout: the donor knows about the first donation and wants to make another one. */
  begin(): void {
    this.renew();
    this.change({ id: newKey() });
  }

  private save(): void {
    try {
      sessionStorage.setItem(this.place, JSON.stringify(this.current));
    } catch {
      // The storage is forbidden or full. The checkout then stays only in memory.
    }
  }
}

/** Returns a random key. Does not use `randomUUID`, because browsers offer it only with TLS, and a demo may have none. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
