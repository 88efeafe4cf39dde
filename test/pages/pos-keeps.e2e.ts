import { afterEach, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../support/browser.js';
import { startCuttableProxy } from '../support/cuttable-proxy.js';
import { sql } from '../support/fixtures.js';
import { allSent, goTo, openTill, record, signIn, waits, withTills } from '../support/pos.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';
import { withService, withOpened, withAdmin } from '../support/setup.js';

describeWithChromium('saved records of a terminal', (executablePath) => {
  const app = withService();
  const proxy = withOpened(() => startCuttableProxy(app.url));
  const url = () => proxy.url.replace(/\/$/, '');
  const browser = withOpened(() => launchBrowser(executablePath));
  const admin = withAdmin(app);
  afterEach(() => proxy.mend());
  const tills = withTills(app, admin, browser, url);

  const begin = () => tills.begin();
  const amounts = () => tills.amounts();

  it('a record survives a reload without a network and is sent later with its original time', async () => {
    const page = await begin();
    await proxy.cut();
    await record(page, '12.50', 'cash');
    await record(page, '99', 'pledge');
    await page.reload();
    await page.waitForSelector('html[data-ready] .pos');
    await waits(page, 2);
    expect(await page.getAttribute('.last', 'data-state')).toBe('waiting');
    expect(await page.getAttribute('.last', 'data-amount')).toBe('9900');
    const before = Date.now();
    await page.waitForTimeout(1_500);
    await proxy.mend();
    await allSent(page);
    expect(await amounts()).toEqual([1250, 9900]);
    const [row] = await sql<{ recorded_at: Date; created_at: Date }>(
      app,
      'SELECT recorded_at, created_at FROM donation WHERE event_id = $1 ORDER BY recorded_at LIMIT 1',
      [tills.event.id],
    );
    expect(row?.recorded_at.getTime()).toBeLessThan(before);
    expect(row?.created_at.getTime()).toBeGreaterThan(before);
  });

  it('a record is on the disk before it is sent', async () => {
    const page = await begin();
    await page.evaluate(`{
      const send = fetch;
      globalThis.order = [];
      globalThis.fetch = (request, options) => {
        const { url, method } = request instanceof Request ? request : new Request(request, options);
        if (method === 'POST' && new URL(url).pathname === '/donations') order.push('sent');
        return send(request, options);
      };
      IDBDatabase.prototype.transaction = new Proxy(IDBDatabase.prototype.transaction, {
        apply(target, database, [stores, mode, options]) {
          const transaction = Reflect.apply(target, database, [stores, mode, options]);
          if (mode === 'readwrite' && stores.includes('queue'))
            transaction.addEventListener('complete', () => order.push('kept ' + options?.durability));
          return transaction;
        },
      });
    }`);
    await record(page, '5', 'cash');
    await allSent(page);
    // The terminal saves the record, marks it as sent, sends it, and then removes it from the queue.
    expect(await page.evaluate('order')).toEqual(['kept strict', 'kept strict', 'sent', 'kept strict']);
  });

  it('a record is booked once after a double tap and when two tabs send it', async () => {
    const page = await begin();
    await page.keyboard.type('7');
    await page.click('.kind:has(input[value=cash])');
    await page.dblclick('.button--record');
    await page.waitForSelector('.last');
    await allSent(page);
    await proxy.cut();
    const second = await page.context().newPage();
    await second.goto(`${url()}/pos`);
    await second.waitForSelector('html[data-ready] .pos');
    await record(page, '8', 'cash');
    await record(second, '9', 'check');
    for (const tab of [page, second]) await waits(tab, 2);
    await proxy.mend();
    await Promise.all([page, second].map((tab) => tab.evaluate(`dispatchEvent(new Event('online'))`)));
    for (const tab of [page, second]) await allSent(tab);
    expect(await amounts()).toEqual([700, 800, 900]);
  });

  it('a record is booked once after lost answers and repeated requests', async () => {
    const page = await begin();
    let answers = 0;
    await page.route('**/donations', async (route) => {
      if (route.request().method() !== 'POST' || answers >= 3) {
        await route.continue();
        return;
      }
      // The service books the record, but the terminal gets no answer.
      await route.fetch();
      answers += 1;
      await route.abort();
    });
    await record(page, '31', 'cash');
    await allSent(page);
    expect(answers).toBe(3);
    expect(await amounts()).toEqual([3100]);
  });

  it('a record ignores answers of captive portals and proxies, and waits as long as the server asks', async () => {
    const page = await begin();
    const sent: number[] = [];
    const answers = [
      { status: 200, contentType: 'text/html', body: '<h1>Welcome to the hotel</h1>' },
      { status: 404, contentType: 'text/html', body: 'no such backend' },
      { status: 400, contentType: 'application/json', body: '{"error":"a gateway"}' },
      {
        status: 503,
        contentType: 'application/json',
        headers: { 'Retry-After': '2' },
        body: '{"statusCode":503,"message":"x","error":"x","code":"OVERLOADED"}',
      },
    ];
    await page.route('**/donations', async (route) => {
      if (route.request().method() !== 'POST') {
        await route.continue();
        return;
      }
      const answer = answers[sent.length];
      sent.push(Date.now());
      await (answer ? route.fulfill(answer) : route.continue());
    });
    await record(page, '20', 'cash');
    // A returned network ends the growing pauses after the first answers, but not the time that the server asks for.
    while (sent.length < answers.length) {
      await page.evaluate(`dispatchEvent(new Event('online'))`);
      await page.waitForTimeout(50);
    }
    await allSent(page);
    expect(sent).toHaveLength(5);
    expect((sent[4] ?? 0) - (sent[3] ?? 0)).toBeGreaterThanOrEqual(1_990);
    expect(await amounts()).toEqual([2000]);
  });

  it('a record waits no longer than the server asks although the device clock is corrected meanwhile', async () => {
    const page = await begin();
    await page.evaluate(`{
      const now = Date.now;
      globalThis.ahead = 3 * 3_600_000;
      Date.now = () => now() + globalThis.ahead;
    }`);
    let refused = 0;
    await page.route('**/donations', async (route) => {
      if (route.request().method() !== 'POST' || refused > 0) {
        await route.continue();
        return;
      }
      refused += 1;
      await route.fulfill({
        status: 503,
        contentType: 'application/json',
        headers: { 'Retry-After': '1' },
        body: '{"statusCode":503,"message":"x","error":"x","code":"OVERLOADED"}',
      });
    });
    await record(page, '20', 'cash');
    await until(() => refused === 1);
    await page.evaluate('globalThis.ahead = 0');
    await allSent(page);
    expect(await amounts()).toEqual([2000]);
  });

  it('a record waits for its member after a sign-out, with a warning first', async () => {
    const page = await begin();
    const ada = await tills.colleague('Ada Byron');
    await proxy.cut();
    await record(page, '40', 'cash');
    await record(page, '2.50', 'cash');
    await goTo(page, 'More');
    await page.click('button:text-is("Sign out")');
    expect(await page.textContent('dialog [data-unsent="2"]')).toContain('2 records (€42.50)');
    await page.click('dialog button:has-text("Sign out anyway")');
    await page.waitForSelector('.sign-in [data-waiting="2"]');
    expect(await page.textContent('.sign-in [data-waiting]')).toContain('Maria Lopez');
    await proxy.mend();
    await signIn(page, ada, tills.event.slug);
    await record(page, '1', 'cash');
    await waits(page, 2);
    await until(async () => (await amounts()).length === 1);
    await goTo(page, 'History');
    expect(await page.textContent('main')).toContain('Sent when Maria Lopez signs in');
    await goTo(page, 'More');
    await page.click('button:text-is("Sign out")');
    await page.waitForSelector('.sign-in');
    await signIn(page, tills.maria, tills.event.slug);
    await allSent(page);
    expect((await tills.booked()).map(({ amount, staff_name }) => [amount, staff_name])).toEqual([
      [4000, 'Maria Lopez'],
      [250, 'Maria Lopez'],
      [100, 'Ada Byron'],
    ]);
  });

  it('records wait after the session was revoked, and the member can continue recording', async () => {
    const page = await begin();
    await tills.endSession();
    await record(page, '60', 'cash');
    await page.waitForSelector('.banner:has-text("Maria Lopez is no longer signed in")');
    await record(page, '61', 'cash');
    await page.reload();
    await page.waitForSelector('html[data-ready] .pos');
    await waits(page, 2);
    expect(await amounts()).toEqual([]);
    await page.click('.banner button:text-is("Sign in")');
    await signIn(page, tills.maria, tills.event.slug);
    await allSent(page);
    expect(await amounts()).toEqual([6000, 6100]);
    expect(await page.isVisible('.banner')).toBe(false);
  });

  it('a volunteer confirms an unusually large amount when correcting a rejected record', async () => {
    const page = await begin();
    // The terminal has not read the new limit yet.
    await tills.patch(`/events/${tills.event.id}/settings`, { donation: { maxOfflineAmount: 10_000 } });
    await record(page, '500', 'cash');
    await page.waitForSelector('.banner:has-text("not accepted")');
    await tills.patch(`/events/${tills.event.id}/settings`, { donation: { maxOfflineAmount: null } });
    await goTo(page, 'History');
    await page.click('.row[data-state=refused] button');
    await page.fill('dialog input[inputmode=decimal]', '5000000');
    await page.click('dialog button:text-is("Send again")');
    await page.waitForSelector('dialog .field__error:has-text("It is more than €1,000.00.")');
    expect(await amounts()).toEqual([]);
    await page.fill('dialog input[inputmode=decimal]', '5000');
    await page.check('dialog label:has-text("The amount is correct") input');
    await page.click('dialog button:text-is("Send again")');
    await allSent(page);
    expect(await amounts()).toEqual([500_000]);
  });

  it('a rejected record stays visible until it is corrected under a new key or discarded with a log entry', async () => {
    const page = await begin();
    // The terminal has not read the new limit yet.
    await tills.patch(`/events/${tills.event.id}/settings`, { donation: { maxOfflineAmount: 10_000 } });
    const key = await record(page, '500', 'cash');
    await record(page, '700', 'check');
    await page.waitForSelector('.banner:has-text("2 records were not accepted")');
    await record(page, '3', 'cash');
    await until(async () => (await amounts()).includes(300));
    await page.reload();
    await page.waitForSelector('html[data-ready] .pos');
    await goTo(page, 'History');
    await page.click(`.row[data-id="${key}"] button`);
    expect(await page.textContent('dialog .note')).toContain('larger than allowed for one record');
    await page.fill('dialog input[inputmode=decimal]', '50,00');
    await page.click('dialog button:text-is("Send again")');
    await until(async () => (await amounts()).includes(5000));
    await page.click('.row[data-state=refused] button');
    await page.click('dialog button:text-is("Discard")');
    await page.click('dialog button:text-is("Discard")');
    await allSent(page);
    expect((await amounts()).sort((a, b) => a - b)).toEqual([300, 5000]);
    await goTo(page, 'More');
    await page.click('.log summary');
    const log = await page.textContent('.log__list');
    expect(log).toMatch(/Maria Lopez · discarded · €700\.00 Cheque/);
    expect(log).toMatch(/Maria Lopez · corrected and sent again · €500\.00 Cash/);
    const keys = await sql<{ key: string }>(
      app,
      "SELECT key FROM idempotency_key WHERE scope = 'record' AND key = $1",
      [key],
    );
    expect(keys).toEqual([]);
  });

  it('a full disk prevents a record: the terminal warns before the volunteer accepts money', async () => {
    await tills.prepare();
    const context = await browser.newContext();
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    // The browser keeps its measurement of the storage for half a minute. So the test sets the limit before the first
    // measurement.
    await cdp.send('Storage.overrideQuotaForOrigin', { origin: url(), quotaSize: 8_000_000 });
    await page.goto(`${url()}/pos`);
    await signIn(page, tills.maria, tills.event.slug);
    await page.keyboard.type('45');
    await page.click('.kind:has(input[value=cash])');
    await fillDisk(page);
    await page.click('.button--record');
    await page.waitForSelector('dialog[open]:has-text("Not recorded. Do not take money.")');
    await page.click('dialog button');
    expect(await page.getAttribute('.pill', 'data-waiting')).toBe('0');
    await page.reload();
    await page.waitForSelector('.banner:has-text("Do not take money here")');
    expect(await page.isDisabled('.key >> nth=0')).toBe(true);
    await page.evaluate(`new Promise((done) => (indexedDB.deleteDatabase('filler').onsuccess = done))`);
    await page.click('.banner button:text-is("Try again")');
    await page.waitForSelector('.key:enabled');
    // The reload kept the input that was not recorded. Esc clears the input.
    expect(await page.getAttribute('.display', 'data-amount')).toBe('4500');
    await page.keyboard.press('Escape');
    await record(page, '46', 'cash');
    await allSent(page);
    expect(await amounts()).toEqual([4600]);
    await context.close();
  });

  it.each([
    ['was booked', true, 'In the list: remove it here'],
    ['was not booked', false, 'Not in the list: send it again'],
  ])(
    'a record sent three days ago without an answer waits for the member: it %s',
    async (_, wasBooked, button) => {
      const page = await begin();
      await page.route(
        '**/donations',
        async (route) => {
          if (wasBooked) await route.fetch();
          await proxy.cut();
          await route.abort();
        },
        { times: 1 },
      );
      const key = await record(page, '33', 'cash');
      await page.waitForSelector('.pill[data-online=false]');
      const then = wasBooked ? [3300] : [];
      expect(await amounts()).toEqual(then);
      // The tablet was switched off. The service deletes idempotency keys after three days.
      await page.clock.install({ time: Date.now() + 73 * 3_600_000 });
      await proxy.mend();
      await page.reload();
      await page.waitForSelector('.banner:has-text("1 record was not accepted. Please review it")');
      await record(page, '34', 'cash');
      // The old record does not delay other records, and the terminal does not send it without a decision.
      await until(async () => (await amounts()).includes(3400));
      await page.waitForTimeout(2_500);
      // The terminal corrects its clock by whole seconds. So the order of two records in the same second is not defined.
      expect((await amounts()).sort()).toEqual([...then, 3400]);
      await goTo(page, 'History');
      await page.click(`.row[data-id="${key}"] button`);
      expect(await page.textContent('dialog .note')).toContain('more than two days ago');
      await page.click(`dialog button:text-is("${button}")`);
      await allSent(page);
      expect((await amounts()).sort()).toEqual([3300, 3400]);
      if (!wasBooked) return;
      await goTo(page, 'More');
      await page.click('.log summary');
      expect(await page.textContent('.log__list')).toMatch(/Maria Lopez · discarded · €33\.00 Cash/);
    },
  );

  it('a member can sign in within three seconds after a network that refuses, swallows everything or is off returns', async () => {
    await tills.prepare();
    const event = tills.event.slug;
    // The test waits for seconds, so the three networks fail side by side.
    const comeBack = async (kind: string) => {
      const own = await startCuttableProxy(app.url);
      const { page } = await openTill(browser, own.url.replace(/\/$/, ''));
      await signIn(page, tills.maria, event);
      await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
      await goTo(page, 'More');
      await page.click('button:text-is("Sign out")');
      await page.waitForSelector('.sign-in');
      if (kind === 'refuses') await own.cut();
      else if (kind === 'is off') await page.context().setOffline(true);
      else own.hang();
      await page.reload();
      await page.waitForSelector('html[data-ready] .sign-in');
      const listed = `.sign-in option[value="${event}"]`;
      // The test waits until the pauses between the attempts have reached their maximum.
      await page.waitForTimeout(7_000);
      expect(await page.locator(listed).count()).toBe(0);
      if (kind === 'is off') await page.context().setOffline(false);
      else await own.mend();
      await page.waitForSelector(listed, { state: 'attached', timeout: 3_000 });
      await signIn(page, tills.maria, event);
      await page.context().close();
      await own.close();
    };
    await Promise.all(['refuses', 'swallows everything', 'is off'].map(comeBack));
  });

  it('waiting records are deleted only after a warning, with a log entry', async () => {
    const page = await begin();
    await proxy.cut();
    await record(page, '80', 'cash');
    await goTo(page, 'More');
    await page.click('button:text-is("Clear this terminal")');
    expect(await page.textContent('dialog [data-unsent="1"]')).toContain('1 record (€80.00)');
    await page.click('dialog button:text-is("Clear")', { force: true });
    expect(await page.isVisible('dialog[open]')).toBe(true);
    await page.check('dialog input[type=checkbox]');
    // The page loads itself again. Without this wait, the reload below would interrupt it.
    const loaded = page.waitForEvent('load');
    await page.click('dialog button:text-is("Clear")');
    await loaded;
    await page.waitForSelector('html[data-ready] .sign-in');
    expect(await page.isVisible('.sign-in [data-waiting]')).toBe(false);
    await proxy.mend();
    await page.reload();
    await signIn(page, tills.maria, tills.event.slug);
    await goTo(page, 'More');
    await page.click('.log summary');
    expect(await page.textContent('.log__list')).toMatch(
      /Maria Lopez · lost when the terminal was cleared · €80\.00 Cash/,
    );
    expect(await amounts()).toEqual([]);
  });

  it('another member sends records only after an admin released the terminal, and they keep their collector', async () => {
    const page = await begin();
    const ada = await tills.colleague('Ada Byron');
    const { body } = await admin
      .post('/terminals/codes', { name: 'Table 4', eventId: tills.event.id })
      .expect(201);
    const code = (body as { code: string }).code;
    await page.goto(`${url()}/pos#enrol=${code}`);
    await page.waitForSelector('dialog[open]');
    expect(new URL(page.url()).hash).toBe('');
    await page.click('dialog button:text-is("Enrol")');
    // After the next sign-in, each record contains the name of the terminal.
    await page.waitForSelector('.sign-in');
    await page.waitForSelector('dialog', { state: 'detached' });
    await signIn(page, tills.maria);
    await proxy.cut();
    await record(page, '15', 'cash');
    await goTo(page, 'More');
    await page.click('button:text-is("Sign out")');
    await page.click('dialog button:has-text("Sign out anyway")');
    await page.waitForSelector('.sign-in');
    await proxy.mend();
    await signIn(page, ada);
    await waits(page, 1);
    const terminal = async () =>
      (
        (await admin.get('/terminals').expect(200)).body as {
          data: {
            id: string;
            name: string;
            waiting: number;
            staff: { name: string } | null;
            appVersion: string;
          }[];
        }
      ).data.find(({ name }) => name === 'Table 4');
    const beat = () => page.evaluate(`dispatchEvent(new Event('online'))`);
    await beat();
    // The sign-in reports the member. The heartbeat after it reports the number of waiting records.
    await until(async () => (await terminal())?.waiting === 1);
    expect(await terminal()).toMatchObject({
      staff: { name: 'Ada Byron' },
      appVersion: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    expect(await amounts()).toEqual([]);
    await admin.post(`/terminals/${(await terminal())?.id}/release`).expect(200);
    await beat();
    await allSent(page);
    expect(await tills.booked()).toMatchObject([
      { amount: 1500, type: 'cash', staff_name: 'Maria Lopez', status: 'COMPLETED' },
    ]);
    await admin.delete(`/terminals/${(await terminal())?.id}`).expect(200);
    await beat();
    await page.waitForSelector('.banner:has-text("blocked this terminal")');
  });

  it('a released record is sent although an earlier one waits for its own member', async () => {
    const page = await begin();
    const [ada, grace] = [await tills.colleague('Ada Byron'), await tills.colleague('Grace Hopper')];
    const recordAndLeave = async (amount: string) => {
      await proxy.cut();
      await record(page, amount, 'cash');
      await goTo(page, 'More');
      await page.click('button:text-is("Sign out")');
      await page.click('dialog button:has-text("Sign out anyway")');
      await page.waitForSelector('.sign-in');
      await proxy.mend();
    };
    // Maria signed in before an admin enrolled the device as a terminal.
    await recordAndLeave('15');
    const { body: made } = await admin
      .post('/terminals/codes', { name: 'Table 9', eventId: tills.event.id })
      .expect(201);
    await page.goto(`${url()}/pos#enrol=${(made as { code: string }).code}`);
    await page.click('dialog button:text-is("Enrol")');
    await page.waitForSelector('.sign-in');
    await page.waitForSelector('dialog', { state: 'detached' });
    await signIn(page, ada);
    await recordAndLeave('20');
    await signIn(page, grace);
    await waits(page, 2);
    const { body: list } = await admin.get('/terminals').expect(200);
    const { data } = list as { data: { id: string; name: string }[] };
    const id = data.find(({ name }) => name === 'Table 9')?.id;
    await admin.post(`/terminals/${id}/release`).expect(200);
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await waits(page, 1);
    expect(await tills.booked()).toMatchObject([{ amount: 2000, staff_name: 'Ada Byron' }]);
  });
});

/** Fills the remaining storage with another database of the same origin. */
const fillDisk = (page: Page): Promise<void> =>
  page.evaluate(`new Promise((done, failed) => {
    const opening = indexedDB.open('filler', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('filler', { autoIncrement: true });
    opening.onerror = failed;
    opening.onsuccess = async () => {
      const database = opening.result;
      const put = (size) => new Promise((kept) => {
        const transaction = database.transaction('filler', 'readwrite', { durability: 'strict' });
        transaction.objectStore('filler').put(crypto.getRandomValues(new Uint8Array(Math.min(size, 65_536))));
        transaction.oncomplete = () => kept(true);
        transaction.onabort = () => kept(false);
      });
      for (const size of [65_536, 4_096, 256]) while (await put(size));
      database.close();
      done();
    };
  })`);
