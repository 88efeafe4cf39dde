type Listener = (right: string, isGiven: boolean) => void;

/** What the key of a provider may do, as far as the provider's answers have said. */
export class KeyRights {
  private readonly known = new Map<string, boolean>();
  private listener: Listener | undefined;

  /** @param listener gets each right that turns out to be given or missing, and again when that changes */
  watch(listener: Listener): void {
    this.listener = listener;
  }

  given(right: string): void {
    this.note(right, true);
  }

  missing(right: string): void {
    this.note(right, false);
  }

  /** The next answer about it is announced again. */
  forget(right: string): void {
    this.known.delete(right);
  }

  private note(right: string, isGiven: boolean): void {
    if (this.known.get(right) === isGiven) return;
    this.known.set(right, isGiven);
    this.listener?.(right, isGiven);
  }
}
