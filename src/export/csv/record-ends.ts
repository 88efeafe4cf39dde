const LF = 0x0a;
const CR = 0x0d;

/**
 * Turns each LF that has no CR before it into CRLF, over chunks cut anywhere: COPY ends records by LF alone,
 * while RFC 4180 wants CRLF.
 */
export function recordEnds(): (chunk: Buffer) => Buffer {
  let afterCr = false;
  return (chunk) => {
    const ends: number[] = [];
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, at + 1)) {
      if (at === 0 ? !afterCr : chunk[at - 1] !== CR) ends.push(at);
    }
    if (chunk.length > 0) afterCr = chunk.at(-1) === CR;
    if (ends.length === 0) return chunk;
    const whole = Buffer.allocUnsafe(chunk.length + ends.length);
    let from = 0;
    let to = 0;
    for (const end of ends) {
      to += chunk.copy(whole, to, from, end);
      whole[to++] = CR;
      from = end;
    }
    chunk.copy(whole, to, from);
    return whole;
  };
}
