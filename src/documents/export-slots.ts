import { Injectable } from '@nestjs/common';
import { UnavailableError } from '../common/errors/domain-errors.js';

/** Maximum number of large exports. More exports could use all database connections or the whole processor during an event. */
const AT_ONCE = 4;
const RETRY_AFTER_SECONDS = 15;

/** Limits the number of large exports that run at the same time in a process. */
@Injectable()
export class ExportSlots {
  private taken = 0;

  /**
   * Yields the chunks of a file, and uses one slot until the last chunk.
   * @throws UnavailableError `EXPORTS_BUSY` at the first chunk if no slot is free
   */
  async *hold(chunks: AsyncGenerator<Buffer, void, undefined>): AsyncGenerator<Buffer, void, undefined> {
    if (this.taken >= AT_ONCE) {
      throw new UnavailableError(
        'EXPORTS_BUSY',
        'Too many exports are running; try again shortly',
        RETRY_AFTER_SECONDS,
      );
    }
    this.taken++;
    try {
      yield* chunks;
    } finally {
      this.taken--;
    }
  }
}
