/** One run for all who ask while it lasts and for a while after it, so that asking often costs nothing. */
export class SharedCheck<Result> {
  private latest: Promise<Result> | undefined;
  private until = Infinity;

  constructor(
    private readonly run: () => Promise<Result>,
    private readonly keepMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  ask(): Promise<Result> {
    if (this.latest && this.now() < this.until) return this.latest;
    this.until = Infinity;
    this.latest = this.run();
    const ended = () => (this.until = this.now() + this.keepMs);
    this.latest.then(ended, ended);
    return this.latest;
  }
}
