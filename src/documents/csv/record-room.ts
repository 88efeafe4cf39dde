const LF = 0x0a;
const CR = 0x0d;

/**
 * Room for a piece of a file, which is filled again once the piece was used. On the way each LF that has no CR before it
 * becomes CRLF, over parts cut anywhere: COPY ends records by LF alone, while RFC 4180 wants CRLF.
 */
export class RecordRoom {
  private readonly room: Buffer;
  private length = 0;
  private afterCr = false;

  constructor(size: number) {
    this.room = Buffer.allocUnsafeSlow(size);
  }

  /** Takes what stands between two places of `chunk`, as far as there is room. Returns where the rest begins. */
  fill(chunk: Buffer, from: number, to: number): number {
    const { room } = this;
    for (let at = from; ;) {
      const found = chunk.indexOf(LF, at);
      const end = found === -1 || found > to ? to : found;
      const stop = Math.min(end, at + room.length - this.length);
      if (stop > at) {
        chunk.copy(room, this.length, at, stop);
        this.length += stop - at;
        this.afterCr = chunk[stop - 1] === CR;
        at = stop;
      }
      if (at < end || at === to || room.length - this.length < 2) return at;
      if (!this.afterCr) room[this.length++] = CR;
      room[this.length++] = LF;
      this.afterCr = false;
      at++;
    }
  }

  /** What it holds, until it is filled again. */
  take(): Buffer {
    const piece = this.room.subarray(0, this.length);
    this.length = 0;
    return piece;
  }
}
