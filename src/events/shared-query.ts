/**
 * One query for everybody who asks at about the same time, and nobody gets an answer older than the question:
 * whoever comes while a query runs waits for the next one, which starts when that one ends. However many ask,
 * at most one query runs.
 */
export class SharedQuery<Answer> {
  private running: Promise<Answer> | undefined;
  private next: Promise<Answer> | undefined;

  constructor(private readonly query: () => Promise<Answer>) {}

  /** The answer of a query that starts at or after this call; its failure goes to all who share it. */
  ask(): Promise<Answer> {
    if (!this.running) return this.start();
    const start = () => this.start();
    this.next ??= this.running.then(start, start);
    return this.next;
  }

  private start(): Promise<Answer> {
    this.next = undefined;
    const running = this.query();
    this.running = running;
    const ended = () => {
      // With a next one waiting this stays set, so that nobody starts another beside it.
      if (this.running === running && !this.next) this.running = undefined;
    };
    running.then(ended, ended);
    return running;
  }
}
