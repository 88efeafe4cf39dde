import { describe, expect, it } from '@jest/globals';
import { pastedNames } from '../../web/admin/parts/pasted-names.js';

describe('pasted names', () => {
  it('pasted names are read one per line, without the columns after a semicolon or tab', () => {
    expect(pastedNames('Ada Lovelace;Bar\r\n\r\n  Grace   Hopper\tTill\nLiu;\n;Door', [])).toEqual({
      names: [
        { name: 'Ada Lovelace', fate: 'new' },
        { name: 'Grace Hopper', fate: 'new' },
        { name: 'Liu', fate: 'new' },
      ],
      hasColumns: true,
    });
    expect(pastedNames('Ada;\nLiu', []).hasColumns).toBe(false);
  });

  it('pasted names are marked if they are on the team, twice in the list or too long', () => {
    const { names } = pastedNames(`ada\nLiu\nLIU\n${'x'.repeat(201)}`, ['Ada', 'Maria']);
    expect(names.map(({ fate }) => fate)).toEqual(['known', 'new', 'twice', 'long']);
  });
});
