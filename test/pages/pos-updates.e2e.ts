/// <reference lib="dom" />
import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../support/browser.js';
import { startCuttableProxy } from '../support/cuttable-proxy.js';
import { sql } from '../support/fixtures.js';
import { OwnBrowser } from '../support/own-browser.js';
import { allSent, record, signIn, waits, withTills } from '../support/pos.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';
import { withService, withOpened, withAdmin } from '../support/setup.js';

describeWithChromium('a new version of the terminal page', (executablePath) => {
  const app = withService();
  const proxy = withOpened(() => startCuttableProxy(app.url));
  const url = () => proxy.url.replace(/\/$/, '');
  const browser = withOpened(() => launchBrowser(executablePath));
  let tablet: OwnBrowser | undefined;
  afterEach(async () => {
    await proxy.mend();
    await tablet?.close();
    tablet = undefined;
  });
  const tills = withTills(app, withAdmin(app), browser, url);

  const versionOf = (page: Page) =>
    page.evaluate<string>(`JSON.parse(document.body.dataset.model).version`).catch(() => '');
  const runsAnother = (page: Page, before: string) =>
    until(async () => !['', before].includes(await versionOf(page)), 'another version');
  /** Releases a new version of the page. Its version depends on its text and its files. */
  const release = () => tills.patch('/settings/global', { organization: `Helping Hands ${randomUUID()}` });
  const findIt = (page: Page) =>
    page.evaluate(
      'navigator.serviceWorker.getRegistration().then((one) => one.update()).then(() => undefined)',
    );
  const banner = (page: Page) => page.waitForSelector('.banner:has-text("A new version is available")');

  /** Returns the keys of the booked records, in order. */
  const bookedKeys = async () =>
    (
      await sql<{ key: string }>(
        app,
        `SELECT k.key FROM donation d LEFT JOIN idempotency_key k ON k.donation_id = d.id AND k.scope = 'record'
         WHERE d.event_id = $1 ORDER BY coalesce(d.recorded_at, d.created_at)`,
        [tills.event.id],
      )
    ).map(({ key }) => key);

  /** Opens the page in a browser that the test can kill, as a tablet opens it from its home screen. */
  async function switchOn(): Promise<Page> {
    tablet ??= new OwnBrowser(executablePath);
    const context = await tablet.start();
    const page = context.pages()[0] ?? (await context.newPage());
    await page.goto(`${url()}/pos`);
    await page.waitForSelector('html[data-ready]');
    return page;
  }

  /** Opens a tablet on which Maria is signed in. From now on the page can start without a network. */
  async function beginOnTablet(): Promise<Page> {
    await tills.prepare();
    const page = await switchOn();
    await signIn(page, tills.maria, tills.event.slug);
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    return page;
  }

  it('the new version waits while records wait during work, and starts when no record waits', async () => {
    const page = await tills.begin();
    const before = await versionOf(page);
    await tills.endSession();
    await record(page, '70', 'cash');
    await page.waitForSelector('.banner:has-text("no longer signed in")');
    await release();
    await findIt(page);
    await banner(page);
    expect(await versionOf(page)).toBe(before);
    await page.click('.banner button:text-is("Sign in")');
    await signIn(page, tills.maria, tills.event.slug);
    await runsAnother(page, before);
    await page.waitForSelector('html[data-ready] .pos');
    await allSent(page);
    expect(await tills.amounts()).toEqual([7000]);
  });

  it('a downloaded version starts at the next start without a network, and waiting records are sent once', async () => {
    const page = await beginOnTablet();
    const before = await versionOf(page);
    await tills.endSession();
    const keys = [await record(page, '71', 'cash'), await record(page, '72', 'check')];
    await page.waitForSelector('.banner:has-text("no longer signed in")');
    await release();
    await findIt(page);
    await banner(page);
    await proxy.cut();
    await tablet?.kill();
    const again = await switchOn();
    await runsAnother(again, before);
    await again.waitForSelector('html[data-ready] .pos');
    await waits(again, 2);
    keys.push(await record(again, '73', 'cash'));
    await waits(again, 3);
    expect(await tills.amounts()).toEqual([]);
    await proxy.mend();
    await again.click('.banner button:text-is("Sign in")');
    await signIn(again, tills.maria, tills.event.slug);
    await allSent(again);
    expect(await tills.amounts()).toEqual([7100, 7200, 7300]);
    expect(await bookedKeys()).toEqual(keys);
  });

  it('a version released while the tablet is off starts although records wait, and they are sent once', async () => {
    const page = await beginOnTablet();
    const before = await versionOf(page);
    await tills.endSession();
    await proxy.cut();
    const keys = [await record(page, '81', 'cash'), await record(page, '82', 'pledge')];
    await tablet?.kill();
    await release();
    await proxy.mend();
    const again = await switchOn();
    await runsAnother(again, before);
    await again.waitForSelector('html[data-ready] .pos');
    // The terminal keeps the records, because no signed-in member can send them.
    await again.waitForSelector('.banner:has-text("no longer signed in")');
    await waits(again, 2);
    expect(await tills.amounts()).toEqual([]);
    await again.click('.banner button:text-is("Sign in")');
    await signIn(again, tills.maria, tills.event.slug);
    await allSent(again);
    expect(await bookedKeys()).toEqual(keys);
  });

  it('a version released while records are sent loses none and sends none twice', async () => {
    const page = await beginOnTablet();
    const before = await versionOf(page);
    await proxy.cut();
    const keys: string[] = [];
    for (let amount = 1; amount <= 8; amount++) keys.push(await record(page, String(amount), 'cash'));
    await tablet?.kill();
    await release();
    await proxy.mend();
    const again = await switchOn();
    await runsAnother(again, before);
    await again.waitForSelector('html[data-ready] .pos');
    await allSent(again);
    expect(await bookedKeys()).toEqual(keys);
    expect(await tills.amounts()).toEqual([100, 200, 300, 400, 500, 600, 700, 800]);
  });

  it('a new version does not start while a member types', async () => {
    const page = await beginOnTablet();
    await tills.endSession();
    await record(page, '5', 'cash');
    await page.waitForSelector('.banner:has-text("no longer signed in")');
    await tablet?.kill();
    const again = await switchOn();
    const before = await versionOf(again);
    await again.waitForSelector('.pos');
    await again.keyboard.type('12');
    await release();
    await findIt(again);
    await banner(again);
    expect(await again.textContent('.display')).toBe('€12');
    expect(await versionOf(again)).toBe(before);
    // The input is empty again. But a record waits and a member is signed in, so the page does not restart.
    await again.keyboard.press('Escape');
    await banner(again);
    expect(await versionOf(again)).toBe(before);
    await again.click('.banner button:text-is("Restart now")');
    await runsAnother(again, before);
    await again.waitForSelector('html[data-ready] .pos');
    await waits(again, 1);
  });

  it('a new version reads records of the first version in every state, of present and other members', async () => {
    const page = await tills.begin();
    const [donor, refused, foreign] = [randomUUID(), randomUUID(), randomUUID()];
    const base = {
      event: { id: tills.event.id, name: 'Winter Gala', currency: 'eur' },
      owner: { id: tills.maria.id, name: 'Maria Lopez' },
    };
    const body = (fields: object) => ({
      ...{ type: 'cash', eventId: tills.event.id, recordedAt: new Date().toISOString() },
      ...fields,
    });
    // Rows in the form of the first release of the page. Later releases may add fields but must still read these rows.
    const rows = [
      {
        ...{ ...base, key: donor, state: 'waiting', triedAt: Date.now() },
        body: body({
          ...{ amount: 1_250, type: 'pledge', donorName: 'Ada', donorEmail: 'ada@example.org' },
          ...{ message: 'For the roof', isAnonymous: true, confirmed: true, paddle: '117' },
        }),
      },
      {
        ...{ ...base, key: refused, state: 'refused', body: body({ amount: 700 }) },
        refusal: { code: 'AMOUNT_TOO_LARGE', message: 'Too large' },
      },
      {
        ...{ ...base, key: foreign, state: 'waiting', body: body({ amount: 900 }) },
        owner: { id: randomUUID(), name: 'Grace Hopper' },
      },
    ];
    await page.evaluate(`new Promise((done, failed) => {
      const opening = indexedDB.open('pos', 1);
      opening.onerror = opening.onupgradeneeded = failed;
      opening.onsuccess = () => {
        const writing = opening.result.transaction('queue', 'readwrite');
        for (const row of ${JSON.stringify(rows)}) writing.objectStore('queue').put(row);
        writing.oncomplete = () => done();
        writing.onabort = failed;
      };
    })`);
    await page.reload();
    await page.waitForSelector('html[data-ready] .pos');
    await waits(page, 2);
    expect(await tills.booked()).toMatchObject([
      { amount: 1_250, type: 'pledge', donor_name: 'Ada', paddle: '117', staff_name: 'Maria Lopez' },
    ]);
    expect(await bookedKeys()).toEqual([donor]);
    await page.click('.pill');
    expect(await page.textContent('main')).toContain('Sent when Grace Hopper signs in');
    await page.click(`.row[data-id="${refused}"] button`);
    await page.click('dialog button:text-is("Send again")');
    await until(async () => (await tills.amounts()).includes(700));
    await waits(page, 1);
  });
});
