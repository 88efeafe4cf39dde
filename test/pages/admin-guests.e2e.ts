/// <reference lib="dom" />
import { beforeEach, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startApp } from '../support/app.js';
import { launchBrowser, SCREENS } from '../support/browser.js';
import { lookAt, openDesk, saved } from '../support/desk.js';
import { createEvent, type EventFixture } from '../support/fixtures.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

describeWithChromium('the guest list in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const app = withService(() => startApp({}, { corsOrigins: ['*'] }));
  const admin = withAdmin(app);
  let event: EventFixture;

  beforeEach(async () => {
    event = await createEvent(app, admin.token, { name: 'Summer Gala' });
  });

  const add = async (fields: object) =>
    (await admin.post(`/events/${event.id}/guests`, fields).expect(201)).body as { id: string };
  const guests = async () =>
    (
      (await admin.get(`/events/${event.id}/guests?limit=1000`).expect(200)).body as {
        data: { name: string }[];
      }
    ).data;
  const open = (options: object = {}) =>
    openDesk(browser, app, `guests?event=${event.slug}`, { acceptDownloads: true, ...options });
  const choose = (page: Page, name: string, text: string) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

  it('an admin adds a guest, shares a paddle, finds guests and deletes one', async () => {
    const { page, problems } = await open();
    await page.getByText('No guests yet').waitFor();
    expect(await lookAt(page, 'guests-empty')).toEqual([]);
    await page.getByRole('button', { name: 'Add guest' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add guest' });
    await dialog.getByLabel('Name').fill('Mary Jones');
    await dialog.getByLabel('Table').fill('12');
    await dialog.getByLabel('Paddle').fill('117');
    expect(await lookAt(page, 'guests-add')).toEqual([]);
    await dialog.getByRole('button', { name: 'Add guest' }).click();
    await page.getByRole('button', { name: 'Mary Jones' }).waitFor();

    // The partner has the same paddle.
    await page.getByRole('button', { name: 'Add guest' }).click();
    await dialog.getByLabel('Name').fill('Bob Jones');
    await dialog.getByLabel('Paddle').fill('117');
    await dialog.getByRole('button', { name: 'Add guest' }).click();
    await dialog.getByText('Paddle 117 belongs to Mary Jones.').waitFor();
    await page.route(/\/events\/[^/]+\/guests$/, (route) => route.abort(), { times: 1 });
    await dialog.getByRole('button', { name: 'Share this paddle' }).click();
    await dialog.getByRole('alert').getByText('connection').waitFor();
    await dialog.getByRole('button', { name: 'Share this paddle' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await guests()).toMatchObject([
      { name: 'Bob Jones', paddle: '117' },
      { name: 'Mary Jones', paddle: '117', table: '12' },
    ]);

    const [, mary] = (await guests()) as unknown as { id: string }[];
    await admin.post(`/guests/${String(mary?.id)}/check-in`, {}).expect(200);
    await page.reload();
    await page.getByText('1 of 2 guests are here').waitFor();
    expect(await lookAt(page, 'guests-list')).toEqual([]);
    await page.getByLabel('Show').selectOption({ label: 'Not yet here' });
    await page.getByRole('button', { name: 'Mary Jones' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Bob Jones' }).click();
    const sheet = page.getByRole('dialog', { name: 'Bob Jones' });
    await sheet.getByText('Shared with another guest.').waitFor();
    await sheet.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing found').or(page.getByText('No match')).first().waitFor();
    expect((await guests()).map(({ name }) => name)).toEqual(['Mary Jones']);
    await page.getByRole('button', { name: 'Download' }).click();
    const file = await saved(page, () => page.getByRole('menuitem', { name: 'All data (CSV)' }).click());
    expect(file.bytes.toString()).toContain('Mary Jones');
    expect(problems).toEqual([expect.stringContaining('409'), expect.stringContaining('ERR_FAILED')]);
  });

  it('on a phone, the guest list names table and paddle, and shortens a long name visibly', async () => {
    const name = 'The Friends of the Old Harbour Lighthouse and Lifeboat Association of North Yorkshire';
    await add({ name, table: '5', paddle: '117' });
    const { page } = await open({ viewport: SCREENS.phone });
    const button = page.getByRole('button', { name });
    await button.waitFor();
    expect(await page.locator('tbody .table__row').innerText()).toMatch(/Table\s*5[^]*Paddle\s*117/);
    expect(
      await button.evaluate((element) => {
        const { overflow, textOverflow, display } = getComputedStyle(element);
        const fits =
          element.getBoundingClientRect().right <=
          (element.closest('td')?.getBoundingClientRect().right ?? 0);
        return { overflow, textOverflow, display, fits };
      }),
    ).toEqual({ overflow: 'hidden', textOverflow: 'ellipsis', display: 'inline-block', fits: true });
    expect(await lookAt(page, 'guests-phone')).toEqual([]);
    await page.context().close();
  });

  it('an admin imports a list, sees every wrong cell before the import, downloads the wrong rows, and undoes the import', async () => {
    const { page, problems } = await open();
    await page.getByRole('link', { name: 'Import a list' }).click();
    await page.getByText('Choose a guest list').waitFor();
    expect(await lookAt(page, 'guests-upload')).toEqual([]);
    await choose(
      page,
      'Gäste.csv',
      'Name;E-Mail;Where;Bieternummer\nMary Jones;mary@example.org;12;117\nBob Jones;;12;117\nMax;no address;3;\n',
    );
    await page.getByText('Gäste.csv').waitFor();
    await page.getByRole('button', { name: 'Import 1 guest' }).waitFor();
    // The column "Where" has no field yet, so the import has no table for Bob, and it does not recognize Bob
    // as the partner of Mary.
    await page.getByText('This paddle belongs to a guest of another table and group.').waitFor();
    await page.getByLabel('Meaning of the column Where').selectOption({ label: 'Table' });
    await page.getByRole('button', { name: 'Import 2 guests' }).waitFor();
    await page.getByLabel('Meaning of the column Name').selectOption('');
    await page.getByText('Choose the column with the name of the guest.').waitFor();
    await page.getByLabel('Separator').selectOption({ label: 'Comma' });
    await page.getByLabel('Meaning of the column Name;E-Mail;Where;Bieternummer').waitFor();
    await page.getByLabel('Separator').selectOption({ label: 'Semicolon' });
    await page.getByLabel('Meaning of the column Where').selectOption({ label: 'Table' });
    await page.getByText('Enter an e-mail address such as name@example.org.').waitFor();
    expect(await lookAt(page, 'guests-import')).toEqual([]);
    expect(await guests()).toEqual([]);

    const wrong = await saved(page, () => page.getByRole('button', { name: 'Download wrong rows' }).click());
    expect(wrong.bytes.toString()).toContain('Max,no address,3,');
    await page.getByRole('button', { name: 'Import 2 guests' }).click();
    await page.getByRole('link', { name: 'To the guest list' }).waitFor();
    expect(await lookAt(page, 'guests-imported')).toEqual([]);
    expect(await guests()).toHaveLength(2);

    await page.getByRole('button', { name: 'Undo import' }).click();
    const question = page.getByRole('dialog', { name: 'Undo the import of Gäste.csv?' });
    await question.getByText('2 guests are deleted').waitFor();
    await question.getByRole('button', { name: 'Undo import' }).click();
    await page.getByText('Undone').waitFor();
    expect(await guests()).toEqual([]);
    await page.getByRole('link', { name: 'Import another list' }).click();
    await page.getByRole('heading', { name: 'Imports of the last 30 days' }).waitFor();
    await page.getByRole('link', { name: 'Gäste.csv' }).waitFor();

    // The same screen imports pledges. It asks how the amounts are written, because 1.500 has two meanings.
    await page.getByLabel('List of').selectOption({ label: 'Pledges' });
    await page.getByText('Choose a list of pledges').waitFor();
    expect(await lookAt(page, 'pledges-upload')).toEqual([]);
    await choose(page, 'pledges.csv', 'Amount,Name,Paddle\n1.500,Ada,1\n2.000,Grace,no 2\n');
    await page.getByText('can be read in two ways').waitFor();
    expect(await page.getByRole('button', { name: /^Import/ }).isDisabled()).toBe(true);
    await page.getByLabel('How amounts are written').selectOption('1.234,56');
    await page.getByText('Use 1 to 12 letters, digits or hyphens.').waitFor();
    expect(await lookAt(page, 'pledges-import')).toEqual([]);
    await page.getByRole('button', { name: 'Import 1 pledge' }).click();
    await page.getByRole('link', { name: 'To the pledges' }).click();
    await page.getByText('€1,500.00').first().waitFor();
    expect(problems).toEqual([]);
  });

  it('the dashboard explains why it refuses a file without a table, and accepts another file', async () => {
    const { page } = await open();
    await page.getByRole('link', { name: 'Import a list' }).click();
    await choose(page, 'report.pdf', '%PDF-1.7');
    await page.getByText('This file is neither a CSV file nor an Excel workbook').waitFor();
    await choose(page, 'empty.csv', 'Name\n');
    await page.getByText('The file has no rows below its headings.').waitFor();
    await choose(page, 'guests.csv', 'Name\nAda\n');
    await page.getByRole('button', { name: 'Import 1 guest' }).waitFor();
    await page.getByRole('button', { name: 'Discard file' }).click();
    await page.getByText('Choose a guest list').waitFor();
    expect(await guests()).toEqual([]);
  });

  it('Tonight counts the guests by table, and shows nothing for an event without guests', async () => {
    const { page } = await openDesk(browser, app, `tonight?event=${event.slug}`);
    await page.locator('.panel').first().waitFor();
    expect(await page.getByRole('region', { name: 'Guests' }).count()).toBe(0);
    const { id } = await add({ name: 'Ada', table: '2' });
    await add({ name: 'Bob', table: '10' });
    await admin.post(`/guests/${id}/check-in`, {}).expect(200);
    await page.reload();
    const panel = page.getByRole('region', { name: 'Guests' });
    await panel.getByText('1 of 2 guests are here').waitFor();
    await panel.getByText('By table').click();
    await panel.getByText('Table 2').waitFor();
    expect(await lookAt(page, 'tonight-guests')).toEqual([]);
  });

  it('a failed count is not shown as zero', async () => {
    await add({ name: 'Ada' });
    const { page } = await open();
    await page.getByText('0 of 1 guests are here').waitFor();
    await page.route('**/guests/count', (route) => route.abort());
    await page.reload();
    await page.getByText('The number of guests could not be loaded.').waitFor();
    expect(await page.getByText('0 of').count()).toBe(0);
    await page.getByRole('link', { name: 'Tonight' }).click();
    await page.getByText('The number of guests could not be loaded.').waitFor();
    await page.unroute('**/guests/count');
    const panel = page.getByRole('region', { name: 'Guests' });
    await panel.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('0 of 1 guests are here').waitFor();
  });
});
