import { describe, expect, it } from '@jest/globals';
import { houseOf, scheduleFile, taxOn, western } from './claim-schedule.js';

const at = (line1: string) => ({ line1, line2: null, postcode: 'SW1A 1AA', city: 'London', country: 'GB' });

describe('the schedule of a Gift Aid claim', () => {
  it.each([
    ['10 Main Street', '10'],
    ['10a Main Street', '10a'],
    ['10-12 Main Street', '10-12'],
    ['10, Main Street', '10'],
    ['Rose Cottage, Mill Lane', 'Rose Cottage, Mill Lane'],
    ['Flat 2, 10 Main Street', 'Flat 2, 10 Main Street'],
    ['1st Floor, The Mill', '1st Floor, The Mill'],
    [`The ${'very '.repeat(9)}old mill`, 'The very very very very very very very v'],
  ])('names the house of %j as %j', (line1, house) => {
    expect(houseOf(at(line1))).toBe(house);
  });

  it('writes names in the letters that Charities Online keeps', () => {
    expect(western('Łukasz  Ćwik', 35)).toBe('Lukasz Cwik');
    expect(western('Zoë O’Brien', 35)).toBe("Zoë O'Brien");
    expect(western('Эмма', 35)).toBe('Эмма');
  });

  it('a claim of one pound gives 25 pence, and a rest below one penny is not claimed', () => {
    expect([taxOn(100n), taxOn(99n), taxOn(3n)]).toEqual([25n, 24n, 0n]);
  });

  // A stored digest must stay valid in every later release, whatever the libraries below do.
  it('has the same bytes in every release', async () => {
    const row = { firstName: 'Ada', lastName: 'King-Noel & Co', givenOn: '2026-11-21', amount: 2_550n };
    const { bytes, digest } = await scheduleFile({
      rows: [{ ...row, address: at('10 Main Street') }],
      overclaimed: 625n,
      createdAt: new Date('2026-12-01T10:00:00.123Z'),
    });
    expect(bytes.subarray(30, 84).toString()).toBe('mimetypeapplication/vnd.oasis.opendocument.spreadsheet');
    expect(digest.toString('hex')).toBe('d73c4779549088daecc7cb85da68e150d66c865cd4e3352fe0d0a1da4ff29ccb');
  });
});
