import { expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { launchBrowser } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { withEvent, withOpened } from '../support/setup.js';
import { enrolTerminal } from '../support/terminals.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

describeWithChromium('the first steps in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const { app, admin, event } = withEvent({
    start: () => startApp({}, { corsOrigins: ['*'] }),
    fields: { status: 'draft' },
  });

  it('each step is ticked by a fact of the server, and never by a click', async () => {
    const { page, problems } = await openDesk(browser, app, `tonight?event=${event.slug}`);
    const steps = page.locator('.first__step');
    const ticked = () =>
      steps
        .filter({ has: page.locator('.visually-hidden') })
        .locator('span:not([class])')
        .allInnerTexts();
    const isTicked = async (...names: string[]) => {
      await page.reload();
      await until(async () => (await ticked()).join() === names.join(), `the ticks ${names.join()}`);
    };
    await isTicked('Create the event');
    expect(await lookAt(page, 'first-steps')).toEqual([]);

    // A visit ticks nothing.
    await page.getByRole('link', { name: 'Add volunteers' }).click();
    await page.getByRole('heading', { name: 'Team' }).first().waitFor();
    await page.goBack();
    await isTicked('Create the event');

    await admin
      .patch(`/events/${event.id}/settings`, { theme: { variables: { '--brand-color': '#0a7c66' } } })
      .expect(200);
    await isTicked('Create the event', 'Set the logo and the colours');
    const { body: member } = await admin.post('/staff', { name: 'Maria Lopez' }).expect(201);
    await admin.post(`/events/${event.id}/staff/${(member as { id: string }).id}`).expect(201);
    await isTicked('Create the event', 'Set the logo and the colours', 'Add volunteers');
    await admin.get(`/events/${event.id}/staff`).expect(200);
    await isTicked('Create the event', 'Set the logo and the colours', 'Add volunteers', 'Print PINs');
    await enrolTerminal(app, admin.token);
    await admin.patch(`/events/${event.id}`, { status: 'active' }).expect(200);
    await isTicked(
      'Create the event',
      'Set the logo and the colours',
      'Add volunteers',
      'Print PINs',
      'Enrol a terminal',
      'Open the event for donations',
    );
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
