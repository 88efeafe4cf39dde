import { beforeEach, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startApp } from '../support/app.js';
import { launchBrowser } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { createEvent, type EventFixture, sql } from '../support/fixtures.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

describeWithChromium('unusually large amounts in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const app = withService(() => startApp({}, { corsOrigins: ['*'] }));
  const admin = withAdmin(app);
  let event: EventFixture;

  beforeEach(async () => {
    event = await createEvent(app, admin.token, { name: 'Charity Ball', currency: 'gbp' });
  });

  const amounts = async () =>
    (
      await sql<{ amount: string }>(app, 'SELECT amount FROM donation WHERE event_id = $1 ORDER BY id', [
        event.id,
      ])
    ).map(({ amount }) => Number(amount));
  const limit = (confirmOfflineAbove: number) =>
    admin.patch(`/events/${event.id}/settings`, { donation: { confirmOfflineAbove } }).expect(200);
  const name = (page: Page) => page.getByRole('textbox', { name: 'Name optional' });
  const openRecord = async (amount: string) => {
    const { page, problems } = await openDesk(browser, app, `donations?event=${event.slug}`);
    await page.getByRole('button', { name: 'Record a donation' }).first().click();
    await page.getByRole('textbox', { name: 'Amount', exact: true }).fill(amount);
    return { page, problems };
  };

  it('the dashboard asks once about £5,000,000 although the event has no limit, and keeps the input', async () => {
    const { page, problems } = await openRecord('5,000,000');
    await name(page).fill('Ada Lovelace');
    // The second click of the double click must not answer the question.
    await page.getByRole('button', { name: 'Record', exact: true }).dblclick();
    const question = page.getByRole('dialog', { name: 'Is this amount correct?' });
    await question.getByText('£5,000,000.00', { exact: true }).waitFor();
    await question.getByText('It is more than £1,000.00.').waitFor();
    expect(await lookAt(page, 'record-large')).toEqual([]);
    expect(await amounts()).toEqual([]);
    await question.getByRole('button', { name: 'Change the amount' }).click();
    expect(await name(page).inputValue()).toBe('Ada Lovelace');
    await page.getByRole('textbox', { name: 'Amount', exact: true }).fill('5000');
    await page.keyboard.press('Enter');
    await question.getByRole('button', { name: 'Yes, record £5,000.00' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await amounts()).toEqual([500_000]);
    expect(problems).toEqual([]);
  });

  it('an admin records a cheque the next day with its time, number, paddle and a note', async () => {
    const { page, problems } = await openRecord('80');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Kind').selectOption('check');
    await dialog.getByLabel('Cheque number').fill('004711');
    await dialog.getByLabel('Paddle').fill('117');
    await dialog.getByLabel('Note').fill('From the bar');
    const at = (ms: number) =>
      new Date(ms - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    const received = dialog.getByLabel('Received');
    await received.fill(at(Date.now() + 3_600_000));
    await dialog.getByText('This time is in the future.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Record', exact: true }).isDisabled()).toBe(true);
    const hourAgo = at(Date.now() - 3_600_000);
    await received.fill(hourAgo);
    expect(await lookAt(page, 'record-next-day')).toEqual([]);
    await dialog.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByText('€80.00').or(page.getByText('£80.00')).first().waitFor();
    const [row] = await sql<Record<string, unknown>>(
      app,
      'SELECT type, reference, paddle, note, recorded_at FROM donation WHERE event_id = $1',
      [event.id],
    );
    expect(row).toEqual({
      type: 'check',
      reference: '004711',
      paddle: '117',
      note: 'From the bar',
      recorded_at: new Date(hourAgo),
    });
    await page.locator('.table__row--open').first().click();
    await page.getByRole('dialog').getByText('004711').waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the dashboard records an amount up to the limit of the event without a question', async () => {
    await limit(1_000_000);
    const { page, problems } = await openRecord('10000');
    await page.waitForLoadState('networkidle');
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await amounts()).toEqual([1_000_000]);
    expect(problems).toEqual([]);
  });

  it('the dashboard asks when the limit was lowered after the dialog opened', async () => {
    await limit(1_000_000);
    const { page } = await openRecord('50');
    await page.waitForLoadState('networkidle');
    await limit(1_000);
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Is this amount correct?' });
    await question.getByRole('button', { name: 'Yes, record £50.00' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await amounts()).toEqual([5_000]);
  });

  it('the first steps and the settings name the default limit in the currency of the event', async () => {
    const { page, problems } = await openDesk(browser, app, `tonight?event=${event.slug}`);
    expect(await lookAt(page, 'first-steps-limit')).toEqual([]);
    await page
      .getByRole('link', { name: 'Check the limit: above £1,000 the till asks for a confirmation' })
      .click();
    await page.getByText('Empty: they ask above £1,000.').waitFor();
    expect(await lookAt(page, 'settings-limit')).toEqual([]);
    await page.getByLabel('Confirm amounts above').fill('2500');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Tonight' }).click();
    await page
      .locator('[data-state=done]')
      .getByText('above £2,500 the till asks for a confirmation')
      .waitFor();
    expect(problems).toEqual([]);
  });
});
