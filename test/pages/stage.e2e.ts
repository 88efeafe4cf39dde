import { expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { openDesk } from '../support/desk.js';
import { createEvent } from '../support/fixtures.js';
import { createPool } from '../support/match-pools.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

describeWithChromium('the page for the speaker', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const app = withService(() => startApp({}));
  const admin = withAdmin(app);

  const open = async (slug: string, viewport: (typeof SCREENS)[keyof typeof SCREENS] = SCREENS.tablet) => {
    const { page, problems } = await openPage(browser, { viewport });
    await page.goto(`${app.url}/stage/${slug}`);
    await page.getByRole('heading', { name: 'Names to thank' }).waitFor();
    return { page, problems, name: (text: string) => page.getByRole('button', { name: text }) };
  };
  const give = async (eventId: string, fields: object) =>
    (
      (await admin.post('/donations', { type: 'cash', eventId, amount: 5_000, ...fields }).expect(201))
        .body as { id: string }
    ).id;

  it('names appear as they arrive, and a touch marks a donor as thanked', async () => {
    const event = await createEvent(app, admin.token, { name: 'Summer Gala', goalAmount: 1_000_000 });
    await give(event.id, { donorName: 'Ada Lovelace', message: 'For the children' });
    const { page, problems, name } = await open(event.slug);
    await name('Ada Lovelace').waitFor();
    await give(event.id, { donorName: 'Siobhán Ní Bhriain', amount: 25_000 });
    await give(event.id, { isAnonymous: true, donorName: 'Secret Person' });
    await name('Siobhán').waitFor();
    await page.getByText('and 1 donor without a name').waitFor();
    expect(await page.content()).not.toContain('Secret');
    await page.getByText('€350', { exact: true }).waitFor();
    expect(await page.getByRole('listitem').first().textContent()).toContain('Siobhán');

    await name('Siobhán').click();
    expect(await name('Siobhán').getAttribute('aria-pressed')).toBe('true');
    expect(await page.getByRole('listitem').first().textContent()).toContain('Ada');
    await page.reload();
    await name('Siobhán').waitFor();
    expect(await name('Siobhán').getAttribute('aria-pressed')).toBe('true');
    await name('Siobhán').click();
    expect(await page.getByRole('listitem').first().textContent()).toContain('Siobhán');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the team enters a pronunciation, and the speaker sees it only while walls show the name', async () => {
    const event = await createEvent(app, admin.token, { name: 'Names' });
    const id = await give(event.id, { donorName: 'Siobhán Ní Bhriain' });
    const { page, name } = await open(event.slug);
    await name('Siobhán').waitFor();
    const desk = await openDesk(browser, app, `donations/${id}`);
    await desk.page.getByRole('button', { name: 'Correct' }).click();
    const dialog = desk.page.getByRole('dialog', { name: 'Correct' });
    await dialog.getByLabel('Pronunciation').fill('shi-VAWN nee VREE-an');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Say: shi-VAWN nee VREE-an').waitFor();
    await admin.patch(`/donations/${id}`, { isAnonymous: true }).expect(200);
    await page.getByText('and 1 donor without a name').waitFor();
    expect(await page.content()).not.toContain('VAWN');
    await desk.page.context().close();
    await page.context().close();
  });

  it('the next step, the raise with its next level, and a match pool change while they are shown', async () => {
    const event = await createEvent(app, admin.token, {
      name: 'Winter Gala for the Children’s Hospital',
      goalAmount: 5_000_000,
    });
    await admin
      .patch(`/events/${event.id}/settings`, { live: { raiseLevels: [100_000, 25_000, 50_000] } })
      .expect(200);
    await admin
      .post(`/events/${event.id}/milestones`, {
        amount: 40_000,
        title: 'The band plays',
        announce: 'by_hand',
      })
      .expect(201);
    for (const [donorName, amount] of [
      ['Ada Lovelace', 5_000],
      ['Familie Wolkenstein-Trostburg', 10_000],
      ['Zoë & Team', 7_550],
    ] as const)
      await give(event.id, { donorName, amount, message: 'All the best for the new ward!' });
    const { page, problems } = await open(event.slug, SCREENS.tablet);
    await page.getByText('The band plays').waitFor();
    await page.getByText('€174.50 to go').waitFor();
    await page.getByText('Next level: €1,000').waitFor();

    const { body: round } = await admin
      .post('/pledge-rounds', { eventId: event.id, amount: 50_000, name: 'A minibus' })
      .expect(201);
    await page.getByText('Now: €500 each').waitFor();
    await page.getByText('Next level: €250').waitFor();
    const { id: roundId } = round as { id: string };
    await admin
      .post('/donations', { type: 'pledge', eventId: event.id, roundId, amount: 50_000, paddle: '7' })
      .expect(201);
    await page.getByText('1 pledge, €500 pledged').waitFor();

    await createPool(admin, event.id, { matcherName: 'Musterbau AG' });
    await page.getByText('€1,000 of €1,000 left to double donations').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'stage-tablet');
    await page.setViewportSize(SCREENS.phone);
    await takePicture(page, 'stage-phone');
    await page.setViewportSize(SCREENS.hd);
    await takePicture(page, 'stage-hd');

    await give(event.id, { donorName: 'Grace Hopper', amount: 17_450 });
    await page.getByText('Reached. The team has not announced it on the wall yet.').waitFor();
    await admin.patch(`/events/${event.id}/settings`, { live: { wall: { paused: true } } }).expect(200);
    await page.getByText('The wall is paused').waitFor();
    await give(event.id, { donorName: 'Late Arrival', amount: 1_000 });
    await page.getByText('€410', { exact: true }).waitFor();
    expect(await page.content()).not.toContain('Late Arrival');
    await admin.patch(`/events/${event.id}/settings`, { live: { wall: { paused: false } } }).expect(200);
    await page.getByText('Late Arrival').waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the timer counts down, and a reload keeps it', async () => {
    const event = await createEvent(app, admin.token, { name: 'Timer' });
    const { page } = await open(event.slug);
    await page.getByText('No names yet.').waitFor();
    await page.getByRole('button', { name: '5 min', exact: true }).click();
    const left = page.getByRole('timer', { name: 'Time left' });
    await left.filter({ hasText: '4:5' }).waitFor();
    await page.reload();
    await left.filter({ hasText: /^4:[45]/ }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: '10 min' }).waitFor();
    await page.context().close();
  });

  it('a lost connection is visible and heals, and the end of the event is said', async () => {
    const event = await createEvent(app, admin.token, { name: 'Short' });
    const { page } = await open(event.slug);
    await page.context().setOffline(true);
    await page.getByText('Reconnecting').waitFor();
    await page.context().setOffline(false);
    await page.getByText('Reconnecting').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('the page of an event that is not public says so, and looks again', async () => {
    const draft = await createEvent(app, admin.token, { name: 'Not yet', status: 'draft' });
    const { page } = await openPage(browser);
    const answer = await page.goto(`${app.url}/stage/${draft.slug}`);
    expect(answer?.status()).toBe(404);
    expect(answer?.headers()['refresh']).toBe('30');
    await page.context().close();
  });
});
