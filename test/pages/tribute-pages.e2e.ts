import { beforeAll, expect, it } from '@jest/globals';
import { accessibilityProblems, launchBrowser, openPage, takePicture } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

const PHONE = { viewport: { width: 390, height: 844 } };

describeWithChromium('a tribute in the browser', (executablePath) => {
  const { app, admin, event } = withEvent({
    start: () => startPaymentsApp({}, { corsOrigins: ['*'] }),
    fields: { name: 'Winter Gala', slug: 'winter-gala' },
  });
  const browser = withOpened(() => launchBrowser(executablePath));

  beforeAll(async () => {
    await admin
      .patch('/settings/global', {
        organization: 'Haus am See',
        locales: { default: 'en', supported: ['en', 'de'] },
        transfer: { iban: 'DE89370400440532013000', name: 'Haus am See' },
      })
      .expect(200);
    await admin
      .patch(`/events/${event.id}/settings`, {
        donation: { fields: { tribute: true } },
        live: { moderate: 'messages' },
      })
      .expect(200);
  });

  it('is typed in a folded part of the form, kept over a reload, checked, and shown on the wall after the approval', async () => {
    const { page, problems } = await openPage(browser, { ...PHONE, colorScheme: 'dark', locale: 'de' });
    await page.goto(`${app.url}/donate/winter-gala?lang=de`);
    expect(await page.getByLabel('Name dieser Person').isVisible()).toBe(false);
    await page.getByText('Zu Ehren oder im Gedenken an jemanden').click();
    await page.getByLabel('E-Mail-Adresse von jemandem').fill('maria@example.org');
    await page.getByLabel('Nachricht an diese Person').fill('Wir denken an euch. www.example.org');
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'tribute-form-390-dark-de');
    await page.getByLabel('25 €', { exact: true }).check();
    await page.getByRole('button', { name: 'Überweisung' }).click();
    await page.getByText('Bitte geben Sie den Namen der Person ein').waitFor();
    await page.getByLabel('Name dieser Person').fill('Anna Bauer');
    await page.getByRole('button', { name: 'Überweisung' }).click();
    await page.getByText('keine Internetadressen, E-Mail-Adressen oder Telefonnummern').waitFor();
    await page.getByLabel('Nachricht an diese Person').fill('Wir denken an euch.');
    await page.getByRole('button', { name: 'Überweisung' }).click();
    await page.getByRole('heading', { name: 'Bitte überweisen Sie Ihre Spende' }).waitFor();
    const { body } = await admin.get(`/donations?eventId=${event.id}&tribute=true`).expect(200);
    const [donation] = (body as { data: { id: string; tribute: object }[] }).data;
    expect(donation?.tribute).toEqual({
      kind: 'memory',
      name: 'Anna Bauer',
      message: 'Wir denken an euch.',
      notifyEmail: 'maria@example.org',
    });
    const receivedOn = new Date().toISOString().slice(0, 10);
    await admin.post(`/donations/${donation?.id}/receive`, { amount: 2_500, receivedOn }).expect(200);
    await page.reload();
    await page.getByText('Im Gedenken an Anna Bauer').waitFor();
    await takePicture(page, 'tribute-thanks-390-dark-de');
    expect(problems).toEqual([]);
    await page.close();

    const wall = await openPage(browser, { viewport: { width: 1280, height: 720 } });
    await wall.page.goto(`${app.url}/wall/winter-gala?lang=en`);
    await wall.page.getByText('€25').first().waitFor();
    expect(await wall.page.getByText('In memory of').count()).toBe(0);
    const desk = await openDesk(browser, app, `tonight?event=winter-gala`);
    await desk.page.getByText('In memory of Anna Bauer').first().waitFor();
    expect(await lookAt(desk.page, 'tribute-moderation')).toEqual([]);
    await desk.page.getByRole('button', { name: 'Approve', exact: true }).first().click();
    await wall.page.getByText('In memory of Anna Bauer').waitFor();
    await takePicture(wall.page, 'tribute-wall-1280');
    expect(await wall.page.getByText('Wir denken an euch').count()).toBe(0);
    await wall.page.close();

    await desk.page.goto(`${app.url}/admin/donations/${donation?.id}`);
    await desk.page.getByText('maria@example.org').waitFor();
    await desk.page.getByRole('button', { name: 'Correct' }).click();
    await desk.page.getByLabel('Name of this person').fill('Anna Maria Bauer');
    expect(await lookAt(desk.page, 'tribute-correct')).toEqual([]);
    await desk.page.getByRole('button', { name: 'Save' }).click();
    await desk.page.getByText('In memory of Anna Maria Bauer').waitFor();
    expect([...wall.problems, ...desk.problems]).toEqual([]);
    await desk.page.close();
  });
});
