import { describe, expect, it } from '@jest/globals';
import { donationsCopy } from './donations-csv.sql.js';

describe('the COPY statement of the CSV export', () => {
  it('quotes values as literals', () => {
    const sql = donationsCopy({ where: 'event_id = $1 AND x LIKE $2', values: ['abc', "%o'neill\\%"] });
    expect(sql).toContain("WHERE event_id = 'abc' AND x LIKE  E'%o''neill\\\\%'");
  });

  it('does not replace a placeholder inside another value', () => {
    const sql = donationsCopy({
      where: 'a = $1 AND b = $2 AND c = $10',
      values: ['$2', ...Array<string>(8).fill('x'), 'ten'],
    });
    expect(sql).toContain("WHERE a = '$2' AND b = 'x' AND c = 'ten'");
  });
});
