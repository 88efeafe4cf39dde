import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { CrowdedAddresses } from './crowded-addresses.js';

const lines: { address: string; refused: number }[] = [];

beforeEach(() => {
  jest.useFakeTimers();
  lines.splice(0);
  jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => {
    lines.push(line as (typeof lines)[number]);
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const refuse = (crowded: CrowdedAddresses, ip: string, times: number) => {
  for (let done = 0; done < times; done++) crowded.note(ip);
};

describe('addresses over the limit', () => {
  it('are listed after twenty refused requests in ten minutes, worst first, in the form for TRUSTED_NETWORKS', () => {
    const crowded = new CrowdedAddresses();
    refuse(crowded, '192.0.2.1', 19);
    refuse(crowded, '::ffff:203.0.113.7', 25);
    for (let phone = 1; phone <= 30; phone++) refuse(crowded, `2001:db8:1:2::${phone}`, 1);
    expect(crowded.list()).toEqual([
      { address: '2001:db8:1:2::/64', refused: 30 },
      { address: '203.0.113.7', refused: 25 },
    ]);
    jest.advanceTimersByTime(9 * 60_000);
    refuse(crowded, '192.0.2.1', 1);
    expect(crowded.list()).toHaveLength(3);
    jest.advanceTimersByTime(61_000);
    refuse(crowded, '192.0.2.1', 1);
    expect(crowded.list()).toEqual([]);
  });

  it('are logged at most once a minute', () => {
    const crowded = new CrowdedAddresses();
    for (let last = 1; last <= 50; last++) refuse(crowded, `203.0.113.${last}`, 20);
    expect(lines).toMatchObject([{ address: '203.0.113.1', refused: 20 }]);
    jest.advanceTimersByTime(60_000);
    refuse(crowded, '203.0.113.9', 20);
    expect(lines).toMatchObject([{ address: '203.0.113.1' }, { address: '203.0.113.9', refused: 40 }]);
  });
});
