/** A message or a name that waits for a decision. */
export interface Waiting {
  readonly id: string;
  readonly part: 'message' | 'name';
  readonly text: string;
  readonly donorName: string;
  readonly at: string;
}

export interface Row extends Waiting {
  readonly mark: string;
  /** Whether a decision is still wanted: somebody else may have made it, or the text has changed. */
  readonly isOpen: boolean;
}

/** With its words: a text that was changed waits again. */
const markOf = ({ part, id, text }: Waiting): string => `${part}:${id}:${text}`;

/**
 * What waits, in the order in which it came to the screen. What others send and decide moves nothing: a row that needs no
 * decision any more keeps its place, and what is new comes last, so that neither a finger nor a key hits what nobody has read.
 * Rows move when the one who reads them decides, or goes on.
 */
export class ModerationList {
  private rows: readonly Row[] = [];
  /** Known at once, before the server has answered. */
  private readonly decided = new Set<string>();
  private chosen: string | undefined;

  /**
   * @param found what the server says, the oldest first
   * @param isCut whether more wait behind these
   */
  renew(found: readonly Waiting[], isCut: boolean): void {
    const fresh = found.map((one) => ({ ...one, mark: markOf(one), isOpen: true }));
    const waiting = new Set(fresh.map(({ mark }) => mark));
    const known = new Set(this.rows.map(({ mark }) => mark));
    const last = isCut ? (found.at(-1)?.id ?? '') : undefined;
    this.rows = [
      // Behind the last of these, the server has not said.
      ...this.rows.filter(({ mark, id }) => last === undefined || id <= last || waiting.has(mark)),
      ...fresh.filter(({ mark }) => !known.has(mark)),
    ].map((row) => ({ ...row, isOpen: waiting.has(row.mark) }));
    if (this.open.length === 0) this.tidy();
  }

  /** As they are drawn. */
  get shown(): readonly Row[] {
    return this.rows.filter(({ mark }) => !this.decided.has(mark));
  }

  get open(): readonly Row[] {
    return this.shown.filter(({ isOpen }) => isOpen);
  }

  /** The one that keys are about. */
  get current(): Row | undefined {
    return this.shown.find(({ mark }) => mark === this.chosen) ?? this.open[0];
  }

  choose({ mark }: Row): void {
    this.chosen = mark;
  }

  /** To the next or the one before. */
  move(step: 1 | -1): void {
    const { current } = this;
    const stays = current?.isOpen ? current : this.beside(current, step === 1 ? -1 : 1);
    this.chosen = (this.beside(current, step) ?? stays)?.mark;
    this.tidy();
  }

  /** Takes it off the list; the next one is chosen. */
  decide(row: Row): void {
    const { current } = this;
    const next = row.mark === current?.mark ? (this.beside(row, 1) ?? this.beside(row, -1)) : current;
    this.decided.add(row.mark);
    this.chosen = next?.mark;
    this.tidy();
  }

  /** The decision was not taken: it is back in its place. */
  undo({ mark }: Row): void {
    this.decided.delete(mark);
  }

  /** The nearest open one in a direction. */
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
