/// <reference lib="dom" />
import { expect, it } from '@jest/globals';
import type { MilestoneDto } from '../../src/milestones/dto/milestone.dto.js';
import { startApp } from '../support/app.js';
import { launchBrowser, SCREENS } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { DonationBook } from '../support/donations.js';
import { createEvent } from '../support/fixtures.js';
import { stripedLogo } from '../support/logos.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';
import { WallClient } from '../support/wall-client.js';

describeWithChromium('milestones in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const app = withService(() => startApp({}, { corsOrigins: ['*'] }));
  const admin = withAdmin(app);
  const book = new DonationBook(app);

  const listed = async (id: string) =>
    ((await admin.get(`/milestones?eventId=${id}`).expect(200)).body as { data: MilestoneDto[] }).data;

  it('an admin adds, changes and deletes a milestone', async () => {
    const event = await createEvent(app, admin.token, { name: 'Summer Gala' });
    const { page, problems } = await openDesk(browser, app, `milestones?event=${event.slug}`);
    await page.getByText('No milestones yet').waitFor();
    expect(await lookAt(page, 'milestones-empty')).toEqual([]);
    await page.getByRole('button', { name: 'Add milestone' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add milestone' });
    await dialog.getByLabel('Amount', { exact: true }).fill('50,000');
    await dialog.getByLabel('Title', { exact: true }).fill('The band plays');
    await dialog.getByLabel('Announce it by hand').check();
    await dialog
      .locator('input[type=file]')
      .setInputFiles({ name: 'band.png', mimeType: 'image/png', buffer: await stripedLogo([200, 40, 60]) });
    await dialog.getByRole('img', { name: 'Picture' }).waitFor();
    expect(await lookAt(page, 'milestones-add')).toEqual([]);
    await dialog.getByRole('button', { name: 'Add milestone' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'The band plays' }).click();
    const sheet = page.getByRole('dialog', { name: 'The band plays' });
    await sheet.getByLabel('Title', { exact: true }).fill('The band plays twice');
    await sheet.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'The band plays twice' }).waitFor();
    expect(await lookAt(page, 'milestones-list')).toEqual([]);
    expect(await listed(event.id)).toMatchObject([
      {
        amount: 5_000_000,
        title: 'The band plays twice',
        announce: 'by_hand',
        image: expect.stringContaining('/images/'),
      },
    ]);
    await page.getByRole('button', { name: 'The band plays twice' }).click();
    await page.getByRole('button', { name: 'Delete milestone' }).click();
    await page
      .getByRole('dialog', { name: 'Delete “The band plays twice”?' })
      .getByRole('button', { name: 'Delete milestone' })
      .click();
    await page.getByText('No milestones yet').waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the team announces a reached milestone, marks it as done, and shows a moment on the walls', async () => {
    const event = await createEvent(app, admin.token, { name: 'Winter Gala', goalAmount: 100_000 });
    const add = (amount: number, title: string, fields: object = {}) =>
      admin.post(`/events/${event.id}/milestones`, { amount, title, ...fields }).expect(201);
    await add(10_000, 'Cake for all');
    await add(20_000, 'The band plays', { announce: 'by_hand' });
    await add(30_000, 'Everybody sings');
    const wall = await WallClient.connect(app.url);
    await wall.join(event.id);
    const heard = (topic: string) => wall.received.filter((one) => one.topic === topic);
    const { page, problems } = await openDesk(browser, app, `tonight?event=${event.slug}`);
    const panel = page.getByRole('region', { name: 'Milestones' });
    await panel.getByText('Next: €100, Cake for all').waitFor();
    await book.give(event.id, { amount: 26_000 });
    await panel.getByText('€200 reached: The band plays').waitFor();
    expect(await lookAt(page, 'milestones-tonight')).toEqual([]);
    await panel.getByRole('button', { name: 'Not yet' }).click();
    expect(heard('milestone.reached').map(({ body }) => body.title)).toEqual(['Cake for all']);
    await panel.getByRole('button', { name: 'Announce' }).click();
    const done = panel.getByRole('checkbox', { name: 'The band plays' });
    await done.waitFor();
    await done.check();
    await panel.getByText('Done').waitFor();
    await wall.until(() => heard('milestone.reached').length === 2);
    await panel.getByRole('button', { name: 'Moment on the wall' }).click();
    const dialog = page.getByRole('dialog', { name: 'Moment on the wall' });
    await dialog.getByLabel('Headline').fill('The raffle begins');
    expect(await lookAt(page, 'milestones-moment')).toEqual([]);
    await dialog.getByRole('button', { name: 'Show moment' }).click();
    await wall.until(() => heard('wall.moment').length === 1);
    expect(heard('wall.moment')[0]?.body).toMatchObject({ title: 'The raffle begins', seconds: 8 });
    wall.close();
    expect(await listed(event.id)).toMatchObject([
      { doneAt: null },
      { doneAt: expect.any(String) },
      { reachedAt: null },
    ]);
    expect(problems).toEqual([]);
    // 40 of 100 euro are missing: more than a fifth of the step.
    const donate = `${app.url}/donate/${event.slug}`;
    await page.setViewportSize(SCREENS.phone);
    await page.goto(donate);
    expect(await page.getByText('Only').count()).toBe(0);
    await book.give(event.id, { amount: 2_600 });
    await until(async () => {
      await page.reload();
      return (await page.getByText('Only €14 to: Everybody sings').count()) > 0;
    }, 'the line about the milestone');
    expect(await lookAt(page, 'milestones-donate')).toEqual([]);
    await page.context().close();
  });
});
