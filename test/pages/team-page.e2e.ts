/// <reference lib="dom" />
import { beforeAll, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { errorBody } from '../support/bearer.js';
import { openDesk } from '../support/desk.js';
import { createEvent, type EventFixture } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

const TEXT = 'I run 42 kilometres <b>for</b> the new ward.\nThank you!';

describeWithChromium('the page of a person, /donate/<event>/<address>', (executablePath) => {
  const app = withService(startPaymentsApp);
  const admin = withAdmin(app);
  const browser = withOpened(() => launchBrowser(executablePath));
  let event: EventFixture;
  let image: string;
  let ada: { id: string };

  const add = async (fields: object) =>
    (await admin.post(`/events/${event.id}/teams`, fields).expect(201)).body as { id: string };
  const pageOf = async (address: string) =>
    (await app.http.get(`/donate/${event.slug}/${address}`).expect(200)).text;
  const give = (teamId: string, donorName: string, amount: number) =>
    admin.post('/donations', { eventId: event.id, type: 'cash', amount, donorName, teamId }).expect(201);

  beforeAll(async () => {
    event = await createEvent(app, admin.token, { name: 'Spring run' });
    const picture = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#0d5c4c' } })
      .png()
      .toBuffer();
    const { body } = await app.http
      .post('/images')
      .auth(admin.token, { type: 'bearer' })
      .set('Content-Type', 'image/png')
      .send(picture)
      .expect(201);
    image = (body as { path: string }).path;
    ada = await add({ name: 'Ada', kind: 'person', goalAmount: 100_000, text: TEXT, image });
    await add({ name: 'Table 1', kind: 'table', number: 1, text: 'Not for a table', goalAmount: 5_000 });
  });

  it('the page of a person shows text, picture and goal, and the sum only with three donors, rounded down', async () => {
    const before = await pageOf('ada');
    expect(before).toContain('I run 42 kilometres &lt;b&gt;for&lt;/b&gt; the new ward.\nThank you!');
    expect(before).toContain(`src="${image}"`);
    expect(before).toContain('Goal: €1,000');
    await give(ada.id, 'Grace', 22_200);
    await give(ada.id, 'Zoë', 22_200);
    await until(async () => {
      const { body } = await admin.get(`/events/${event.id}/teams`).expect(200);
      return (body as { data: { gifts: number }[] }).data.some(({ gifts }) => gifts === 2);
    });
    expect(await pageOf('ada')).toContain('Goal: €1,000');
    await give(ada.id, 'Eve', 22_200);
    await until(async () => (await pageOf('ada')).includes('€650'));
    // The event has no other donations, so its own total is exact.
    expect(/<section class="person">[^]*?<\/section>/.exec(await pageOf('ada'))?.[0]).not.toContain('666');
  });

  it('the page of a person has the team also with the address in the query, and in the form that is sent', async () => {
    const { text } = await app.http.get(`/donate/${event.slug}?team=ada`).expect(200);
    for (const page of [text, await pageOf('ada')]) {
      expect(page).toContain('name="team" value="ada"');
      expect(page).toContain('I run 42 kilometres');
    }
  });

  it('a table has a short address, but no page of its own', async () => {
    const page = await pageOf('table-1');
    expect(page).toContain('name="team" value="table-1"');
    expect(page).not.toContain('Not for a table');
    expect(page).not.toContain('class="person"');
  });

  it('an unknown address opens the form without a team and says so; an unknown event has no page', async () => {
    expect(await pageOf('nobody')).toContain('a table or team that is not at this event');
    expect(await pageOf('%3Cscript%3E')).not.toContain('<script>alert');
    await app.http.get('/donate/no-such-event/ada').expect(404);
    // Addresses below an event that existed before.
    await app.http.get(`/donate/${event.slug}/thanks`).expect(404);
  });

  it.each([
    ['a text above 500 characters', { text: 'x'.repeat(501) }, 400],
    ['a picture on another host', { image: 'https://example.org/a.webp' }, 400],
    ['a picture that is not stored', { image: `/images/${'0'.repeat(64)}.webp` }, 400],
    ['a stale text', { text: 'New', expected: { text: 'Old' } }, 409],
  ])('refuses %s', async (_, body, status) => {
    await admin.patch(`/teams/${ada.id}`, body).expect(status);
    expect(await pageOf('ada')).toContain('I run 42 kilometres');
  });

  it('the page of a person names the reason for a picture that is not stored', async () => {
    const { body } = await admin
      .post(`/events/${event.id}/teams`, {
        name: 'Grace',
        kind: 'person',
        image: `/images/${'0'.repeat(64)}.webp`,
      })
      .expect(400);
    expect(body).toEqual(errorBody(400, 'Bad Request', 'IMAGE_UNKNOWN'));
  });

  it.each(['phone', 'hd'] as const)(
    'is accessible on a %s, and keeps the team in the browser',
    async (size) => {
      const { page, problems } = await openPage(browser, { viewport: SCREENS[size] });
      await page.goto(`${app.url}/donate/${event.slug}/ada`);
      await page.getByText('I run 42 kilometres').waitFor();
      await page.evaluate('document.fonts.ready');
      expect(await accessibilityProblems(page)).toEqual([]);
      await takePicture(page, `team-page-${size}`);
      await page.getByRole('radio').nth(1).check({ force: true });
      await page.reload();
      await page.getByText('I run 42 kilometres').waitFor();
      expect(new URL(page.url()).pathname).toBe(`/donate/${event.slug}/ada`);
      expect(await page.getAttribute('[name=team]', 'value')).toBe('ada');
      expect(problems).toEqual([]);
      await page.context().close();
    },
  );

  it('the dashboard changes the text of a person, and has no such field for a table', async () => {
    const { page } = await openDesk(browser, app, `teams?event=${event.slug}`);
    await page.getByRole('button', { name: 'Ada', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Ada' });
    await dialog.getByLabel('Text').fill('I swim instead.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await until(async () => (await pageOf('ada')).includes('I swim instead.'));
    expect(await pageOf('ada')).toContain(`src="${image}"`);
    await page.getByRole('button', { name: 'Table 1', exact: true }).click();
    const table = page.getByRole('dialog', { name: 'Table 1' });
    await table.waitFor();
    expect(await table.getByLabel('Text').count()).toBe(0);
    await page.context().close();
  });
});
