/// <reference lib="dom" />
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { as } from '../support/bearer.js';
import { accessibilityProblems, launchBrowser, SCREENS, takePicture } from '../support/browser.js';
import { insertDonation, insertManyDonations } from '../support/donation-rows.js';
import { sql } from '../support/fixtures.js';
import { allSent, type Beginning, goTo, record, signIn, withTills } from '../support/pos.js';
import { withOpened, withService, withAdmin } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

describeWithChromium('a volunteer at the terminal', (executablePath) => {
  const app = withService();
  const browser = withOpened(() => launchBrowser(executablePath));
  const tills = withTills(app, withAdmin(app), browser);

  const begin = (beginning?: Beginning) => tills.begin(beginning);
  const booked = () => tills.booked();

  it('a donation needs three touches and is shown at once', async () => {
    const page = await begin();
    const times: number[] = [];
    for (let index = 0; index < 5; index += 1) {
      await page.click('.preset >> nth=2');
      await page.click('.kind:has(input[value=card_terminal])');
      times.push(
        await page.evaluate<number>(`new Promise((done) => {
          const begin = performance.now();
          new MutationObserver(() => {
            if (document.querySelector('.last')) done(performance.now() - begin);
          }).observe(document.body, { childList: true, subtree: true });
          document.querySelector('.button--record').click();
        })`),
      );
    }
    // Only the shortest of five times must be below the limit, because other programs may use this machine.
    expect(Math.min(...times)).toBeLessThan(100);
    await allSent(page);
    expect(await booked()).toEqual(
      Array.from({ length: 5 }, () =>
        expect.objectContaining({ amount: 5000, type: 'card_terminal', status: 'COMPLETED' }),
      ),
    );
  });

  it('the terminal loses no digit typed before the screen is painted', async () => {
    const page = await begin();
    await goTo(page, 'History');
    await page.waitForSelector('.till', { state: 'detached' });
    await page.evaluate(async () => {
      document.querySelector<HTMLElement>('.nav__item')?.click();
      while (!document.querySelector('.till')) await Promise.resolve();
      for (const key of '375')
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    });
    await page.waitForSelector('[data-amount="37500"]');
  });

  it('the terminal works with a number pad alone, and screen readers announce each record', async () => {
    const page = await begin();
    await page.keyboard.type('12.5');
    await page.keyboard.press('NumpadAdd');
    await page.keyboard.press('NumpadAdd');
    await page.keyboard.press('NumpadSubtract');
    await page.keyboard.press('NumpadEnter');
    await page.waitForSelector('.last');
    await page.waitForSelector('[role=status]:text-is("Recorded: €12.50, Cash")', { state: 'attached' });
    await page.keyboard.type('99');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=status]:text-is("Choose how it was paid.")', { state: 'attached' });
    await page.keyboard.press('Escape');
    await allSent(page);
    expect(await booked()).toMatchObject([{ amount: 1250, type: 'cash' }]);
  });

  it.each([
    ['jpy', '2500', '¥2,500', 2_500],
    ['kwd', '1.2504', 'KWD 1.250', 1_250],
  ])('amounts in %s have the decimals of that currency', async (currency, typed, shown, amount) => {
    const page = await begin({ event: { currency } });
    await page.keyboard.type(typed);
    expect((await page.textContent('.display'))?.replace(/\s/g, ' ')).toBe(shown);
    expect(await page.isVisible('.key:text-is("00")')).toBe(currency === 'jpy');
    await page.click('.kind:has(input[value=cash])');
    await page.click('.button--record');
    await page.waitForSelector('.last');
    await allSent(page);
    expect(await booked()).toMatchObject([{ amount, currency }]);
  });

  it('the terminal asks to confirm an unusually large amount, and refuses an amount above the maximum', async () => {
    const page = await begin({ donation: { confirmOfflineAbove: 10_000, maxOfflineAmount: 100_000 } });
    await page.keyboard.type('500');
    await page.click('.kind:has(input[value=check])');
    await page.click('.button--record');
    expect(await page.textContent('dialog')).toContain('€500.00');
    await page.click('dialog button:text-is("Change the amount")');
    expect(await page.isVisible('.last')).toBe(false);
    await page.keyboard.press('Enter');
    await page.click('dialog button:text-is("Yes, record €500.00")');
    await page.waitForSelector('.last');
    await allSent(page);
    await page.keyboard.type('1001');
    await page.click('.kind:has(input[value=check])');
    await page.click('.button--record');
    expect(await page.textContent('dialog')).toContain('at most €1,000.00');
    await page.click('dialog button');
    expect(await booked()).toMatchObject([{ amount: 50_000 }]);
  });

  it.each([
    ['gbp', '1000', '5000000', '£5,000,000.00'],
    ['jpy', '150000', '150001', '¥150,001'],
    ['kwd', '300', '300.001', 'KWD 300.001'],
  ])(
    'the terminal asks once about an unusually large amount in %s although the event has no limit',
    async (currency, fine, large, shown) => {
      const page = await begin({ event: { currency } });
      await record(page, fine, 'cash');
      await page.keyboard.type(large);
      await page.click('.kind:has(input[value=check])');
      await page.click('.button--record');
      await page.waitForSelector('dialog :text-is("Is this amount correct?")');
      expect((await page.textContent('dialog'))?.replace(/\s/g, ' ')).toContain(shown);
      if (currency === 'gbp') expect(await looks(page, 'pos-large-amount')).toEqual([]);
      await page.click('dialog button:text-is("Change the amount")');
      expect(await booked()).toHaveLength(1);
      await page.keyboard.press('Enter');
      await page.click('dialog button:has-text("Yes, record")');
      await page.waitForSelector('dialog', { state: 'detached' });
      await allSent(page);
      expect((await booked()).map(({ type }) => type)).toEqual(expect.arrayContaining(['cash', 'check']));
    },
  );

  it('the terminal asks about an unusually large level of another person before it accepts paddle numbers', async () => {
    const page = await begin();
    await as(app, tills.maria.token).post('/pledge-rounds', { amount: 500_000_000 }).expect(201);
    await goTo(page, 'Paddles');
    await page.click('.choice:has-text("€5,000,000")');
    await page.click('dialog button:text-is("Cancel")');
    expect(await page.isVisible('.raise__number')).toBe(false);
    await page.click('.choice:has-text("€5,000,000")');
    await page.click('dialog button:text-is("Start this level")');
    await page.waitForSelector('.raise__number');
    await page.keyboard.type('7');
    await page.keyboard.press('Enter');
    await until(async () => (await booked()).length > 0, 'the pledge to be booked');
    expect(await booked()).toMatchObject([{ amount: 500_000_000, paddle: '7' }]);
  });

  it('a double tap does not answer the confirmation question', async () => {
    const page = await begin({ donation: { confirmOfflineAbove: 10_000 } });
    await page.keyboard.type('500');
    await page.click('.kind:has(input[value=check])');
    await page.evaluate(() => {
      document.querySelector<HTMLElement>('.button--record')?.click();
      return new Promise<void>((resolve) =>
        setTimeout(() => {
          const second = { detail: 2, bubbles: true, cancelable: true };
          for (const button of document.querySelectorAll('dialog button'))
            button.dispatchEvent(new MouseEvent('click', second));
          resolve();
        }),
      );
    });
    await page.click('dialog button:text-is("Change the amount")');
    await page.dblclick('.button--record');
    await page.click('dialog button:text-is("Yes, record €500.00")');
    await page.waitForSelector('.last');
    await allSent(page);
    expect(await booked()).toMatchObject([{ amount: 50_000 }]);
  });

  it('a volunteer adds the donor to a record, corrects it later, and opens the receipt', async () => {
    const page = await begin();
    await page.keyboard.type('15');
    await page.click('.donor summary');
    await page.fill('.donor input[type=text]', '  Ada Lovelace ');
    await page.fill('.donor textarea', 'For the new roof');
    await page.fill('.donor input[type=email]', 'ada@example');
    await page.click('.kind:has(input[value=cash])');
    await page.click('.button--record');
    await page.waitForSelector('.donor .field__error:text-is("Enter a valid e-mail address.")');
    expect(await page.isVisible('.last')).toBe(false);
    await page.fill('.donor input[type=email]', '');
    await page.click('.button--record');
    await page.waitForSelector('.last');
    await allSent(page);
    await goTo(page, 'History');
    await page.click('.row:has-text("Ada Lovelace") button');
    await page.fill('dialog input[type=text]', 'Ada Byron');
    await page.fill('dialog input[type=email]', 'ada@example.org');
    await page.click('dialog button:text-is("Save")');
    await until(async () => (await booked())[0]?.donor_name === 'Ada Byron');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('dialog button:text-is("Receipt (PDF)")'),
    ]);
    expect(download.suggestedFilename()).toMatch(/^receipt-.*\.pdf$/);
    // After a record was sent, the terminal keeps no data of the donor.
    const kept = await page.evaluate<string>(`new Promise((done) => {
      const opening = indexedDB.open('pos');
      opening.onsuccess = () => {
        const reading = opening.result.transaction('sent').objectStore('sent').getAll();
        reading.onsuccess = () => done(JSON.stringify(reading.result));
      };
    })`);
    expect(kept).toContain('"amount":1500');
    expect(kept).not.toMatch(/Ada|roof/);
  });

  it('a volunteer fulfils a pledge at the till', async () => {
    const page = await begin();
    await record(page, '250', 'pledge');
    await allSent(page);
    await goTo(page, 'History');
    await page.click('.row[data-state=pledged] button');
    await page.click('dialog .choice:has-text("Cash")');
    await until(async () => (await booked())[0]?.status === 'COMPLETED');
    expect(await booked()).toMatchObject([{ amount: 25_000, type: 'cash' }]);
  });

  it('a volunteer finds all pledges of a paddle with their sum and their online payments', async () => {
    const page = await begin();
    const { body: round } = await as(app, tills.maria.token)
      .post('/pledge-rounds', { amount: 5_000 })
      .expect(201);
    const many = 230;
    await insertManyDonations(app, tills.event.id, many, {
      id: "(lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - 100000 + i), 12, '0') || '70008' || left(md5($1::uuid::text || i), 15))::uuid",
      amount: '5000',
      type: "'pledge'",
      status: "'PENDING'",
      donor_name: 'NULL',
      paddle: '(100 + i)::text',
      round_id: `'${(round as { id: string }).id}'`,
      staff_id: `'${tills.maria.id}'`,
      staff_name: "'Maria Lopez'",
      completed_at: 'NULL',
      created_at: "now() - interval '100 seconds' + i * interval '1 millisecond'",
      updated_at: 'now()',
    });
    await goTo(page, 'History');
    await page.waitForSelector('.records__sum:text-is("230 records · €11,500.00 pledged")');
    expect(await page.locator('.row').count()).toBe(200);
    expect(await looks(page, 'pos-records-many')).toEqual([]);
    await page.locator('button:text-is("Show older records")').scrollIntoViewIfNeeded();
    await takePicture(page, 'pos-records-older');
    await page.click('button:text-is("Show older records")');
    await page.waitForSelector('.row:has-text("Paddle 101")');
    expect(await page.locator('.row').count()).toBe(many);
    expect(await page.isVisible('button:text-is("Show older records")')).toBe(false);

    // The donor comes to the table and pays.
    await page.getByLabel('Paddle number').fill('103');
    await page.waitForSelector('.records__sum:text-is("1 record · €50.00 pledged")');
    await page.click('.row:has-text("Paddle 103") button');
    await page.click('dialog .choice:has-text("Cash")');
    await page.waitForSelector('dialog button:text-is("Receipt (PDF)")');
    await page.click('dialog button:text-is("Close")');
    await page.waitForSelector('.row[data-state=recorded]');
    await page.waitForSelector('.records__sum:text-is("1 record · €50.00")');

    // Meanwhile another donor has paid with the payment link.
    const [next] = await sql<{ id: string }>(
      app,
      "SELECT id FROM donation WHERE event_id = $1 AND paddle = '104'",
      [tills.event.id],
    );
    const payer = await insertDonation(app, tills.event.id, { type: 'card', amount: 5_000 });
    await sql(app, "UPDATE donation SET status = 'CANCELLED', paid_by = $2 WHERE id = $1", [next?.id, payer]);
    await page.getByLabel('Paddle number').fill('104');
    await page.waitForSelector('.row[data-state=paidOnline]:has-text("Paid online")');
    await page.getByLabel('Paddle number').fill('9');
    await page.waitForSelector('text=Nothing recorded yet.');
    expect(await page.getByLabel('Paddle number').inputValue()).toBe('9');
    await page.getByLabel('Paddle number').fill('');
    await page.waitForSelector('.row[data-state=pledged]');
  });

  it('a volunteer undoes a record that is sent, waiting, or sent without an answer', async () => {
    const page = await begin();
    await record(page, '1', 'cash');
    await allSent(page);
    await page.click('.last button:has-text("Undo (10 min left)")');
    await page.waitForSelector('.last[data-state=undone]');
    await page.context().setOffline(true);
    await page.waitForSelector('.pill[data-online=false]');
    let answered = false;
    await record(page, '2', 'cash');
    await page.click('.last button:text-is("Undo")');
    await page.waitForSelector('.pill[data-waiting="0"]');
    await page.context().setOffline(false);
    await page.waitForSelector('.pill[data-online=true]');
    await page.route('**/donations', async (route) => {
      if (route.request().method() !== 'POST' || answered) {
        await route.continue();
        return;
      }
      // The service books the record, but the answer is lost.
      await route.fetch();
      answered = true;
      await page.context().setOffline(true);
      await route.abort();
    });
    await record(page, '3', 'cash');
    await page.waitForSelector('.pill[data-online=false]');
    await page.click('.last button:text-is("Undo")');
    await page.waitForSelector('.last[data-state=undoing]');
    await page.context().setOffline(false);
    await allSent(page);
    await until(async () => (await booked()).every(({ status }) => status === 'CANCELLED'));
    expect((await booked()).map(({ amount }) => amount)).toEqual(expect.arrayContaining([100, 300]));
    await record(page, '4', 'cash');
    await allSent(page);
    const counting = (await booked()).filter(({ status }) => status === 'COMPLETED');
    expect(counting).toMatchObject([{ amount: 400 }]);
  });

  it('a volunteer opens a shift, counts it blind, and closes it with a second signature', async () => {
    const page = await begin();
    const ada = await tills.colleague('Ada Byron');
    await goTo(page, 'Shift');
    await page.fill('.shift input', '100');
    await page.click('button:text-is("Open a shift")');
    await page.waitForSelector('[data-denomination]');
    await goTo(page, 'Take');
    await record(page, '37.50', 'cash');
    await record(page, '20', 'card_terminal');
    await allSent(page);
    // No other page shows the sum of the cash to staff.
    await goTo(page, 'History');
    await page.waitForSelector('.records__sum:text-is("Without cash: 1 record · €20.00")');
    await goTo(page, 'Shift');
    await page.waitForSelector('[data-denomination]');
    expect(await page.textContent('main')).not.toContain('137');
    await page.fill('[data-denomination="10000"]', '1');
    await page.fill('[data-denomination="2000"]', '1');
    await page.fill('[data-denomination="1000"]', '1');
    await page.fill('[data-denomination="500"]', '1');
    await page.fill('[data-denomination="200"]', '1');
    await page.fill('input[maxlength="50"]', 'B-17');
    expect(await looks(page, 'pos-shift-count')).toEqual([]);
    await page.click('button:text-is("Finish the count")');
    expect(await page.textContent('[data-line=expected]')).toContain('€137.50');
    expect(await page.textContent('[data-line=difference]')).toContain('-€0.50');
    await page.fill('.shift input[type=password]', tills.maria.code);
    await page.click('button:text-is("Sign and close")');
    await page.waitForSelector('.shift [role=alert]:has-text("not the PIN of another team member")');
    await page.fill('.shift input[type=password]', ada.code);
    await page.click('button:text-is("Sign and close")');
    await page.waitForSelector('button:text-is("Print the slip")');
    expect(await page.textContent('.slip')).toContain('Signed by Ada Byron');
    expect(await looks(page, 'pos-shift-slip')).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    expect(await page.isVisible('.slip')).toBe(true);
    expect(await page.isVisible('.nav')).toBe(false);
  });

  it('an empty count needs a confirmation, does not show the expected sum, and can be counted again', async () => {
    const page = await begin();
    const ada = await tills.colleague('Ada Byron');
    await goTo(page, 'Shift');
    await page.fill('.shift input', '100');
    await page.click('button:text-is("Open a shift")');
    await page.waitForSelector('[data-denomination]');
    await goTo(page, 'Take');
    await record(page, '37.50', 'cash');
    await allSent(page);
    await goTo(page, 'Shift');
    await page.waitForSelector('[data-denomination]');
    await page.click('button:text-is("Finish the count")');
    await page.waitForSelector('dialog:has-text("You entered no cash.")');
    expect(await page.textContent('main')).not.toContain('137');
    expect(await looks(page, 'pos-shift-empty')).toEqual([]);
    await page.click('dialog button:text-is("Continue the count")');
    await page.fill('[data-denomination="5000"]', '1');
    await page.click('button:text-is("Finish the count")');
    await page.waitForSelector('dialog:has-text("less than the cash in the drawer at the start")');
    await page.click('dialog button:text-is("Continue the count")');
    await page.fill('[data-denomination="5000"]', '2');
    await page.click('button:text-is("Finish the count")');
    await page.waitForSelector('dialog:has-text("only the cash from the start")');
    await page.click('dialog button:text-is("Continue the count")');
    await page.fill('[data-denomination="5000"]', '2000');
    await page.click('button:text-is("Finish the count")');
    await page.waitForSelector('dialog:has-text("unusually large amount of cash")');
    await page.click('dialog button:text-is("Continue the count")');
    await page.fill('[data-denomination="5000"]', '');
    await page.click('button:text-is("Finish the count")');
    await page.click('dialog button:text-is("Yes, finish with €0.00")');
    await page.waitForSelector('[data-line=expected]');
    // The slip shows the first count next to the second count.
    await page.click('button:text-is("Count again")');
    await page.fill('[data-denomination="10000"]', '1');
    await page.fill('[data-denomination="2000"]', '1');
    await page.fill('[data-denomination="1000"]', '1');
    await page.fill('[data-denomination="500"]', '1');
    await page.fill('[data-denomination="200"]', '1');
    await page.fill('[data-denomination="50"]', '1');
    await page.fill('.shift textarea', 'Finished too early');
    expect(await looks(page, 'pos-shift-recount')).toEqual([]);
    await page.click('button:text-is("Finish the count")');
    await page.waitForSelector('[data-recount]:has-text("The count is exact.")');
    expect(await page.textContent('[data-recount]')).toContain('Finished too early');
    expect(await page.textContent('.slip [data-line=counted]')).toContain('€0.00');
    expect(await page.textContent('.slip [data-line=difference]')).toContain('-€137.50');
    await page.fill('.shift input[type=password]', ada.code);
    await page.click('button:text-is("Sign and close")');
    await page.waitForSelector('button:text-is("Print the slip")');
    expect(await page.isVisible('button:text-is("Count again")')).toBe(false);
    expect(await page.isVisible('[data-recount]')).toBe(true);
    expect(await looks(page, 'pos-shift-recounted')).toEqual([]);
  });

  it('the paddle screen records several numbers, removes the last one, and asks for confirmation of a repeated number', async () => {
    const page = await begin();
    await goTo(page, 'Paddles');
    await page.fill('.paddles input', '500');
    await page.click('button:text-is("Start this level")');
    await page.waitForSelector('.raise__number');
    for (const number of ['117', '23', '117']) {
      await page.keyboard.type(number);
      await page.keyboard.press('Enter');
      if (number !== '117' || !(await page.isVisible('[data-paddle="117"]')))
        await page.waitForSelector(`[data-paddle="${number}"]`);
    }
    await page.waitForSelector('#raise-problem:has-text("117 was already entered")');
    expect(await page.getAttribute('[data-here]', 'data-here')).toBe('2');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-here="3"]');
    // The clicks are as slow as the clicks of a person. The first click has its answer before the second
    // click.
    await page.click('button:has-text("Undo the last: 117")', { clickCount: 2, delay: 100 });
    await page.waitForSelector('[data-here="2"]');
    expect(await looks(page, 'pos-paddle-raise')).toEqual([]);
    await allSent(page);
    const pledges = (await booked()).filter(({ status }) => status === 'PENDING');
    expect(pledges).toMatchObject([
      { amount: 50_000, type: 'pledge', paddle: '117' },
      { amount: 50_000, type: 'pledge', paddle: '23' },
    ]);
    // The service adds up the pledges of this level from all terminals, also for the wall.
    await page.waitForSelector('[data-all="2"]:has-text("€1,000")');
    // If a member leaves the page in the middle of a round, nothing is lost.
    await goTo(page, 'Take');
    await goTo(page, 'Paddles');
    await page.waitForSelector('[data-here="2"]');
    await page.click('button:text-is("Close level")');
    await page.waitForSelector('.paddles form .field');
    expect(await page.isVisible('.choice')).toBe(false);
    await goTo(page, 'History');
    await page.click('.row[data-state=pledged]:has-text("Paddle 117") button');
    await page.click('dialog button:text-is("Payment link")');
    expect(await page.getAttribute('dialog .note a', 'href')).toContain(
      `/donate/${tills.event.slug}?pledge=`,
    );
  });

  it('a terminal receives the paddles of other terminals by message, without polling', async () => {
    // Long pauses take a tenth of their time. Without messages, the terminal asks every ten seconds.
    const initScript = `{
      const { setTimeout: later } = globalThis;
      globalThis.setTimeout = (work, wait, ...rest) => later(work, wait >= 10_000 ? wait / 10 : wait, ...rest);
    }`;
    const first = await begin({ options: { initScript } });
    const ada = await tills.colleague('Ada Byron');
    const second = await tills.visit({ initScript });
    await signIn(second, ada, tills.event.slug);
    const asked: string[] = [];
    for (const page of [first, second]) {
      await goTo(page, 'Paddles');
      page.on('request', (request) => {
        if (request.method() === 'GET' && request.url().includes('/pledge-rounds')) asked.push(request.url());
      });
    }
    await first.fill('.paddles input', '200');
    await first.click('button:text-is("Start this level")');
    await second.click('.choice:has-text("€200")');
    const enter = async (page: Page, number: string) => {
      await page.waitForSelector('.raise__number');
      await page.keyboard.type(number);
      await page.keyboard.press('Enter');
      await page.waitForSelector(`[data-paddle="${number}"]`);
    };
    await enter(first, '11');
    await enter(second, '12');
    for (const page of [first, second]) await page.waitForSelector('[data-all="2"]', { timeout: 5_000 });
    asked.length = 0;
    await enter(second, '13');
    await first.waitForSelector('[data-all="3"]:has-text("€600")', { timeout: 3_000 });
    await second.click('button:has-text("Undo the last: 13")');
    await first.waitForSelector('[data-all="2"]:has-text("€400")', { timeout: 5_000 });
    // Messages that the terminal missed without a network arrive later.
    await first.context().setOffline(true);
    await first.waitForSelector('.pill[data-online=false]');
    await enter(second, '14');
    await allSent(second);
    await first.context().setOffline(false);
    await first.waitForSelector('[data-all="3"]', { timeout: 10_000 });
    await second.click('button:text-is("Close level")');
    await first.waitForSelector('.note--warn:has-text("closed")', { timeout: 5_000 });
    await first.waitForTimeout(1_500);
    expect(asked).toEqual([]);
  });

  it('two terminals share an evening, one of them without a network for a while', async () => {
    const first = await begin();
    const ada = await tills.colleague('Ada Byron');
    const second = await tills.visit({ viewport: { width: 1024, height: 768 } });
    await signIn(second, ada, tills.event.slug);
    await first.context().setOffline(true);
    for (const amount of ['10', '20', '30']) {
      await record(first, amount, 'cash');
      await record(second, amount, 'check');
    }
    await allSent(second);
    expect(await booked()).toHaveLength(3);
    await goTo(second, 'History');
    expect(await second.textContent('.records__sum')).toContain('3 records · €60.00');
    await first.context().setOffline(false);
    await allSent(first);
    const { body } = await app.http.get(`/events/${tills.event.slug}`).expect(200);
    expect(body).toMatchObject({ totalRaised: 12_000 });
  });

  it('the terminal shows the language of its member, also without a network, and supports left-handed keys', async () => {
    const page = await begin({ options: { viewport: { width: 1024, height: 768 } } });
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    await page.context().setOffline(true);
    await goTo(page, 'More');
    for (const [language, words] of [
      ['de', 'Erfassen'],
      ['es', 'Registrar'],
      ['fr', 'Saisir'],
      ['it', 'Registra'],
      ['nl', 'Boeken'],
    ] as const) {
      await page.selectOption('.more select', language);
      await page.waitForSelector(`.nav__item:has(span:text-is("${words}"))`);
      expect(await page.getAttribute('html', 'lang')).toBe(language);
      await takePicture(page, `pos-more-${language}`);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await page.setViewportSize({ width: 360, height: 740 });
      await page.click('.nav__item >> nth=0');
      expect({ language, broken: await brokenWords(page, '.kind__face, .nav__item') }).toEqual({
        language,
        broken: [],
      });
      // The disabled button is half transparent.
      const below = (selector: string) =>
        page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().bottom`);
      const record = (await page.locator('.button--record').boundingBox())?.y ?? 0;
      expect(record).toBeGreaterThan(await below('.till .kinds'));
      expect(record).toBeGreaterThan(await below('.till details'));
      await takePicture(page, `pos-take-${language}-small`);
      await page.setViewportSize({ width: 1024, height: 768 });
      await page.click('.nav__item >> nth=-1');
    }
    await page.check('.more label:nth-of-type(3) input');
    await page.click('.nav__item >> nth=0');
    const left = async (selector: string) => (await page.locator(selector).boundingBox())?.x ?? 0;
    expect(await left('.till__rest')).toBeLessThan(await left('.till__amount'));
    await page.keyboard.type('12.5');
    expect(await page.textContent('.display')).toMatch(/^€\s12,5$/);
    await page.reload();
    await page.waitForSelector('.pos--left');
    expect(await page.getAttribute('html', 'lang')).toBe('nl');
  });
});

/** Returns the words inside these elements that continue on a second line. */
const brokenWords = (page: Page, selector: string) =>
  page.evaluate<string[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})].flatMap((element) => {
    const found = [];
    const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = nodes.nextNode(); node; node = nodes.nextNode())
      for (const { 0: word, index } of node.data.matchAll(/\\S+/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (range.getClientRects().length > 1) found.push(word);
      }
    return found;
  })`);

/** Takes pictures on a phone and a tablet. Returns the violations that axe finds, and elements wider than the screen. */
async function looks(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const [size, viewport] of [
    ['tablet', { width: 768, height: 1024 }],
    ['phone', SCREENS.phone],
  ] as const) {
    await page.setViewportSize(viewport);
    await takePicture(page, `${name}-${size}`);
    found.push(...(await accessibilityProblems(page)).map((problem) => `${size}: ${problem}`));
    if (!(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')))
      found.push(`${size}: wider than the screen`);
  }
  return found;
}
