/// <reference lib="dom" />
import { beforeEach, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { accessibilityProblems, launchBrowser, takePicture } from '../support/browser.js';
import { sql } from '../support/fixtures.js';
import { allSent, goTo, record, signIn, waits, withTills } from '../support/pos.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

const LABEL = 'Table or team (optional)';

describeWithChromium('the table or team of a record at the till', (executablePath) => {
  const app = withService();
  const admin = withAdmin(app);
  const browser = withOpened(() => launchBrowser(executablePath));
  const tills = withTills(app, admin, browser);
  let page: Page;

  const add = (fields: object) =>
    admin.post(`/events/${tills.event.id}/teams`, { kind: 'table', ...fields }).expect(201);
  const booked = () =>
    sql<{ amount: string; team: string | null }>(
      app,
      `SELECT d.amount, t.name AS team FROM donation d LEFT JOIN team t ON t.id = d.team_id
       WHERE d.event_id = $1 ORDER BY coalesce(d.recorded_at, d.created_at)`,
      [tills.event.id],
    );

  beforeEach(async () => {
    await tills.prepare();
    await add({ name: 'The Bakers', number: 12 });
    await add({ name: 'Choir', kind: 'team' });
    await add({ name: 'Staff', isListed: false });
    page = await tills.visit();
    await signIn(page, tills.maria, tills.event.slug);
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    await page.getByLabel(LABEL).waitFor();
  });

  it('a number or a name chooses the team, which stays for the next record', async () => {
    expect(
      await page
        .locator('datalist option')
        .evaluateAll((all) => all.map((one) => [one.getAttribute('value'), one.getAttribute('label')])),
    ).toEqual([
      ['The Bakers', '12'],
      ['Choir', null],
    ]);
    await page.getByLabel(LABEL).fill('12');
    await page.locator('.head').click();
    await record(page, '10', 'cash');
    await record(page, '20', 'cash');
    await page.getByLabel(LABEL).fill('choir ');
    await page.locator('.head').click();
    await record(page, '30', 'cash');
    await page.getByLabel(LABEL).fill('');
    await page.locator('.head').click();
    await record(page, '40', 'cash');
    await allSent(page);
    expect(await booked()).toEqual([
      { amount: '1000', team: 'The Bakers' },
      { amount: '2000', team: 'The Bakers' },
      { amount: '3000', team: 'Choir' },
      { amount: '4000', team: null },
    ]);
  });

  it('an unknown team is not recorded, and the till says why', async () => {
    await page.keyboard.type('10');
    await page.click('.kind:has(input[value="cash"])');
    await page.getByLabel(LABEL).fill('99');
    await page.click('.button--record');
    await page.getByText('The list has no such table or team', { exact: false }).first().waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'pos-team');
    expect(await booked()).toEqual([]);
  });

  it('without a network, the list is still there after a restart, and the record keeps its team', async () => {
    const context = page.context();
    await context.setOffline(true);
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    await page.getByLabel(LABEL).fill('12');
    await page.locator('.head').click();
    await record(page, '10', 'cash');
    await waits(page, 1);
    await context.setOffline(false);
    await allSent(page);
    expect(await booked()).toEqual([{ amount: '1000', team: 'The Bakers' }]);
  });

  it('a record for a team that was deleted meanwhile is sent again without it', async () => {
    const { body: team } = await add({ name: 'Table 40', number: 40 });
    await page.reload();
    await page.waitForSelector('datalist option[label="40"]', { state: 'attached' });
    await admin.delete(`/teams/${(team as { id: string }).id}`).expect(200);
    await page.getByLabel(LABEL).fill('40');
    await page.locator('.head').click();
    await record(page, '10', 'cash');
    await goTo(page, 'History');
    await page.locator('.banner .link', { hasText: 'Review' }).waitFor();
    await page.locator('.records button').first().click();
    await page.getByText('this table or team no longer exists', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Send again' }).click();
    await allSent(page);
    expect(await booked()).toEqual([{ amount: '1000', team: null }]);
  });

  it('another member starts without the team of the member before', async () => {
    await page.getByLabel(LABEL).fill('12');
    const grace = await tills.colleague('Grace Hopper');
    await goTo(page, 'More');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, grace, tills.event.slug);
    await goTo(page, 'Take');
    expect(await page.getByLabel(LABEL).inputValue()).toBe('');
  });
});
