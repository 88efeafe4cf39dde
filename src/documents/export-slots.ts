import { Injectable } from '@nestjs/common';
import { UnavailableError } from '../common/errors/domain-errors.js';

/** So that large downloads never take all database connections, or all of the processor, from the evening. */
const AT_ONCE = 4;
const RETRY_AFTER_SECONDS = 15;

/** How many large exports one process runs at a time. */
@Injectable()
export class ExportSlots {
  private taken = 0;

  /**
   * The same chunks, while holding one of the slots.
   * @throws UnavailableError `EXPORTS_BUSY` (at the first chunk) when all are taken
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
