import { beforeAll, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { accessibilityProblems, launchBrowser, SCREENS, takePicture } from '../support/browser.js';
import { createEvent, type EventFixture } from '../support/fixtures.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until as eventually } from '../support/until.js';
import { boxesOf, openWall, overlaps } from '../support/wall-page.js';

const TABLES = 12;
const SIZES = {
  hd: SCREENS.hd,
  fullHd: SCREENS.fullHd,
  upright: { width: 1080, height: 1920 },
  ultraWide: { width: 3440, height: 1440 },
  projector: { width: 1024, height: 768 },
};

describeWithChromium('the board of tables on the wall', (executablePath) => {
  const app = withService(() => startApp({ PUBLIC_URL: 'https://give.example' }));
  const admin = withAdmin(app);
  const browser = withOpened(() => launchBrowser(executablePath));
  let event: EventFixture;

  const set = (live: object) => admin.patch(`/events/${event.id}/settings`, { live }).expect(200);
  const open = (query = '?scene=board') => openWall(browser, `${app.url}/wall/${event.slug}${query}`);

  beforeAll(async () => {
    event = await createEvent(app, admin.token, { name: 'Gala of the tables', goalAmount: 1_000_000 });
    await admin
      .post(`/events/${event.id}/teams/tables`, { count: TABLES, name: 'Table', seats: 8 })
      .expect(201);
    const { body } = await admin.get(`/events/${event.id}/teams`).expect(200);
    const teams = (body as { data: { id: string; number: number }[] }).data;
    await admin
      .patch(`/teams/${teams.find(({ number }) => number === 4)?.id ?? ''}`, {
        name: 'Friends of the Children’s Hospital of Schleswig-Holstein',
      })
      .expect(200);
    for (const { id, number } of teams.filter((team) => team.number <= 9))
      for (const donorName of ['Ada', 'Grace', 'Zoë'].slice(0, number === 9 ? 1 : 3))
        await admin
          .post('/donations', {
            type: 'cash',
            eventId: event.id,
            teamId: id,
            donorName,
            amount: number * 5_000,
          })
          .expect(201);
    await eventually(async () => {
      const { body: board } = await app.http.get(`/events/${event.slug}/board`).expect(200);
      return (
        (board as { data: { raised: number | null }[] }).data.filter(({ raised }) => raised !== null)
          .length === 8
      );
    });
  }, 60_000);

  it('the ten best tables replace the donations, and a table with one donor shows no figure', async () => {
    const { page, problems, until } = await open();
    await page.waitForSelector('#board:not([hidden])');
    const rows = page.locator('#board-rows li');
    expect(await rows.count()).toBe(10);
    expect(await rows.first().textContent()).toBe('1Table 8€1,200');
    await until(`document.querySelector('#board-rows').textContent.includes('Table 9has begun')`);
    expect(await page.isVisible('#total')).toBe(true);
    expect(await page.isVisible('.qr')).toBe(true);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('b');
    expect(await page.isVisible('#board')).toBe(false);
    await page.keyboard.press('b');
    expect(await page.isVisible('#board')).toBe(true);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the board follows a donation within two seconds, without a request of the wall', async () => {
    const { page } = await open();
    await page.getByText('€1,200').waitFor();
    let requests = 0;
    page.on('request', (request) => (requests += Number(request.url().endsWith('/board'))));
    const { body } = await admin.get(`/events/${event.id}/teams`).expect(200);
    const table = (body as { data: { id: string; number: number }[] }).data.find(
      ({ number }) => number === 8,
    );
    const { body: given } = await admin
      .post('/donations', {
        type: 'cash',
        eventId: event.id,
        teamId: table?.id,
        donorName: 'Eve',
        amount: 5_000,
      })
      .expect(201);
    await page.getByText('€1,250').waitFor({ timeout: 2_500 });
    expect(requests).toBe(0);
    await admin
      .post(`/donations/${(given as { id: string }).id}/cancel`, { shouldRefund: false })
      .expect(200);
    await page.getByText('€1,200').waitFor({ timeout: 2_500 });
    await page.context().close();
  });

  it('the team shows and hides the board, and a paddle raise comes first', async () => {
    const { page, until } = await open('');
    expect(await page.isVisible('#board')).toBe(false);
    await set({ wall: { scene: 'board' } });
    await until(`!document.querySelector('#board').hidden`);
    const { body } = await admin.post('/pledge-rounds', { eventId: event.id, amount: 10_000 }).expect(201);
    await until(`document.querySelector('#board').hidden`);
    await admin.post(`/pledge-rounds/${(body as { id: string }).id}/close`, {}).expect(200);
    await page.reload();
    await until(`!document.querySelector('#board').hidden`);
    await set({ wall: { scene: 'wall' } });
    await until(`document.querySelector('#board').hidden`);
    await page.context().close();
  });

  it('the setting decides the order', async () => {
    await admin.patch(`/events/${event.id}/settings`, { boards: { order: 'share' } }).expect(200);
    await eventually(async () => {
      const { body } = await app.http.get(`/events/${event.slug}/board`).expect(200);
      return (body as { by: string }).by === 'share';
    });
    const { page } = await open();
    await page.waitForSelector('#board:not([hidden])');
    expect(await page.locator('#board-rows li').first().textContent()).toContain('37%');
    await admin.patch(`/events/${event.id}/settings`, { boards: { order: 'raised' } }).expect(200);
    await page.context().close();
  });

  it('rows, total and QR code never overlap, on every screen', async () => {
    const { page, until } = await open();
    for (const [name, size] of Object.entries(SIZES)) {
      await page.setViewportSize(size);
      await until(`!document.querySelector('#board').hidden`);
      const boxes = await boxesOf(page, ['#total', '.qr', '.team', '.board__note', '.board__title']);
      const clashes = boxes.flatMap((one, at) =>
        boxes.slice(at + 1).flatMap((other) => (overlaps(one, other) ? [[one.name, other.name]] : [])),
      );
      expect([name, clashes]).toEqual([name, []]);
      expect(boxes.filter((box) => box.name === '.team').length).toBeGreaterThanOrEqual(3);
      await takePicture(page, `wall-board-${name}`);
    }
    await page.context().close();
  });

  it('the overlays show only their part: the board, or the milestones', async () => {
    await admin
      .post(`/events/${event.id}/milestones`, { amount: 800_000, title: 'The band plays' })
      .expect(201);
    const board = await open('?mode=overlay&show=board');
    await board.until(`!document.querySelector('#board').hidden`);
    expect(await board.page.isVisible('.team >> nth=0')).toBe(true);
    expect(await board.page.isVisible('#total')).toBe(false);
    expect(await board.page.isVisible('.qr')).toBe(false);
    await takePicture(board.page, 'wall-board-overlay');
    const milestones = await board.show(`${app.url}/wall/${event.slug}?mode=overlay&show=milestones`);
    await milestones.page.getByText('The band plays').waitFor();
    expect(await milestones.page.isVisible('#total')).toBe(true);
    expect(await milestones.page.isVisible('#feed')).toBe(false);
    expect(await milestones.page.isVisible('.qr')).toBe(false);
    await board.page.context().close();
  });

  it('an event without tables keeps its donations on the wall', async () => {
    const other = await createEvent(app, admin.token, { name: 'No tables' });
    await admin
      .post('/donations', { type: 'cash', eventId: other.id, donorName: 'Ada', amount: 5_000 })
      .expect(201);
    const { page } = await openWall(browser, `${app.url}/wall/${other.slug}?scene=board`);
    await page.getByText('Ada').waitFor();
    expect(await page.isVisible('#board')).toBe(false);
    await page.context().close();
  });
});
