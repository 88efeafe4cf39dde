import type pg from 'pg';

/** A connection that is outside of its pool. It must be released. */
export class Borrowed {
  /** Why it must not serve anybody else; set by whoever finds out. */
  broken: Error | undefined;
  private readonly onError = (error: Error): void => {
    this.broken ??= error;
  };

  constructor(readonly client: pg.PoolClient) {
    client.on('error', this.onError);
  }

  /** Back to the pool, which closes what is broken or stale. */
  release(isStale = false): void {
    this.client.off('error', this.onError);
    this.client.release(this.broken ?? isStale);
  }
}
