import { describe, expect, it } from '@jest/globals';
import { RecordRoom } from './record-room.js';

/** In rooms of a size, from parts that lie among other bytes. */
const piecesOf = (size: number, ...parts: string[]): string[] => {
  const room = new RecordRoom(size);
  const pieces: string[] = [];
  for (const part of parts) {
    const chunk = Buffer.from(`\n${part}\n`);
    const to = chunk.length - 1;
    for (let at = 1; (at = room.fill(chunk, at, to)) < to;) pieces.push(room.take().toString());
  }
  return [...pieces, room.take().toString()];
};
const converted = (...parts: string[]) => piecesOf(1_000, ...parts).join('');

describe('record ends', () => {
  it('become CRLF', () => {
    expect(converted('a\nb\n\nc\n')).toBe('a\r\nb\r\n\r\nc\r\n');
  });

  it('stay as they are where they are CRLF already', () => {
    expect(converted('"two\r\nlines",x\ny\n')).toBe('"two\r\nlines",x\r\ny\r\n');
  });

  it('are the same wherever the chunks are cut', () => {
    const text = 'a\n"b\r\nc"\n\r\n\nd';
    for (let cut = 0; cut <= text.length; cut++) {
      expect(converted(text.slice(0, cut), '', text.slice(cut))).toBe(converted(text));
    }
  });

  it('are the same however small the room is', () => {
    const text = 'a\n"b\r\nc"\n\r\n\nd and more\n';
    for (let size = 2; size < 20; size++) {
      const pieces = piecesOf(size, text);
      expect(pieces.join('')).toBe(converted(text));
      for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(size);
    }
  });

  it('are not looked for in what needs no change', () => {
    expect(piecesOf(5, 'no end here')).toEqual(['no en', 'd her', 'e']);
  });
});
