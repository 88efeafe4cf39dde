/// <reference lib="dom" />
import { expect, it } from '@jest/globals';
import type { TeamDto } from '../../src/teams/dto/team.dto.js';
import { pdfText } from '../export/tools.js';
import { startApp } from '../support/app.js';
import { launchBrowser } from '../support/browser.js';
import { lookAt, openDesk, saved } from '../support/desk.js';
import { createEvent } from '../support/fixtures.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

describeWithChromium('tables and teams in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const app = withService(() => startApp({}, { corsOrigins: ['*'] }));
  const admin = withAdmin(app);

  const listed = async (id: string) =>
    ((await admin.get(`/events/${id}/teams`).expect(200)).body as { data: TeamDto[] }).data;
  const give = async (eventId: string, fields: object = {}) =>
    (
      await admin
        .post('/donations', { eventId, type: 'cash', amount: 12_500, donorName: 'Ada Lovelace', ...fields })
        .expect(201)
    ).body as { id: string };

  it('an admin adds twelve tables and a team, changes, prints, unlists and deletes them', async () => {
    const event = await createEvent(app, admin.token, { name: 'Summer Gala' });
    const { page, problems } = await openDesk(browser, app, `teams?event=${event.slug}`, {
      acceptDownloads: true,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const dialogOf = (name: string) => page.getByRole('dialog', { name, exact: true });
    await page.getByText('No tables or teams yet').waitFor();
    expect(await lookAt(page, 'teams-empty')).toEqual([]);
    await button('Add tables').click();
    const tables = dialogOf('Add tables');
    await tables.getByLabel('Number of tables').fill('12');
    await tables.getByLabel('Seats').fill('10');
    expect(await lookAt(page, 'teams-tables')).toEqual([]);
    await tables.getByRole('button', { name: 'Add tables' }).click();
    await tables.waitFor({ state: 'detached' });
    await page.getByText('12 tables and teams').waitFor();
    await button('Add team or person').click();
    const add = dialogOf('Add team or person');
    await add.getByLabel('Kind').selectOption('Person');
    await add.getByLabel('Name', { exact: true }).fill('Grace Hopper');
    await add.getByLabel('Goal').fill('500');
    expect(await lookAt(page, 'teams-add')).toEqual([]);
    await add.getByRole('button', { name: 'Add team or person' }).click();
    await page.getByText('13 tables and teams').waitFor();
    const [first, second, third] = await listed(event.id);
    await give(event.id, { teamId: first?.id });
    await until(async () => (await listed(event.id))[0]?.gifts === 1, 'the donation of the table');
    await page.reload();
    await page.getByRole('link', { name: '1 donation', exact: true }).waitFor();
    expect(await lookAt(page, 'teams-list')).toEqual([]);

    // Another person changes the same field meanwhile.
    await button('Table 2').click();
    const sheet = dialogOf('Table 2');
    await sheet.getByRole('button', { name: 'Copy' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(new RegExp(`/donate/${event.slug}\\?team=table-2$`));
    await sheet.getByLabel('Seats').fill('8');
    await sheet.getByLabel('Name', { exact: true }).fill('Table of honour');
    await admin.patch(`/teams/${second?.id ?? ''}`, { seats: 9, kind: 'team' }).expect(200);
    await sheet.getByRole('button', { name: 'Save' }).click();
    await sheet.getByText(/changed “Seats” to 9/).waitFor();
    expect(await lookAt(page, 'teams-conflict')).toEqual([]);
    await sheet.getByRole('button', { name: 'Keep mine' }).click();
    await sheet.waitFor({ state: 'detached' });
    expect((await listed(event.id))[1]).toMatchObject({ name: 'Table of honour', seats: 8, kind: 'team' });

    await button('Print codes').click();
    const { bytes } = await saved(page, () =>
      page.getByRole('menuitem', { name: 'Tent cards, two on a page' }).click(),
    );
    expect(await pdfText(bytes)).toMatch(/Table 1\n[^]*Table of honour[^]*Grace Hopper/);

    // A table with donations is taken off the list instead.
    await button('Table 1').click();
    await dialogOf('Table 1').getByRole('button', { name: 'Delete' }).click();
    const refused = dialogOf('Delete “Table 1”?');
    await refused.getByText('has donations, so it cannot be deleted').waitFor();
    expect(await lookAt(page, 'teams-delete')).toEqual([]);
    await refused.getByRole('button', { name: 'Take off the list' }).click();
    await page.getByText('Not shown to guests').waitFor();
    expect((await listed(event.id))[0]).toMatchObject({ isListed: false, gifts: 1 });

    // The donation arrives after the page was read.
    await give(event.id, { teamId: third?.id });
    await button('Table 3').click();
    await dialogOf('Table 3').getByRole('button', { name: 'Delete' }).click();
    const asked = dialogOf('Delete “Table 3”?');
    const remove = asked.getByRole('button', { name: 'Delete' });
    if (await remove.isVisible()) await remove.click();
    await asked.getByText('has donations, so it cannot be deleted').waitFor();
    await asked.getByRole('button', { name: 'Keep as is' }).click();
    await button('Table 4').click();
    await dialogOf('Table 4').getByRole('button', { name: 'Delete' }).click();
    await dialogOf('Delete “Table 4”?').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('12 tables and teams').waitFor();
    // The browser reports each refusal: the edit conflict, and the delete.
    expect(problems.filter((problem) => !problem.includes('409'))).toEqual([]);
    await page.context().close();
  });

  it('a donation gets its table in the correction, and the list of donations filters by table', async () => {
    const event = await createEvent(app, admin.token, { name: 'Winter Gala' });
    await admin.post(`/events/${event.id}/teams/tables`, { count: 3, name: 'Table' }).expect(201);
    const { id } = await give(event.id);
    await give(event.id, { donorName: 'Mary Somerville' });
    const [, table, other] = await listed(event.id);
    const { page, problems } = await openDesk(browser, app, `donations/${id}?event=${event.slug}`);
    const correct = async (from: string, to: string) => {
      await page.getByRole('button', { name: 'Correct', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Correct donor details' });
      const select = dialog.getByLabel('Table or team');
      await select.waitFor();
      expect(await select.locator('option:checked').textContent()).toBe(from);
      await select.selectOption(to);
      return dialog;
    };
    const dialog = await correct('No table or team', 'Table 2');
    expect(await lookAt(page, 'teams-correct')).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Table 2' }).waitFor();
    expect(await lookAt(page, 'teams-donation')).toEqual([]);
    await until(async () => (await listed(event.id))[1]?.raised === 12_500, 'the figures of the table');

    const conflict = await correct('Table 2', '');
    await admin.patch(`/donations/${id}`, { teamId: other?.id }).expect(200);
    await conflict.getByRole('button', { name: 'Save' }).click();
    await conflict.getByText(/changed “Table or team” to Table 3/).waitFor();
    await conflict.getByRole('button', { name: 'Keep mine' }).click();
    await conflict.waitFor({ state: 'detached' });
    for (const team of [table, other])
      expect((await admin.get('/donations').query({ teamId: team?.id }).expect(200)).body).toMatchObject({
        data: [],
      });

    await give(event.id, { donorName: 'Emmy Noether', teamId: table?.id });
    await page.goto(`${app.url}/admin/donations?event=${event.slug}`);
    await page.getByRole('link', { name: 'Emmy Noether' }).waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Table or team').selectOption('Table 2');
    await page.getByRole('link', { name: 'Mary Somerville' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('link', { name: 'Emmy Noether' }).count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('team')).toBe(table?.id);
    expect(problems.filter((problem) => !problem.includes('409'))).toEqual([]);
    await page.context().close();
  });

  it('five hundred teams are searched and sorted, and a link opens the board as guests see it', async () => {
    const event = await createEvent(app, admin.token, { name: 'Large Gala' });
    await admin
      .post(`/events/${event.id}/teams/tables`, { count: 500, name: 'Table', seats: 10 })
      .expect(201);
    const teams = await listed(event.id);
    for (const [table, donors] of [
      [416, 3],
      [7, 2],
    ] as const)
      for (let donor = 0; donor < donors; donor++)
        await give(event.id, { teamId: teams[table]?.id, donorName: `Donor ${donor}` });
    await until(async () => (await listed(event.id))[416]?.gifts === 3, 'the donations of the table');
    const { page, problems } = await openDesk(browser, app, `teams?event=${event.slug}`);
    await page.getByText('500 tables and teams').waitFor();
    expect(await lookAt(page, 'teams-many')).toEqual([]);
    await page.getByRole('button', { name: 'Donated' }).click();
    await until(
      async () => ((await page.locator('tbody td').nth(1).textContent()) ?? '').startsWith('Table 417'),
      'the order',
    );
    await page.getByLabel('Search by name').fill('table 49');
    await until(async () => (await page.getByRole('row').count()) === 12, 'eleven tables and the head');
    await page.getByLabel('Search by name').fill('no such');
    await page.getByText('No match').waitFor();
    const [board] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Public board' }).click(),
    ]);
    // Three times 125 euro, rounded down to a multiple of 50. Two donors are too few for a figure.
    await board.getByText('Table 417').waitFor();
    await board.getByText('€350').waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the tables of the guest list become tables with one choice', async () => {
    const event = await createEvent(app, admin.token, { name: 'Guest Gala' });
    for (const [name, table] of [
      ['Ada', '4'],
      ['Grace', '4'],
      ['Mary', 'Gold'],
    ])
      await admin.post(`/events/${event.id}/guests`, { name, table }).expect(201);
    const { page, problems } = await openDesk(browser, app, `teams?event=${event.slug}`);
    await page.getByRole('button', { name: 'Add tables' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add tables' });
    await dialog.getByLabel('Which tables').selectOption('The tables of the guest list');
    await dialog.getByRole('button', { name: 'Add tables' }).click();
    await page.getByRole('button', { name: 'Gold' }).waitFor();
    expect(await listed(event.id)).toMatchObject([
      { name: 'Table 4', number: 4, seats: 2 },
      { name: 'Gold', number: null, seats: 1 },
    ]);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('an accountant reads the tables and changes nothing', async () => {
    const event = await createEvent(app, admin.token, { name: 'Quiet Gala' });
    await admin.post(`/events/${event.id}/teams/tables`, { count: 2, name: 'Table' }).expect(201);
    const { page, problems } = await openDesk(browser, app, `teams?event=${event.slug}`, {
      role: 'ACCOUNTANT',
    });
    await page.getByText('2 tables and teams').waitFor();
    for (const name of ['Add tables', 'Add team or person', 'Print codes', 'Table 1'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Public board' }).count()).toBe(1);
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
