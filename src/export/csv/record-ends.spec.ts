import { describe, expect, it } from '@jest/globals';
import { recordEnds } from './record-ends.js';

const converted = (...chunks: string[]) => {
  const withCrlf = recordEnds();
  return chunks.map((chunk) => withCrlf(Buffer.from(chunk)).toString()).join('');
};

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

  it('are not looked for in what needs no change', () => {
    const chunk = Buffer.from('no end here');
    expect(recordEnds()(chunk)).toBe(chunk);
  });
});
