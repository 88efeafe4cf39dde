import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { coveringFee } from './covered-fee.js';

describe('coveringFee()', () => {
  it.each([
    [2500, { basisPoints: 150, fixed: 25 }, 64],
    [2500, { basisPoints: 0, fixed: 0 }, 0],
    [100, { basisPoints: 290, fixed: 30 }, 34],
    [0, { basisPoints: 150, fixed: 25 }, 0],
  ])('adds to a donation of %i at the rate %j a fee of %i', (donation, rate, fee) => {
    expect(coveringFee(donation, rate)).toBe(fee);
  });

  it.each([
    // Without steps the fees are 64, 34 and 60.
    [2500, { basisPoints: 150, fixed: 25, step: 10 }, 70],
    [100, { basisPoints: 290, fixed: 30, step: 100 }, 100],
    [3000, { basisPoints: 0, fixed: 60, step: 10 }, 60],
    [2500, { basisPoints: 0, fixed: 0, step: 10 }, 0],
  ])('adds to a donation of %i at the rate %j a fee rounded up to the step: %i', (donation, rate, fee) => {
    expect(coveringFee(donation, rate)).toBe(fee);
  });

  it('returns the smallest fee that leaves the whole donation to the charity', () => {
    const rate = fc.record({
      basisPoints: fc.integer({ min: 0, max: 2000 }),
      fixed: fc.integer({ min: 0, max: 10_000 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999_999 }), rate, (donation, { basisPoints, fixed }) => {
        // The check uses ten-thousandths of a minor unit, so that it does not round.
        const left = (fee: number) =>
          BigInt(donation + fee) * BigInt(10_000 - basisPoints) - BigInt(fixed) * 10_000n;
        const fee = coveringFee(donation, { basisPoints, fixed });
        expect(left(fee) >= BigInt(donation) * 10_000n).toBe(true);
        if (fee > 0) expect(left(fee - 1) >= BigInt(donation) * 10_000n).toBe(false);
      }),
    );
  });
});
