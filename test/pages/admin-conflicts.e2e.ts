import { beforeAll, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { confirmed, as } from '../support/bearer.js';
import { launchBrowser } from '../support/browser.js';
import { confirmIdentity, lookAt, openDesk } from '../support/desk.js';
import { adminToken, createAdmin, createEvent, createStaff, sql } from '../support/fixtures.js';
import { enrolTerminal } from '../support/terminals.js';
import { withAdmin, withMade, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

describeWithChromium('two admins who edit the same thing in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const app = withService(() => startApp({}, { corsOrigins: ['*'] }));
  const admin = withAdmin(app);
  const maria = withMade(async () => {
    const token = await adminToken(app);
    const { user } = (await as(app, token).get('/auth/me').expect(200)).body as { user: { id: string } };
    await sql(app, "UPDATE admin SET name = 'Maria' WHERE id = $1", [user.id]);
    return await confirmed(app, token);
  }, beforeAll);

  const eventOf = async (slug: string) =>
    (await admin.get(`/events/${slug}`).expect(200)).body as Record<string, unknown>;

  it('an admin sees the goal that another admin changed meanwhile, accepts it, and keeps the own new name', async () => {
    const event = await createEvent(app, admin.token, { name: 'Summer Gala', goalAmount: 400_000 });
    const { page, problems } = await openDesk(browser, app, `events/${event.slug}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: 'Edit Summer Gala' });
    await form.getByLabel('Goal').fill('6000');
    await form.getByLabel('Event name').fill('Winter Gala');
    await maria.patch(`/events/${event.id}`, { goalAmount: 500_000 }).expect(200);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText(/^Maria changed “Goal” to €5,000 .*(now|ago)\.$/).waitFor();
    expect(await eventOf(event.slug)).toMatchObject({ name: 'Summer Gala', goalAmount: 500_000 });
    expect(await lookAt(page, 'conflict-event')).toEqual([]);
    await form.getByRole('button', { name: 'Take theirs' }).click();
    await form.getByText('Maria changed').waitFor({ state: 'detached' });
    expect(await form.getByLabel('Goal').inputValue()).toBe('5000');
    expect(await form.getByLabel('Event name').inputValue()).toBe('Winter Gala');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await eventOf(event.slug)).toMatchObject({ name: 'Winter Gala', goalAmount: 500_000 });
    // The browser logs the refused request, which is expected.
    expect(problems.filter((problem) => !problem.includes('409'))).toEqual([]);
    await page.context().close();
  });

  it('an admin keeps the own goal instead of the goal of another admin', async () => {
    const event = await createEvent(app, admin.token, { name: 'Charity Run', goalAmount: 400_000 });
    const { page } = await openDesk(browser, app, `events/${event.slug}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: 'Edit Charity Run' });
    await form.getByLabel('Goal').fill('6000');
    await maria.patch(`/events/${event.id}`, { goalAmount: 500_000, description: 'A run' }).expect(200);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('button', { name: 'Keep mine' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await eventOf(event.slug)).toMatchObject({ goalAmount: 600_000, description: 'A run' });
    await page.context().close();
  });

  it('an admin who corrects a donor sees the correction of another admin, and accepts or keeps each value', async () => {
    const event = await createEvent(app, admin.token, { name: 'Lamp Evening' });
    const body = { eventId: event.id, amount: 5_000, type: 'cash', donorName: 'Ada', message: 'For lamps' };
    const { id } = (await admin.post('/donations', body).expect(201)).body as { id: string };
    const donation = async () =>
      (
        await sql(app, 'SELECT donor_name, message, note, benefit_value FROM donation WHERE id = $1', [id])
      )[0];
    const { page, problems } = await openDesk(browser, app, `donations/${id}`);
    await page.getByRole('button', { name: 'Correct', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Correct donor details' });
    const donor = form.getByRole('textbox', { name: 'Name' });
    await donor.fill('Ada L.');
    await form.getByLabel('Note').fill('Typing error');
    await maria.patch(`/donations/${id}`, { donorName: 'Grace', message: null }).expect(200);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText(/^Maria changed “Name” to Grace .*\.$/).waitFor();
    expect(await donation()).toEqual({ donor_name: 'Grace', message: null, note: null, benefit_value: null });
    expect(await lookAt(page, 'conflict-donation')).toEqual([]);
    await form.getByRole('button', { name: 'Take theirs' }).click();
    expect(await donor.inputValue()).toBe('Grace');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    // The page never sent the message back, so the correction of the other admin stays.
    expect(await donation()).toEqual({
      donor_name: 'Grace',
      message: null,
      note: 'Typing error',
      benefit_value: null,
    });

    await page.getByRole('button', { name: 'Correct', exact: true }).click();
    await form.getByLabel('Message').fill('For light');
    await form.getByLabel('Benefit for the donor').fill('Dinner');
    await form.getByLabel('Value of the benefit').fill('9,50');
    await maria.patch(`/donations/${id}`, { message: 'For oil' }).expect(200);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText(/^Maria changed “Message” to For oil .*\.$/).waitFor();
    await form.getByRole('button', { name: 'Keep mine' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await donation()).toMatchObject({ message: 'For light', benefit_value: '950' });
    await page.getByText('Value of the benefit', { exact: true }).waitFor();
    await page.getByText('€9.50').waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('draft');
    expect(problems.filter((problem) => !problem.includes('409'))).toEqual([]);
    await page.context().close();
  });

  it('an admin who edits a deleted event gets an explanation, and the server saves nothing', async () => {
    const event = await createEvent(app, admin.token, { name: 'Old Event' });
    const { page } = await openDesk(browser, app, `events/${event.slug}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: 'Edit Old Event' });
    await form.getByLabel('Event name').fill('New Event');
    await maria.delete(`/events/${event.id}`).expect(200);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('This event no longer exists: someone deleted it. Nothing was saved.').waitFor();
    await page.context().close();
  });

  it('an admin sees the change of a setting by another admin, and keeps the own value or accepts the other', async () => {
    const { page } = await openDesk(browser, app, 'settings/donating');
    const least = page.getByLabel('Smallest online donation');
    await least.fill('7');
    await page.getByLabel('Suggested amounts').fill('10; 20');
    await maria.patch('/settings/global', { donation: { minAmount: 900, presets: [3_000] } }).expect(200);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Maria changed “Smallest online donation” to €9 .*\.$/).waitFor();
    await page.getByText(/^Maria changed “Suggested amounts” to €30 .*\.$/).waitFor();
    expect(await lookAt(page, 'conflict-settings')).toEqual([]);
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await page.getByText('Maria changed').first().waitFor({ state: 'detached' });
    await page.waitForFunction(() =>
      [...document.querySelectorAll('input')].some(({ value }) => value === '30'),
    );
    expect(await least.inputValue()).toBe('9');

    await least.fill('8');
    await maria.patch('/settings/global', { donation: { minAmount: 1_100 } }).expect(200);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByText('Saved.').first().waitFor();
    const { donation } = (await admin.get('/settings/global')).body as { donation: { minAmount: number } };
    expect(donation.minAmount).toBe(800);
    await page.context().close();
  });

  it('an admin sees that another admin renamed a member or changed a role meanwhile', async () => {
    const event = await createEvent(app, admin.token, { name: 'Team Evening' });
    const member = await createStaff(app, admin.token, event.id, 'Ben');
    const { page } = await openDesk(browser, app, 'team');
    await page.getByRole('button', { name: 'Edit Ben' }).click();
    const form = page.getByRole('dialog', { name: 'Edit Ben' });
    await form.getByLabel('Name').fill('Benny');
    await maria.put(`/staff/${member.id}`, { name: 'Benjamin' }).expect(200);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText(/^Maria changed “Name” to Benjamin .*\.$/).waitFor();
    await form.getByRole('button', { name: 'Keep mine' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByText('Benny').waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('draft');

    const { id, email } = await createAdmin(app, undefined, 'ACCOUNTANT');
    await page.goto(`${app.url}/admin/users`);
    await page.getByRole('button', { name: `Edit ${email}` }).click();
    const user = page.getByRole('dialog', { name: email });
    await user.getByLabel('Name').fill('Eve');
    await maria.patch(`/users/${id}`, { name: 'Ada', role: 'ADMIN' }).expect(200);
    await user.getByRole('button', { name: 'Save' }).click();
    await confirmIdentity(page);
    await user.getByText(/^Maria changed “Name” to Ada .*\.$/).waitFor();
    expect(await lookAt(page, 'conflict-user')).toEqual([]);
    await user.getByRole('button', { name: 'Take theirs' }).click();
    expect(await user.getByLabel('Name').inputValue()).toBe('Ada');
    await user.getByRole('button', { name: 'Save' }).click();
    await user.waitFor({ state: 'detached' });
    const { data } = (await admin.get('/users').expect(200)).body as { data: { id: string }[] };
    expect(data.find((one) => one.id === id)).toMatchObject({ name: 'Ada', role: 'ADMIN' });
    await page.context().close();
  });

  it('an admin who closes an event or renames a terminal sees the change of another admin', async () => {
    const event = await createEvent(app, admin.token, { name: 'Quiz Night' });
    const { id } = await enrolTerminal(app, admin.token, 'Bar', event.id);
    const { page } = await openDesk(browser, app, `events/${event.slug}`);
    await page.getByRole('button', { name: 'Pause or close' }).click();
    const state = page.getByRole('dialog', { name: 'Pause or close' });
    await state.getByRole('radio', { name: /^Closed/ }).check();
    await maria.patch(`/events/${event.id}`, { status: 'paused' }).expect(200);
    await state.getByRole('button', { name: 'Close the event' }).click();
    await state.getByText(/^Maria changed “Status” to Paused .*\.$/).waitFor();
    expect(await eventOf(event.slug)).toMatchObject({ status: 'paused' });
    expect(await lookAt(page, 'conflict-state')).toEqual([]);
    await state.getByRole('button', { name: 'Keep mine' }).click();
    await state.waitFor({ state: 'detached' });
    expect(await eventOf(event.slug)).toMatchObject({ status: 'closed' });

    await page.goto(`${app.url}/admin/terminals`);
    await page.getByRole('button', { name: 'Rename: Bar' }).click();
    const rename = page.getByRole('dialog', { name: 'Rename' });
    await rename.getByLabel('Terminal name').fill('Table 4');
    await maria.patch(`/terminals/${id}`, { name: 'Entrance' }).expect(200);
    await rename.getByRole('button', { name: 'Save' }).click();
    await rename.getByText(/^Maria changed “Name” to Entrance .*\.$/).waitFor();
    await rename.getByRole('button', { name: 'Take theirs' }).click();
    expect(await rename.getByLabel('Terminal name').inputValue()).toBe('Entrance');
    await rename.getByLabel('Terminal name').fill('Table 5');
    await rename.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Table 5').waitFor();
    await page.context().close();
  });
});
