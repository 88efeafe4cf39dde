import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { Evening } from '../support/pos-evening.js';
import { describeWithChromium } from '../support/tools.js';

/** `bench/pos` plays longer evenings. */
const RECORDS = Number(process.env.POS_RECORDS ?? 60);
const SEED = Number(process.env.POS_SEED ?? 2026);

describeWithChromium('a terminal during many failures', (executablePath) => {
  it(
    `a terminal books ${RECORDS} records exactly as shown, while the network, server and browser fail`,
    async () => {
      const evening = await Evening.play({ records: RECORDS, seed: SEED, executablePath });
      const { shown, booked, ...counts } = evening;
      mkdirSync('test/.output', { recursive: true });
      writeFileSync(
        'test/.output/pos-evening.json',
        JSON.stringify({ seed: SEED, shown: shown.size, booked: booked.size, ...counts }, null, 2),
      );
      expect(shown.size).toBe(RECORDS);
      expect(Object.fromEntries(booked)).toEqual(Object.fromEntries(shown));
      expect(counts.cuts + counts.hangs + counts.serverKills + counts.browserKills).toBeGreaterThan(4);
    },
    RECORDS * 5_000 + 240_000,
  );
});
