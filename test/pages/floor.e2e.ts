/// <reference lib="dom" />
import { expect, it } from '@jest/globals';
import { launchBrowser, takePicture } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { allSent, goTo, record, withTills } from '../support/pos.js';
import { startApp } from '../support/app.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { openWall } from '../support/wall-page.js';

describeWithChromium('the dashboard and the tills', (executablePath) => {
  const app = withService(() => startApp({}, { corsOrigins: ['*'] }));
  const browser = withOpened(() => launchBrowser(executablePath));
  const admin = withAdmin(app);
  const tills = withTills(app, admin, browser);

  it('a till shows a message of the dashboard, "OK" removes it, and the dashboard shows who has read it', async () => {
    const till = await tills.begin();
    const { page } = await openDesk(browser, app, `tonight?event=${tills.event.slug}`);
    await page.getByRole('button', { name: 'Message to the tills' }).click();
    const dialog = page.getByRole('dialog', { name: 'Message to the tills' });
    await dialog.getByLabel('Text').fill('The auction starts in ten minutes');
    expect(await lookAt(page, 'floor-send')).toEqual([]);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.waitFor({ state: 'detached' });
    const message = page.locator('[data-message]');
    await message.getByText('Not read yet').waitFor();
    // The till reads its inbox with its report, and at once when the connection is back.
    await till.evaluate(() => dispatchEvent(new Event('online')));
    const strip = till.locator('[data-strip=message]');
    await strip.getByText('The auction starts in ten minutes').waitFor();
    await takePicture(till, 'floor-strip-phone');
    await strip.getByRole('button', { name: 'OK' }).click();
    await strip.waitFor({ state: 'detached' });
    await message.getByText('Read by Maria Lopez').waitFor();
    expect(await lookAt(page, 'floor-read')).toEqual([]);
    await till.reload();
    await till.waitForSelector('.pos');
    expect(await strip.count()).toBe(0);
    await page.context().close();
  });

  it('a till with a live connection shows a message within a second', async () => {
    const till = await tills.begin();
    await goTo(till, 'Paddles');
    await till.waitForTimeout(1_500);
    await admin.post('/floor-messages', { eventId: tills.event.id, text: 'Now' }).expect(201);
    await till.getByText('Now', { exact: true }).waitFor({ timeout: 1_000 });
  });

  it('a till asks for change; Tonight shows it, answers and closes it, and the till says so', async () => {
    const till = await tills.begin();
    const { page } = await openDesk(browser, app, `tonight?event=${tills.event.slug}`);
    await goTo(till, 'More');
    await till.getByLabel('Table number').fill('12');
    await till.getByRole('button', { name: 'Need change' }).click();
    await till.locator('[data-ask=change]').getByText('sent to the team').waitFor();
    await takePicture(till, 'floor-ask-phone');
    const request = page.locator('[data-request=change]');
    await request.getByText(/Table 12 · Maria Lopez/).waitFor();
    expect(await lookAt(page, 'floor-request')).toEqual([]);
    await request.getByRole('button', { name: 'On the way' }).click();
    await request.getByText(/is on the way/).waitFor();
    await till.evaluate(() => dispatchEvent(new Event('online')));
    const answer = till.locator('[data-strip=answer]');
    await answer.getByText('Need change: somebody is on the way').waitFor();
    await answer.getByRole('button', { name: 'OK' }).click();
    await request.getByRole('button', { name: 'Done' }).click();
    await request.waitFor({ state: 'detached' });
    await till.evaluate(() => dispatchEvent(new Event('online')));
    await answer.getByText('Need change: done').waitFor();
    await page.context().close();
  });

  it('a till without a network refuses a request clearly, and sends nothing later', async () => {
    const till = await tills.begin();
    await goTo(till, 'More');
    await till.context().setOffline(true);
    await till.getByText('No connection: nothing was sent. Please go to the team.').waitFor();
    expect(await till.getByRole('button', { name: 'Need help' }).isDisabled()).toBe(true);
    await till.context().setOffline(false);
    await till.getByRole('button', { name: 'Need help', disabled: false }).waitFor();
    const { body } = await admin.get(`/floor-messages?eventId=${tills.event.id}`).expect(200);
    expect(body).toMatchObject({ requests: [] });
  });

  it('a large record of a till is on no wall until Tonight shows it; then the wall celebrates it once', async () => {
    const till = await tills.begin();
    await admin
      .patch(`/events/${tills.event.id}/settings`, { live: { holdFrom: 10_000, celebrateFrom: 10_000 } })
      .expect(200);
    const wall = await openWall(browser, `${app.url}/wall/${tills.event.slug}`);
    await wall.page.evaluate(`{
      globalThis.celebrated = 0;
      new MutationObserver(() => {
        const box = document.getElementById('celebration');
        const on = !box.hidden && box.textContent.includes('500');
        if (on && !globalThis.isOn) globalThis.celebrated += 1;
        globalThis.isOn = on;
      }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    }`);
    const { page } = await openDesk(browser, app, `tonight?event=${tills.event.slug}`);
    await record(till, '500', 'cash');
    await allSent(till);
    const held = page.locator('[data-held]');
    await held.getByText('€500.00').waitFor();
    await held.getByText(/Maria Lopez/).waitFor();
    expect(await lookAt(page, 'held-records')).toEqual([]);
    await wall.until(`document.getElementById('total').textContent.includes('500')`);
    expect(await wall.page.locator('.donation').count()).toBe(0);
    await held.getByRole('button', { name: 'Correct…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Correct' });
    await dialog.getByText('Is the amount of €500.00 wrong?').waitFor();
    expect(await lookAt(page, 'held-correct')).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await held.getByRole('button', { name: 'Show' }).click();
    await page.getByText('€500.00 is on the wall.').first().waitFor();
    await held.waitFor({ state: 'detached' });
    await wall.until(`document.querySelectorAll('.donation').length === 1`);
    await wall.until('celebrated === 1');
    await wall.page.reload();
    await wall.until(`document.querySelectorAll('.donation').length === 1`);
    await wall.page.context().close();
    await page.context().close();
  });
});
