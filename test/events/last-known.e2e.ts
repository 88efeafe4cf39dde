import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '../../src/common/metrics/metrics.js';
import { type Answer, PROMPT_MS, PublicHall, STALE_MS } from '../support/public-hall.js';
import { withOpened } from '../support/setup.js';

const hall = withOpened(() => PublicHall.open());

beforeEach(async () => {
  await hall.begin();
});

describe('public reads while the database hangs', () => {
  beforeEach(async () => {
    await hall.readAll();
    await sleep(STALE_MS);
  });

  it('public reads answer within 300 ms while the tables are locked', async () => {
    const unlock = await hall.lockTables();
    try {
      await hall.expectPromptFor(1_500);
    } finally {
      await unlock();
    }
    await sleep(STALE_MS);
    for (const { path, age } of await hall.readAll()) expect({ path, age }).toEqual({ path, age: null });
  });

  it('a returning wall gets its last state within 300 ms, and a snapshot if it may have missed something', async () => {
    const { sequence } = JSON.parse((await hall.join()).text) as { sequence: number };
    await sleep(STALE_MS);
    const unlock = await hall.lockTables();
    try {
      const same = await hall.join({ since: sequence, snapshot: false });
      expect(same).toMatchObject({ status: 200 });
      expect(JSON.parse(same.text)).toEqual({ joined: true, eventId: hall.event.id, sequence });
      const behind = await hall.join({ since: sequence - 1, snapshot: false });
      expect(JSON.parse(behind.text)).toMatchObject({
        resync: true,
        sequence,
        snapshot: { totalRaised: 2_500 },
      });
      expect(Math.max(same.ms, behind.ms)).toBeLessThan(PROMPT_MS);
    } finally {
      await unlock();
    }
  });

  it('the metrics show the age of the last known state in these answers', async () => {
    const metrics = hall.app.app.get(Metrics);
    const given = async () =>
      Number(/^public_reads_stale_seconds_count (\d+)$/m.exec(await metrics.text())?.[1] ?? 0);
    const before = await given();
    const unlock = await hall.lockTables();
    try {
      const { age } = await hall.read('/events/public');
      expect(Number(age)).toBeGreaterThanOrEqual(1);
      expect(await given()).toBeGreaterThan(before);
    } finally {
      await unlock();
    }
  });
});

describe('known changes while the database hangs', () => {
  /** Starts the reads while the tables are locked for a second. The answers must wait for the end of the lock. */
  async function whileLocked(reads: () => Promise<Answer[]>): Promise<Answer[]> {
    const unlock = await hall.lockTables();
    const answers = reads();
    await sleep(1_000);
    await unlock();
    return await answers;
  }

  it('an event that this process archived is no longer public', async () => {
    await hall.readAll();
    await hall.patch(`/events/${hall.event.id}`, { status: 'archived' });
    const answers = await whileLocked(() => Promise.all([...hall.paths.map(hall.read), hall.join()]));
    for (const { path, status, text } of answers) {
      if (path === '/settings/global') continue;
      if (path === '/' || path === '/events/public') expect(text).not.toContain(hall.event.slug);
      else expect({ path, status }).toEqual({ path, status: 404 });
    }
  });

  it('an event that another process made a draft is hidden after the notification of the database', async () => {
    await hall.readAll();
    await hall.sql("UPDATE event SET status = 'draft' WHERE id = $1", [hall.event.id]);
    await sleep(200);
    const [page, list] = await whileLocked(() =>
      Promise.all([hall.read(`/donate/${hall.event.slug}`), hall.read('/events/public')]),
    );
    expect(page?.status).toBe(404);
    expect(list?.text).not.toContain(hall.event.slug);
  });

  it('a hidden name is not sent to a wall that joins', async () => {
    expect((await hall.join()).text).toContain('Ada Lovelace');
    await hall.patch(`/donations/${hall.donation}`, { isAnonymous: true });
    const [answer] = await whileLocked(() => Promise.all([hall.join()]));
    expect(answer?.status).toBe(200);
    expect(answer?.text).toContain('Anonymous');
    expect(answer?.text).not.toContain('Ada');
  });

  it('a recorded donation is in the total', async () => {
    await hall.readAll();
    await hall.record({ amount: 100 });
    const [own, list] = await whileLocked(() =>
      Promise.all([hall.read(`/events/${hall.event.slug}`), hall.read('/events/public')]),
    );
    expect(JSON.parse(own?.text ?? '')).toMatchObject({ totalRaised: 2_600 });
    const listed = JSON.parse(list?.text ?? '') as { slug: string; totalRaised: number }[];
    expect(listed.find(({ slug }) => slug === hall.event.slug)?.totalRaised).toBe(2_600);
  });

  it('changed settings are in the answer', async () => {
    await hall.readAll();
    await hall.patch('/settings/global', { organization: 'Harbour Trust' });
    const answers = await whileLocked(() =>
      Promise.all(['/settings/global', `/events/${hall.event.slug}/settings`, '/'].map(hall.read)),
    );
    for (const { text } of answers) expect(text).toContain('Harbour Trust');
  });
});
