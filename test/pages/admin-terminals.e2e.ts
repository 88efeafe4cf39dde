import { expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { launchBrowser, openPage, takePicture } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { allSent, goTo, record, signIn } from '../support/pos.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';
import { readCode } from '../support/wall-page.js';

describeWithChromium('terminals in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const { app, admin, event } = withEvent({
    start: () => startApp({}, { corsOrigins: ['*'] }),
    fields: { name: 'Winter Gala', slug: 'winter-gala' },
  });

  it('an admin enrols a terminal by the code on the screen, sees its user and shift, renames and blocks it', async () => {
    const maria = await createStaff(app, admin.token, event.id, 'Maria Lopez');
    const ada = await createStaff(app, admin.token, event.id, 'Ada Byron');
    const { page, problems } = await openDesk(browser, app, 'terminals?event=winter-gala');
    await page.getByText('No terminals enrolled').waitFor();
    await page.getByText('No shifts at this event').waitFor();
    expect(await lookAt(page, 'terminals-none')).toEqual([]);

    // The second click of a double click hits the area outside the dialog. This click must not close the dialog.
    await page.getByRole('button', { name: 'Enrol a terminal' }).dblclick();
    await page.getByLabel('Terminal name').fill('Bar');
    expect(await lookAt(page, 'terminal-name')).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('The code works once.').waitFor();
    const code = await page.locator('.bigcode').innerText();
    // The camera of a till can read this code.
    const link = (await readCode(page, '.dialog .qr', 600)) ?? '';
    expect(link).toContain(`/pos#enrol=${code}`);
    expect(await lookAt(page, 'terminal-code')).toEqual([]);

    const till = await openPage(browser);
    await till.page.goto(`${app.url}/pos${new URL(link).hash}`);
    await till.page.click('dialog button:text-is("Enrol")');
    await till.page.waitForSelector('.sign-in');
    await till.page.waitForSelector('dialog', { state: 'detached' });
    await signIn(till.page, maria);

    // The list behind the dialog updates without a reload.
    await page.getByText('Bar', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await goTo(till.page, 'Shift');
    await till.page.fill('.shift input', '100');
    await till.page.click('button:text-is("Open a shift")');
    await till.page.waitForSelector('[data-denomination]');
    await goTo(till.page, 'Take');
    await record(till.page, '37.50', 'cash');
    await allSent(till.page);
    const taken = new Date().toISOString();
    await page.reload();
    const shift = page.getByRole('region', { name: 'Shifts and cash counts' });
    await shift.getByText('Maria Lopez').waitFor();
    await shift.getByText('In progress', { exact: true }).waitFor();
    await shift.getByText('expected €137.50').waitFor();
    await page.getByRole('button', { name: 'Rename: Bar' }).waitFor();
    expect(await lookAt(page, 'terminals-open-shift')).toEqual([]);

    // The counted amount is too low, and a colleague signs the count. The dashboard shows both.
    await goTo(till.page, 'Shift');
    await till.page.waitForSelector('[data-denomination]');
    await till.page.fill('[data-denomination="10000"]', '1');
    await till.page.fill('[data-denomination="2000"]', '1');
    await till.page.click('button:text-is("Finish the count")');
    await till.page.click('button:text-is("Count again")');
    await till.page.fill('[data-denomination="10000"]', '1');
    await till.page.fill('[data-denomination="5000"]', '1');
    await till.page.click('button:text-is("Finish the count")');
    await till.page.waitForSelector('[data-recount]');
    await till.page.fill('.shift input[type=password]', ada.code);
    await till.page.click('button:text-is("Sign and close")');
    await till.page.waitForSelector('button:text-is("Print the slip")');
    await page.reload();
    await shift.getByText('Closed', { exact: true }).waitFor();
    await shift.getByText('differs by -€17.50').waitFor();
    await shift.getByText('signed by Ada Byron').waitFor();
    await shift.getByText(/counted again €150\.00/).waitFor();
    await shift.getByText('differs by €12.50').waitFor();

    // A record that waited on the terminal arrives after the count, and another record is cancelled. Both appear next to the
    // count.
    const session = await till.page.evaluate<{ token: string }>(`new Promise((done) => {
      indexedDB.open('pos').onsuccess = ({ target }) => {
        const reading = target.result.transaction('meta').objectStore('meta').get('session');
        reading.onsuccess = () => done(reading.result);
      };
    })`);
    const late = { amount: 500, type: 'cash', recordedAt: taken };
    await as(app, session.token).post('/donations', late).expect(201);
    const [wrong] = await sql<{ id: string }>(app, 'SELECT id FROM donation WHERE amount = 3750');
    await admin.post(`/donations/${wrong?.id}/undo`).expect(200);
    await page.reload();
    await shift.getByText('1 record arrived after the cash was counted · €5.00 in cash').waitFor();
    await shift.getByText('1 record was removed after the cash was counted · €37.50 in cash').waitFor();
    await shift.getByText('differs by -€17.50').waitFor();
    expect(await lookAt(page, 'terminals-closed-shift')).toEqual([]);

    await page.getByRole('button', { name: 'Rename: Bar' }).click();
    await page.getByLabel('Terminal name').fill('Bar, left');
    await page.keyboard.press('Enter');
    await page.getByText('Bar, left', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Block: Bar, left' }).click();
    await page.getByRole('dialog').getByText('Members can no longer sign in on the device.').waitFor();
    expect(await lookAt(page, 'terminal-revoke')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
    await page.getByText('No terminals enrolled').waitFor();
    // The device must be enrolled again. The service refuses its next sign-in, and the page explains this.
    await till.page.reload();
    await till.page.waitForSelector('.sign-in, .pos');
    expect(problems).toEqual([]);
    await till.page.context().close();
    await page.context().close();
  });

  it('the list shows terminals although the network is slower than the refresh interval of the list', async () => {
    const { page } = await openDesk(browser, app, 'terminals?event=winter-gala');
    await page.getByRole('button', { name: 'Enrol a terminal' }).click();
    await page.getByLabel('Terminal name').fill('Cloakroom');
    await page.keyboard.press('Enter');
    await page.getByText('The code works once.').waitFor();
    const asked: string[] = [];
    page.on('requestfailed', () => asked.push('given up'));
    await page.route('**/terminals', async (route) => {
      asked.push('asked');
      await new Promise((resolve) => setTimeout(resolve, 12_000));
      await route.continue();
    });
    const code = await page.locator('.bigcode').innerText();
    await app.http.post('/terminals/enrol').send({ code }).expect(201);
    await page.getByText('Cloakroom', { exact: true }).waitFor();
    expect(asked[0]).toBe('asked');
    expect(asked).not.toContain('given up');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.close();
  });

  it('PINs are loaded only for the print sheet, with an audit entry', async () => {
    const other = await createEvent(app, admin.token, { name: 'Spring run', slug: 'spring-run' });
    const jonas = await createStaff(app, admin.token, other.id, 'Jonas Petersen');
    const looks = async () =>
      (await sql(app, "SELECT 1 FROM audit_entry WHERE action = 'staff.see_pins'")).length;
    const before = await looks();
    const { page } = await openDesk(browser, app, 'team?event=spring-run');
    await page.getByText('Jonas Petersen').waitFor();
    expect(await page.content()).not.toContain(jonas.code);
    expect(await looks()).toBe(before);
    await page.evaluate(
      "window.print = () => { window.sheet = document.querySelector('.sheet').textContent; }",
    );
    await page.getByRole('button', { name: 'Print PINs' }).click();
    await until(async () => (await page.evaluate('window.sheet')) !== undefined, 'the print sheet');
    const sheet = await page.evaluate<string>('window.sheet');
    expect(sheet).toContain(`PIN${jonas.code}`);
    // The sheet contains only members of the chosen event.
    expect(sheet).not.toContain('Maria Lopez');
    expect(await looks()).toBe(before + 1);
    await page.emulateMedia({ media: 'print' });
    await takePicture(page, 'admin-pins-printed');
    // The code opens the till at the event and does not contain the PIN.
    const address = await readCode(page, '.slip .qr', 400);
    expect(address).toBe(`${app.url}/pos?event=spring-run`);
    const till = await page.context().newPage();
    await till.goto(address ?? '');
    await until(
      async () => (await till.evaluate("document.querySelector('select')?.value")) === 'spring-run',
      'the event of the code',
    );
    await till.close();
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    await until(async () => !(await page.content()).includes(jonas.code), 'the sheet put away');
    await page.context().close();
  });

  it('pasted names are checked first, and the confirmation adds the new ones to the event', async () => {
    const walk = await createEvent(app, admin.token, { name: 'Night walk', slug: 'night-walk' });
    await createStaff(app, admin.token, walk.id, 'Nora Lind');
    const { page } = await openDesk(browser, app, 'team?event=night-walk');
    await page.getByText('Nora Lind').waitFor();
    await page.getByRole('button', { name: 'Add several' }).click();
    await page.getByLabel('Names').fill('Ada Lovelace;Bar\nnora lind\nADA LOVELACE\nGrace Hopper');
    await page.getByRole('button', { name: 'Check the names' }).click();
    await page.getByText('left out: already on the team').waitFor();
    await page.getByText('left out: twice in the list').waitFor();
    await page.getByText('Only names are added.').waitFor();
    expect(await lookAt(page, 'team-many')).toEqual([]);
    const atWalk = () => sql(app, 'SELECT 1 FROM event_staff WHERE event_id = $1', [walk.id]);
    expect(await atWalk()).toHaveLength(1);
    await page.getByRole('button', { name: 'Add 2 members' }).click();
    const done = page.getByRole('dialog', { name: '2 members added' });
    await done.waitFor();
    expect(await lookAt(page, 'team-many-added')).toEqual([]);
    // The browser of the tests cannot print, so the page keeps what it would print.
    await page.evaluate(() => {
      globalThis.print = () => {
        document.body.dataset['printed'] = document.querySelector('.slips')?.textContent ?? '';
        dispatchEvent(new Event('afterprint'));
      };
    });
    await done.getByRole('button', { name: 'Print PINs' }).click();
    await page.locator('body[data-printed]').waitFor();
    const printed = (await page.locator('body').getAttribute('data-printed')) ?? '';
    expect(printed).toMatch(/^Ada LovelacePIN\d{6}.*\?event=night-walk/);
    expect(printed).toMatch(/Grace HopperPIN\d{6}/);
    expect(printed).not.toContain('Nora Lind');
    await done.waitFor({ state: 'detached' });
    await page.getByRole('table').getByText('Grace Hopper').waitFor();
    expect(await atWalk()).toHaveLength(3);
    await page.context().close();
  });
});
