/** A tribute that awaits a decision, with the words for the notified person. */
export interface HeldTribute {
  readonly kind: 'honour' | 'memory';
  readonly name: string;
  readonly message: string | null;
}

/** A donation of which a name, a message or a tribute await a decision. A field is undefined if it awaits no decision. */
export interface Waiting {
  readonly id: string;
  readonly name?: string | undefined;
  readonly message?: string | undefined;
  readonly tribute?: HeldTribute | undefined;
  readonly donorName: string;
  readonly at: string;
}

export interface Row extends Waiting {
  readonly mark: string;
  /** False if a colleague has decided about the item, or if its text has changed. */
  readonly isOpen: boolean;
}

/** Key of an item. It contains the texts, so that a changed text is a new item that awaits approval. */
const markOf = ({ id, name, message, tribute }: Waiting): string =>
  JSON.stringify([id, name, message, ...(tribute ? [tribute] : [])]);

/**
 * Items that await a decision, in the order in which they appeared. If colleagues decide or new items arrive, no row
 * moves: otherwise the reader could approve a text by mistake. Rows move only when the reader decides or selects
 * another row.
 */
export class ModerationList {
  private rows: readonly Row[] = [];
  /** Keys of the items that were decided in this tab. */
  private readonly decided = new Set<string>();
  private chosen: string | undefined;

  /**
   * @param found items from the server, oldest first
   * @param isCut true if more items wait after these
   */
  renew(found: readonly Waiting[], isCut: boolean): void {
    const fresh = found.map((one) => ({ ...one, mark: markOf(one), isOpen: true }));
    const waiting = new Set(fresh.map(({ mark }) => mark));
    const known = new Set(this.rows.map(({ mark }) => mark));
    const last = isCut ? (found.at(-1)?.id ?? '') : undefined;
    this.rows = [
      // If the server's list is cut, it does not show if items after its end still wait. So these items are removed.
      ...this.rows.filter(({ mark, id }) => last === undefined || id <= last || waiting.has(mark)),
      ...fresh.filter(({ mark }) => !known.has(mark)),
    ].map((row) => ({ ...row, isOpen: waiting.has(row.mark) }));
    if (this.open.length === 0) this.tidy();
  }

  /** Items in their order on the screen. */
  get shown(): readonly Row[] {
    return this.rows.filter(({ mark }) => !this.decided.has(mark));
  }

  get open(): readonly Row[] {
    return this.shown.filter(({ isOpen }) => isOpen);
  }

  /** The selected item, to which the keys apply. */
  get current(): Row | undefined {
    return this.shown.find(({ mark }) => mark === this.chosen) ?? this.open[0];
  }

  choose({ mark }: Row): void {
    this.chosen = mark;
  }

  /** Selects the next or the previous item. */
  move(step: 1 | -1): void {
    const { current } = this;
    const stays = current?.isOpen ? current : this.beside(current, step === 1 ? -1 : 1);
    this.chosen = (this.beside(current, step) ?? stays)?.mark;
    this.tidy();
  }

  /** Removes the item and selects the next one. */
  decide(row: Row): void {
    const { current } = this;
    const next = row.mark === current?.mark ? (this.beside(row, 1) ?? this.beside(row, -1)) : current;
    this.decided.add(row.mark);
    this.chosen = next?.mark;
    this.tidy();
  }

  /** Puts the item back after a failed decision, or when the reader undoes the decision. */
  undo({ mark }: Row): void {
    this.decided.delete(mark);
  }

  /** The nearest undecided item in a direction. */
  private beside(row: Row | undefined, step: 1 | -1): Row | undefined {
    const { shown } = this;
    const place = shown.findIndex(({ mark }) => mark === row?.mark);
    return step === 1
      ? shown.slice(place + 1).find(({ isOpen }) => isOpen)
      : shown.slice(0, Math.max(place, 0)).findLast(({ isOpen }) => isOpen);
  }

  private tidy(): void {
    this.rows = this.rows.filter(({ isOpen }) => isOpen);
  }
}
