import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newId } from '../../src/common/crypto/ids.js';
import { pdfText } from '../export/tools.js';
import { startApp } from '../support/app.js';
import { launchBrowser, openPage, SCREENS } from '../support/browser.js';
import { confirmIdentity, lookAt, openDesk, saved, signIn, signOut, typeIn } from '../support/desk.js';
import { createAdmin, createEvent, type EventFixture, sql } from '../support/fixtures.js';
import { codeOf, wrongCodeOf } from '../support/second-factor.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { readCode } from '../support/wall-page.js';

const PASSWORD = 'nine quiet boats at dawn';

describeWithChromium('donors and accounts in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const app = withService(() => startApp({}, { corsOrigins: ['*'] }));
  const admin = withAdmin(app);
  let gala: EventFixture;
  let run: EventFixture;

  beforeAll(async () => {
    await admin.patch('/settings/global', { organization: 'Harbour Lights Foundation' }).expect(200);
    gala = await createEvent(app, admin.token, { name: 'Summer Gala' });
    run = await createEvent(app, admin.token, { name: 'Charity Run' });
  });

  const give = async (event: EventFixture, fields: object) =>
    (
      (await admin.post('/donations', { eventId: event.id, type: 'cash', ...fields }).expect(201)).body as {
        id: string;
      }
    ).id;
  const menu = async (page: Page, opener: string, item: string) => {
    await page.getByRole('button', { name: opener }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  it('an admin finds a donor by e-mail over all events, exports the data, sends a statement and erases the donor without changing the totals', async () => {
    const donorEmail = 'marie.curie@example.org';
    const donorName = 'Marie Curie';
    const first = await give(gala, { amount: 12_000, donorName, donorEmail, message: 'For the laboratory' });
    await give(run, { amount: 3_050, donorName, donorEmail });
    await give(gala, { amount: 700, donorName: 'Pierre Curie', donorEmail: 'pierre@example.org' });
    await admin.get(`/export/receipts/${first}`).expect(200);
    const totals = () =>
      sql(app, 'SELECT event_id, currency, total_raised FROM event_total ORDER BY 1, 2, shard');
    const before = await totals();

    const { page, problems } = await openDesk(browser, app, 'donors', { acceptDownloads: true });
    await page.getByRole('link', { name: 'Pierre Curie' }).waitFor();
    expect(await lookAt(page, 'donors-list')).toEqual([]);
    await page.getByPlaceholder('Search by name or e-mail').fill('marie.curie@');
    await page.getByRole('link', { name: 'Pierre Curie' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: donorName }).click();
    const sheet = page.getByRole('dialog', { name: donorName });
    await sheet.getByText('€150.50').first().waitFor();
    await sheet.getByText('Summer Gala').waitFor();
    await sheet.getByText('Charity Run').waitFor();
    expect(await lookAt(page, 'donor-sheet')).toEqual([]);

    const everything = await saved(page, () => page.getByRole('button', { name: 'Export all data' }).click());
    expect(everything.download.suggestedFilename()).toMatch(/\.json$/);
    expect(everything.bytes.toString()).toContain('For the laboratory');
    const year = String(new Date().getFullYear());
    const statement = await saved(page, () => menu(page, 'Annual statement', year));
    const text = await pdfText(statement.bytes);
    expect(text).toContain(donorName);
    expect(text).toContain('€150.50');

    // With an annual document for the tax office, the page names the missing facts, and a list can always be had.
    await admin.patch('/settings/global', { receipts: { pack: 'nl' } }).expect(200);
    await page.reload();
    await menu(page, 'Annual statement', year);
    await page.getByText('RSIN of the ANBI: missing.').first().waitFor();
    await menu(page, 'Annual statement', 'Another period …');
    const period = page.getByRole('dialog', { name: 'Statement of a period' });
    await period.getByLabel('Last day').fill(`${year}-12-31`);
    await period.getByLabel('Only a list, not the document for the tax office').check();
    const list = await saved(page, () => period.getByRole('button', { name: 'Download' }).click());
    expect(await pdfText(list.bytes)).toContain('This statement lists donations.');
    await admin.patch('/settings/global', { receipts: { pack: 'de' } }).expect(200);
    await page.reload();
    await menu(page, 'Annual statement', 'Collective receipt (Germany) …');
    const collective = page.getByRole('dialog', { name: 'Collective receipt of a year' });
    await collective.getByLabel('Year', { exact: true }).selectOption(year);
    expect(await lookAt(page, 'donor-collective')).toEqual([]);
    await collective.getByRole('button', { name: 'Download' }).click();
    await page.getByText('Tax office (without “Finanzamt”): missing.').first().waitFor();
    await page.keyboard.press('Escape');
    await admin.patch('/settings/global', { receipts: { pack: null } }).expect(200);

    // The dialog first shows the amounts that the erasure affects. Nothing changes before the confirmation.
    await page.getByRole('button', { name: 'Erase donor' }).click();
    const question = page.getByRole('dialog', { name: `Erase ${donorName}?` });
    await question.getByText('€150.50 stays in the totals').waitFor();
    await question.getByText('2 donations').waitFor();
    expect(await lookAt(page, 'donor-erase')).toEqual([]);
    await question.getByRole('button', { name: 'Keep as is' }).click();
    await page.getByRole('button', { name: 'Erase donor' }).click();
    await question.getByRole('button', { name: 'Erase donor' }).click();
    await page.getByText('The donor was erased. The totals are unchanged.').first().waitFor();
    await page.getByRole('dialog', { name: 'Erased donor' }).waitFor();
    await page.getByRole('dialog').getByText('€150.50').first().waitFor();
    expect(await page.getByRole('button', { name: 'Erase donor' }).count()).toBe(0);
    expect(await lookAt(page, 'donor-erased')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByText('No matches').waitFor();
    expect(await lookAt(page, 'donors-no-match')).toEqual([]);

    expect(await totals()).toEqual(before);
    const [left] = await sql<{ donor_name: string | null; donor_email: string | null; amount: string }>(
      app,
      'SELECT donor_name, donor_email, amount FROM donation WHERE id = $1',
      [first],
    );
    expect(left).toEqual({ donor_name: null, donor_email: null, amount: '12000' });
    expect(problems.filter((problem) => !problem.includes('409'))).toEqual([]);
    await page.context().close();
  });

  it('a second factor is set up with a phone and required at sign-in; a recovery code works once', async () => {
    const { email } = await createAdmin(app);
    const { page } = await openDesk(browser, app, 'account', { account: email });
    await page.getByRole('button', { name: 'Set up a second factor' }).click();
    await page.getByRole('button', { name: 'Start' }).click();
    const asked = page.getByRole('dialog', { name: 'Confirm your identity' });
    await asked.getByLabel('Password').fill('not this one');
    await page.keyboard.press('Enter');
    await asked.getByRole('alert').waitFor();
    expect(await lookAt(page, 'factor-confirm')).toEqual([]);
    await confirmIdentity(page);
    const secret = await page.getByRole('dialog').locator('.mono').innerText();
    // The QR code contains the same key as the text.
    expect(await readCode(page, '.dialog .qr', 600)).toMatch(
      new RegExp(`^otpauth://totp/.*secret=${secret}`),
    );
    expect(await lookAt(page, 'factor-scan')).toEqual([]);
    await page.getByLabel('Second factor code').fill(wrongCodeOf(secret));
    await page.getByRole('button', { name: 'Confirm the code' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await lookAt(page, 'factor-wrong')).toEqual([]);
    await page.getByLabel('Second factor code').fill(codeOf(secret));
    await page.getByRole('button', { name: 'Confirm the code' }).click();
    await page.getByText('Save these recovery codes').waitFor();
    const [recovery = ''] = await page.locator('.codes li').allInnerTexts();
    expect(recovery).not.toBe('');
    expect(await lookAt(page, 'factor-recovery')).toEqual([]);
    await page.getByRole('button', { name: 'I have saved the codes' }).click();
    await page.getByRole('button', { name: 'Turn off the second factor' }).waitFor();
    expect(await lookAt(page, 'factor-on')).toEqual([]);

    // The password alone is no longer sufficient for a sign-in. A wrong code has its own message.
    await signOut(page);
    await typeIn(page, email);
    const code = page.getByLabel('Second factor code');
    await code.waitFor();
    expect(await lookAt(page, 'factor-asked')).toEqual([]);
    const signInButton = page.getByRole('button', { name: 'Sign in' });
    await code.fill(wrongCodeOf(secret));
    await signInButton.click();
    await page.getByText('The code is not correct.').waitFor();
    // The set-up has used its code, so the next code is needed.
    await code.fill(codeOf(secret, 1));
    await signInButton.click();
    await page.locator('#main').waitFor();

    await signOut(page);
    await typeIn(page, email);
    await code.fill(recovery);
    await signInButton.click();
    await page.locator('#main').waitFor();
    await signOut(page);
    await typeIn(page, email);
    await code.fill(recovery);
    await signInButton.click();
    await page.getByText('The code is not correct.').waitFor();
    const used = await sql(
      app,
      'SELECT 1 FROM recovery_code JOIN admin ON admin.id = admin_id WHERE email = $1 AND used_at IS NOT NULL',
      [email],
    );
    expect(used).toHaveLength(1);
    await page.context().close();
  });

  it('a second factor is disabled with the password and the Enter key', async () => {
    const { page } = await openDesk(browser, app, 'account');
    await page.getByRole('button', { name: 'Set up a second factor' }).click();
    await page.getByRole('button', { name: 'Start' }).click();
    await confirmIdentity(page);
    const secret = await page.getByRole('dialog').locator('.mono').innerText();
    await page.getByLabel('Second factor code').fill(codeOf(secret));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'I have saved the codes' }).click();
    await page.getByRole('button', { name: 'Turn off the second factor' }).click();
    const dialog = page.getByRole('dialog', { name: 'Turn off the second factor' });
    await dialog.getByLabel('Password').fill('not this one');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    expect(await lookAt(page, 'factor-off')).toEqual([]);
    await dialog.getByLabel('Password').fill('a password for tests only');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Set up a second factor' }).waitFor();
    await page.context().close();
  });

  it('every account must set up a second factor if the organization requires it', async () => {
    const { page } = await openDesk(browser, app, 'settings/access');
    await page.getByLabel('Require a second factor').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await confirmIdentity(page);
    // The admin who enabled the rule must also set up a second factor at once.
    await page.getByText('Your organization requires a second factor').waitFor();
    expect(await lookAt(page, 'factor-forced')).toEqual([]);
    await page.getByRole('button', { name: 'Start' }).click();
    const secret = await page.locator('.gate .mono').innerText();
    await page.getByLabel('Second factor code').fill(codeOf(secret));
    await page.getByRole('button', { name: 'Confirm the code' }).click();
    await page.getByRole('button', { name: 'I have saved the codes' }).click();
    await page.locator('#main').waitFor();
    await page.goto(`${app.url}/admin/settings/access`);
    await page.getByLabel('Require a second factor').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await confirmIdentity(page);
    await page.getByText('Saved.').first().waitFor();
    await page.context().close();
  });
});

describeWithChromium('users in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const app = withService(() => startApp({}, { corsOrigins: ['*'] }));

  it('an admin invites, disables, enables and removes users, except the last administrator', async () => {
    const { page, email: own } = await openDesk(browser, app, 'users');
    const dialog = page.getByRole('dialog');
    const row = (text: string) => page.getByRole('row').filter({ hasText: text });
    const edit = async (who: string) => {
      await page.getByRole('button', { name: `Edit ${who}` }).click();
      await dialog.waitFor();
    };
    const more = async (item: string) => {
      await dialog.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };

    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByText('E-mail is not set up on this server. You get a link').waitFor();
    const email = `books-${newId()}@example.org`;
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Name').fill('Grace Hopper');
    await page.getByLabel('Role').selectOption('ACCOUNTANT');
    expect(await lookAt(page, 'user-invite')).toEqual([]);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await confirmIdentity(page);
    const link = await page.locator('.dialog .mono').innerText();
    expect(await lookAt(page, 'user-invited')).toEqual([]);
    await page.keyboard.press('Escape');
    await row('Grace Hopper').getByText('Invited').waitFor();
    expect(await lookAt(page, 'users-list')).toEqual([]);

    const guest = await openPage(browser, { viewport: SCREENS.phone });
    await guest.page.goto(`${app.url}/admin${new URL(link).hash}`);
    await guest.page.getByLabel('New password').fill(PASSWORD);
    await guest.page.getByLabel('Repeat the password').fill(`${PASSWORD}!`);
    await guest.page.getByRole('button', { name: 'Set the password' }).click();
    await guest.page.getByText('The passwords do not match.').waitFor();
    expect(await lookAt(guest.page, 'invitation')).toEqual([]);
    await guest.page.setViewportSize(SCREENS.phone);
    await guest.page.getByLabel('Repeat the password').fill(PASSWORD);
    await guest.page.getByRole('button', { name: 'Set the password' }).click();
    await guest.page.getByRole('heading', { name: 'Sign in to the dashboard' }).waitFor();
    await signIn(guest.page, email, PASSWORD);

    // The dialog explains why the service refuses an address that already has an account.
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('E-mail').fill(email);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');

    await page.reload();
    await row('Grace Hopper').getByText('Active').waitFor();
    await edit('Grace Hopper');
    expect(await lookAt(page, 'user-edit')).toEqual([]);
    await more('Sign-ins');
    await page.getByText('1 active session').waitFor();
    expect(await lookAt(page, 'user-sessions')).toEqual([]);
    await page.keyboard.press('Escape');
    await edit('Grace Hopper');
    await more('Disable');
    await page.getByRole('dialog', { name: 'Disable Grace Hopper?' }).waitFor();
    expect(await lookAt(page, 'user-disable')).toEqual([]);
    await dialog.getByRole('button', { name: 'Disable' }).click();
    // The page asks for the password. If the user cancels this question, nothing changes.
    const asked = page.getByRole('dialog', { name: 'Confirm your identity' });
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByText('Nothing was changed because you did not confirm your identity.').waitFor();
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await confirmIdentity(page);
    await row('Grace Hopper').getByText('Disabled').waitFor();
    // The next click of the disabled user opens the sign-in page, which refuses this user.
    await guest.page.goto(`${app.url}/admin/donations`);
    await guest.page.getByRole('heading', { name: 'Sign in to the dashboard' }).waitFor();
    await typeIn(guest.page, email, PASSWORD);
    await guest.page.getByRole('alert').waitFor();
    await edit('Grace Hopper');
    await more('Enable again');
    await row('Grace Hopper').getByText('Active').waitFor();
    await signIn(guest.page, email, PASSWORD);
    await guest.page.context().close();

    // Users manage their own password and second factor on the account page, not in this list.
    await edit(own);
    await dialog.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'New password link' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');

    // An admin cannot remove or disable the last administrator, or make this person an accountant.
    for (const deed of ['Remove', 'Disable']) {
      await edit(own);
      await more(deed);
      await dialog.getByRole('button', { name: deed }).click();
      await dialog.getByRole('alert').waitFor();
      expect(await dialog.getByRole('alert').innerText()).toMatch(/last/i);
      if (deed === 'Remove') expect(await lookAt(page, 'user-last')).toEqual([]);
      await dialog.getByRole('button', { name: 'Keep as is' }).click();
    }
    await edit(own);
    await page.getByLabel('Role').selectOption('ACCOUNTANT');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');

    await edit('Grace Hopper');
    await more('Remove');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await row('Grace Hopper').waitFor({ state: 'detached' });
    expect(await row(own).count()).toBe(1);
    await page.context().close();
  });
});
