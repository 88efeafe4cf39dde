type Listener = (right: string, isGiven: boolean) => void;

/** Rights of a provider's API key, as learned from the provider's answers. */
export class KeyRights {
  private readonly known = new Map<string, boolean>();
  private listener: Listener | undefined;

  /** @param listener is called for each right that is found to be given or missing, and after each change */
  watch(listener: Listener): void {
    this.listener = listener;
  }

  given(right: string): void {
    this.note(right, true);
  }

  missing(right: string): void {
    this.note(right, false);
  }

  /** Announces the next answer about this right again. */
  forget(right: string): void {
    this.known.delete(right);
  }

  private note(right: string, isGiven: boolean): void {
    if (this.known.get(right) === isGiven) return;
    this.known.set(right, isGiven);
    this.listener?.(right, isGiven);
  }
}
