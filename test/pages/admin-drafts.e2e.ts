import { expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { launchBrowser } from '../support/browser.js';
import { lookAt, openDesk, signIn, signOut } from '../support/desk.js';
import { createEvent } from '../support/fixtures.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

describeWithChromium('unsaved changes in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const app = withService(() => startApp({}, { corsOrigins: ['*'] }));
  const admin = withAdmin(app);

  it('an admin whose session ends gets the unsaved form back after the sign-in, without the PIN', async () => {
    await createEvent(app, admin.token, { name: 'Summer Gala' });
    const { page, email } = await openDesk(browser, app, 'team');
    await page.getByRole('button', { name: 'Add a member' }).first().click();
    const form = page.getByRole('dialog', { name: 'Add a member' });
    await form.getByLabel('Name').fill('Maria');
    await form.getByLabel('PIN').fill('12345');
    await form.getByRole('button', { name: 'Save' }).click();
    // The text of the server is "code must be 6 to 10 digits".
    await form.getByText('PIN: Use 6 to 10 digits.').waitFor();
    expect(await form.getByLabel('PIN').getAttribute('aria-invalid')).toBe('true');
    const kept = await page.evaluate(() => JSON.stringify(localStorage));
    expect(kept).toContain('Maria');
    expect(kept).not.toContain('12345');

    await page.context().clearCookies();
    await page.reload();
    await signIn(page, email);
    await page.getByText('This browser keeps unsaved changes of: Add a member.').waitFor();
    await page.getByRole('button', { name: 'Add a member' }).first().click();
    await form.getByText(/^You have unsaved changes from/).waitFor();
    expect(await lookAt(page, 'draft-found')).toEqual([]);
    await form.getByRole('button', { name: 'Use them' }).click();
    expect(await form.getByLabel('Name').inputValue()).toBe('Maria');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Maria').first().waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('draft');
    await page.context().close();
  });

  it('the dashboard asks before an admin leaves unsaved settings, and a sign-out deletes the draft', async () => {
    const { page, email } = await openDesk(browser, app, 'team');
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByLabel('Public name').fill('Helping Hands');
    // The browser's own Back.
    await page.evaluate(() => history.back());
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.waitFor();
    expect(new URL(page.url()).pathname).toContain('/admin/settings');
    expect(await lookAt(page, 'leave')).toEqual([]);
    await question.getByRole('button', { name: 'Stay here' }).click();
    // Another tab of the settings keeps the changes and asks nothing.
    await page.getByRole('link', { name: 'Wall', exact: true }).click();
    await page.getByRole('link', { name: 'Organization', exact: true }).click();
    expect(await page.getByLabel('Public name').inputValue()).toBe('Helping Hands');

    await page.getByRole('link', { name: 'Team and PINs' }).first().click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Team and PINs', level: 1 }).waitFor();
    await page.goto(`${app.url}/admin/settings/organization`);
    await page.getByRole('button', { name: 'Use them' }).click();
    expect(await page.getByLabel('Public name').inputValue()).toBe('Helping Hands');

    await page.reload();
    await page.getByText(/^You have unsaved changes from/).waitFor();
    await signOut(page);
    await signIn(page, email);
    await page.goto(`${app.url}/admin/settings/organization`);
    await page.getByLabel('Public name').waitFor();
    expect(await page.getByText('You have unsaved changes').count()).toBe(0);
    await page.context().close();
  });

  it('an admin whose session ends during a refund gets the amount and the reason back after the sign-in', async () => {
    const event = await createEvent(app, admin.token, { name: 'Lamp Evening' });
    const body = { eventId: event.id, amount: 5_000, type: 'cash', donorName: 'Ada' };
    const { id } = (await as(app, admin.token).post('/donations', body).expect(201)).body as { id: string };
    const { page, email } = await openDesk(browser, app, `donations/${id}`);
    const open = () => page.getByRole('button', { name: 'Refund …' }).click();
    const refund = page.getByRole('dialog', { name: 'Refund donation' });
    const reason = refund.getByLabel('Reason');
    await open();
    await refund.getByLabel('Partial refund').check();
    await refund.getByLabel('Amount to refund').fill('20');
    await reason.fill('Booked twice');
    await page.context().clearCookies();
    await page.reload();
    await signIn(page, email);
    await page.getByText('This browser keeps unsaved changes of: Refund donation.').waitFor();
    await open();
    await refund.getByText(/^You have unsaved changes from/).waitFor();
    expect(await lookAt(page, 'draft-refund')).toEqual([]);
    await refund.getByRole('button', { name: 'Use them' }).click();
    expect(await reason.inputValue()).toBe('Booked twice');
    await refund.getByRole('button', { name: 'Refund €20.00' }).click();
    await page.getByText('€20.00 was refunded.').first().waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('draft');
    await page.context().close();
  });

  it('the dashboard asks before an admin leaves a half-typed refund, and “Keep as is” discards the draft', async () => {
    const event = await createEvent(app, admin.token, { name: 'Candle Evening' });
    const body = { eventId: event.id, amount: 5_000, type: 'cash', donorName: 'Ada' };
    const { id } = (await as(app, admin.token).post('/donations', body).expect(201)).body as { id: string };
    const { page } = await openDesk(browser, app, 'team');
    await page.getByRole('link', { name: 'Donations' }).first().click();
    await page.getByRole('link', { name: 'Ada' }).first().click();
    await page.waitForURL(`**/donations/${id}*`);
    await page.getByRole('button', { name: 'Refund …' }).click();
    const refund = page.getByRole('dialog', { name: 'Refund donation' });
    await refund.getByLabel('Reason').fill('Booked twice');
    await page.evaluate(() => history.back());
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Stay here' }).click();
    expect(await refund.getByLabel('Reason').inputValue()).toBe('Booked twice');
    await refund.getByRole('button', { name: 'Keep as is' }).click();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('draft');
    await page.context().close();
  });

  it('a tab with unsaved changes asks before it closes, and a tab without changes closes at once', async () => {
    const { page } = await openDesk(browser, app, 'settings/organization');
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    // Browsers ask only on pages that a person has used.
    await page.getByLabel('Public name').click();
    await page.keyboard.type(' and friends');
    await page.close({ runBeforeUnload: true });
    await until(() => asked.length > 0, 'the question of the browser');
    expect(asked).toEqual(['beforeunload']);
    expect(page.isClosed()).toBe(false);
    expect(await page.getByLabel('Public name').inputValue()).toContain(' and friends');

    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').first().waitFor();
    await Promise.all([page.waitForEvent('close'), page.close({ runBeforeUnload: true })]);
    expect(asked).toEqual(['beforeunload']);
    await page.context().close();
  });

  it('every option that needs e-mail says that this server sends no e-mail', async () => {
    const { page } = await openDesk(browser, app, 'settings/donating');
    const off = page.getByText('E-mail is not set up on this server, so');
    const receipts = page.getByLabel('E-mail receipts for online donations');
    if (!(await receipts.isChecked())) await receipts.check();
    await off.waitFor();
    for (const path of ['settings/connections', 'emails', 'account']) {
      await page.goto(`${app.url}/admin/${path}`);
      await off.waitFor();
    }
    expect(await lookAt(page, 'mail-off')).toEqual([]);
    await page.context().close();
  });
});
