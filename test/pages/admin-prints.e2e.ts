import { expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { launchBrowser } from '../support/browser.js';
import { lookAt, openDesk, saved } from '../support/desk.js';
import { createEvent } from '../support/fixtures.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { pdfText } from '../export/tools.js';

describeWithChromium('posters and table cards in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const app = withService(() => startApp({}, { corsOrigins: ['*'] }));
  const admin = withAdmin(app);

  it('an admin downloads a poster and cards for numbered or named tables, in a chosen language', async () => {
    const event = await createEvent(app, admin.token, { name: 'Summer Gala' });
    const { page, problems } = await openDesk(browser, app, `events/${event.slug}`, {
      acceptDownloads: true,
    });
    const panel = page.getByRole('region', { name: 'Print' });
    await panel.getByRole('button', { name: 'Poster A4' }).waitFor();
    expect(await lookAt(page, 'prints')).toEqual([]);
    const press = (name: string) => saved(page, () => panel.getByRole('button', { name }).click());
    expect(await pdfText((await press('Poster A3')).bytes)).toContain('Scan and give');
    await panel.getByLabel('Language of the print').selectOption('de');
    await panel.getByLabel('Last table').fill('3');
    expect(await pdfText((await press('Table cards')).bytes)).toMatch(/Tisch 1[^]*Tisch 3/);
    await panel.getByLabel('Last table').fill('0');
    expect(await panel.getByRole('button', { name: 'Table cards' }).isDisabled()).toBe(true);
    await panel.getByText('Choose 1 to 200 tables.').waitFor();
    await panel.getByLabel('Names of the tables').fill('Gold, Silver');
    expect(await pdfText((await press('Table cards')).bytes)).toMatch(/Gold[^]*Silver/);
    expect(problems).toEqual([]);
  });
});
