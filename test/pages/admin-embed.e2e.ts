import { expect, it } from '@jest/globals';
import { launchBrowser } from '../support/browser.js';
import { startCharitySite } from '../support/charity-site.js';
import { lookAt, openDesk } from '../support/desk.js';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

describeWithChromium('"On your website" in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const { app, admin, event } = withEvent({
    start: () => startPaymentsApp(),
    fields: { slug: 'lighthouse', name: 'A new roof for the lighthouse' },
  });
  const site = withOpened(() => startCharitySite());

  it('the copied lines show the button, the bar and the form on the listed website, as in the preview', async () => {
    await admin
      .patch('/settings/global', { locales: { default: 'en', supported: ['en', 'de'] } })
      .expect(200);
    const { page, problems } = await openDesk(browser, app, `events/${event.slug}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
      ignoreHTTPSErrors: true,
    });
    const panel = page.getByRole('region', { name: 'On your website' });
    await panel.getByText('No website is listed yet').waitFor();
    await panel.getByRole('link', { name: 'Change the websites' }).click();
    await page.getByLabel('Websites that may show the wall and the donate page').fill(site.origin);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').first().waitFor();
    await page.goBack();
    await panel.getByText(`Websites that may show it: ${site.origin}.`).waitFor();

    const lines = panel.getByLabel('Lines for your website');
    const preview = panel.frameLocator('.embed__preview');
    await preview.getByRole('button', { name: 'Donate' }).waitFor();
    expect(await lookAt(page, 'embed-button')).toEqual([]);
    await panel.getByRole('button', { name: 'Goal bar' }).click();
    await preview.getByText('Be the first to donate.').waitFor();
    expect(await lookAt(page, 'embed-bar')).toEqual([]);
    await panel.getByRole('button', { name: 'Form', exact: true }).click();
    await preview.frameLocator('iframe').getByLabel('Card number').waitFor();
    expect(await lookAt(page, 'embed-form')).toEqual([]);
    await panel.getByLabel('Language').selectOption('de');
    await preview.frameLocator('iframe').getByText('Wie viel möchten Sie spenden?').waitFor();

    await panel.getByRole('button', { name: 'Button', exact: true }).click();
    await panel.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').first().waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toBe(await lines.inputValue());
    expect(copied).toBe(
      `<a href="${app.url}/donate/lighthouse?lang=de&amp;from=website" data-donate="button">Spenden</a>\n` +
        `<script async src="${app.url}/embed.js"></script>`,
    );
    expect(problems).toEqual([]);
    await page.context().grantPermissions(['local-network-access']);
    site.show(copied);
    await page.goto(site.origin);
    await page.getByRole('button', { name: 'Spenden' }).click();
    await page.frameLocator('iframe').getByText('Wie viel möchten Sie spenden?').waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('a draft event has no lines, and an accountant cannot change the websites', async () => {
    await sql(
      app,
      `INSERT INTO event (id, slug, name, goal_amount, currency, status)
       VALUES (gen_random_uuid(), 'draft-gala', 'Draft gala', 1, 'eur', 'draft')`,
    );
    const { page, problems } = await openDesk(browser, app, 'events/draft-gala');
    const panel = page.getByRole('region', { name: 'On your website' });
    await panel.getByText('Only a public event can be on a website.').waitFor();
    expect(await panel.getByRole('button').count()).toBe(0);
    expect(problems).toEqual([]);
    await page.context().close();
    const reader = await openDesk(browser, app, `events/${event.slug}`, { role: 'ACCOUNTANT' });
    const shown = reader.page.getByRole('region', { name: 'On your website' });
    await shown.getByRole('button', { name: 'Copy' }).waitFor();
    expect(await shown.getByRole('link', { name: 'Change the websites' }).count()).toBe(0);
    expect(reader.problems).toEqual([]);
    await reader.page.context().close();
  });
});
