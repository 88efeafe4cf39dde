import { describe, expect, it } from '@jest/globals';
import { csvRecord, ExactNumber } from './csv-text.js';

describe('a CSV record', () => {
  it('ends in CRLF and quotes only cells that need quotes', () => {
    expect(csvRecord(['plain', 'a,b', 'a;=1', 'say "hi"', 'two\r\nlines', 42, 7n, true, null, ''])).toBe(
      'plain,"a,b","a;=1","say ""hi""","two\r\nlines",42,7,true,,\r\n',
    );
  });

  it.each(['=1', '+1', '-1', '@x', '\tx', '＝1'])(
    'puts an apostrophe before %j, which a spreadsheet would run as a formula',
    (text) => {
      expect(csvRecord([text])).toBe(`'${text}\r\n`);
    },
  );

  it('leaves negative numbers unchanged because they are not text', () => {
    expect(csvRecord([-5, new ExactNumber('-5.00')])).toBe('-5,-5.00\r\n');
  });
});
