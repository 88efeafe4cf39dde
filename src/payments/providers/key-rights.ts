type Listener = (right: string, isGiven: boolean) => void;

/** The known permissions of a provider's API key. The provider's answers show if a permission is given or missing. */
export class KeyRights {
  private readonly known = new Map<string, boolean>();
  private listener: Listener | undefined;

  /** @param listener called when an answer first shows if a permission is given or missing, and after each change */
  watch(listener: Listener): void {
    this.listener = listener;
  }

  given(right: string): void {
    this.note(right, true);
  }

  missing(right: string): void {
    this.note(right, false);
  }

  /** Forgets a permission, so that the next answer about this permission calls the listener again. */
  forget(right: string): void {
    this.known.delete(right);
  }

  private note(right: string, isGiven: boolean): void {
    if (this.known.get(right) === isGiven) return;
    this.known.set(right, isGiven);
    this.listener?.(right, isGiven);
  }
}
