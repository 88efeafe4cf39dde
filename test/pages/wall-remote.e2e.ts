import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { accessibilityProblems, launchBrowser, SCREENS, takePicture } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { DonationBook } from '../support/donations.js';
import { adminToken, createStaff, sql } from '../support/fixtures.js';
import { withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';
import { boxesOf, openWall, overlaps, readCode } from '../support/wall-page.js';

/** Messages of the maximum length: one whose words the wall can wrap, and one with a single word that the wall must break. */
const LONGEST = [
  'Dinner is served in the great hall on the first floor; the auction goes on at nine. Please find your table by the number on the paddle. Thanks!!',
  'W'.repeat(140),
].map((text) => text.slice(0, 140));

describeWithChromium('walls controlled from the dashboard', (executablePath) => {
  const app = withService(() => startApp({ PUBLIC_URL: 'https://give.example' }));
  const book = new DonationBook(app);
  const browser = withOpened(() => launchBrowser(executablePath));

  /** Opens an event with some donations, its wall, and the dashboard. */
  const evening = async () => {
    const event = await book.event({ name: 'Winter Gala' });
    for (const name of ['Ada Lovelace', 'Grace Hopper', 'Maria Sibylla']) await give(event.id, name);
    const wall = await openWall(browser, `${app.url}/wall/${event.slug}`);
    await wall.until(`document.querySelectorAll('.donation:not([hidden])').length === 3`);
    const desk = await openDesk(browser, app, `tonight?event=${event.slug}`);
    const panel = desk.page.getByRole('region', { name: 'Wall control' });
    await panel.getByText('Running').waitFor();
    return { event, wall, desk: desk.page, panel, problems: [...wall.problems, ...desk.problems] };
  };
  const give = async (eventId: string, name: string, amount = 2_500) => {
    const id = await book.give(eventId, { name, amount });
    // The donation is completed now, as if a person had recorded it.
    await sql(app, 'UPDATE donation SET completed_at = now() WHERE id = $1', [id]);
    return id;
  };
  const names = (page: Page) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('.donation:not([hidden]) .donation__name')].map((one) => one.textContent)`,
    );
  const close = async (...pages: Page[]) => {
    for (const page of pages) await page.context().close();
  };

  it('an approved message appears on the wall, and disappears when the approval is taken back', async () => {
    const event = await book.event({ overrides: { live: { moderate: 'messages' } } });
    const { token } = await createStaff(app, await adminToken(app), event.id);
    const message = 'Good luck to everybody at the harbour';
    const { body } = await as(app, token)
      .post('/donations', { amount: 2_500, type: 'cash', donorName: 'Ada Lovelace', message })
      .expect(201);
    const wall = await openWall(browser, `${app.url}/wall/${event.slug}`);
    await wall.until(`document.querySelectorAll('.donation:not([hidden])').length === 1`);
    const texts = () => wall.page.evaluate<string>(`document.querySelector('.feed').textContent`);
    expect(await texts()).not.toContain(message);
    const desk = await openDesk(browser, app, `tonight?event=${event.slug}`);
    await desk.page.getByText('1 waiting').waitFor();
    await desk.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await until(async () => (await texts()).includes(message), 'the message on the wall');
    await takePicture(wall.page, 'wall-approved');
    // Later, at another computer, there is no button to undo. The menu of the donation takes the message off the wall.
    const { id } = body as { id: string };
    const later = await openDesk(browser, app, `donations/${id}`);
    const choose = async (item: string) => {
      await later.page.getByRole('dialog').getByRole('button', { name: 'More actions' }).click();
      await later.page.getByRole('menuitem', { name: item }).click();
    };
    await choose('Take the message off the wall');
    await until(async () => !(await texts()).includes(message), 'the wall without the message');
    expect(await lookAt(later.page, 'message-taken-back')).toEqual([]);
    expect(await names(wall.page)).toEqual(['Ada Lovelace']);
    await choose('Show the message on the wall');
    await until(async () => (await texts()).includes(message), 'the message on the wall again');
    expect([...wall.problems, ...desk.problems, ...later.problems]).toEqual([]);
    await close(wall.page, desk.page, later.page);
  });

  it('a message stays on the wall until it is removed, and never covers the total or the code', async () => {
    const { event, wall, desk, panel, problems } = await evening();
    const show = async (text: string) => {
      await panel.getByLabel('Message for the hall').fill(text);
      // The admin uses the keyboard, without a button.
      await panel.getByLabel('Message for the hall').press('Enter');
      await panel.getByText(text).waitFor();
    };
    await show('Dinner is served in the great hall');
    await wall.until(
      `document.querySelector('#notice').textContent === 'Dinner is served in the great hall'`,
    );
    await desk.getByText('Wall updated').first().waitFor();
    expect(await panel.getByLabel('Message for the hall').inputValue()).toBe('');
    expect(await accessibilityProblems(wall.page)).toEqual([]);
    expect(await lookAt(desk, 'remote')).toEqual([]);
    await takePicture(wall.page, 'wall-notice');
    for (const text of LONGEST) {
      await show(text);
      await wall.until(`document.querySelector('#notice').textContent === ${JSON.stringify(text)}`);
      for (const size of [SCREENS.hd, SCREENS.fullHd, SCREENS.tablet, { width: 1024, height: 768 }]) {
        await wall.page.setViewportSize(size);
        await wall.page.waitForTimeout(300);
        const boxes = await boxesOf(wall.page, ['#notice', '#total', '.qr', '.give__address', '#feed']);
        expect(boxes.map(({ name }) => name)).toEqual([
          '#notice',
          '#total',
          '.qr',
          '.give__address',
          '#feed',
        ]);
        for (const [index, box] of boxes.entries()) {
          expect({ ...box, cut: box.cut && box.name !== '#feed' }).toMatchObject({ cut: false });
          expect(box.right <= size.width + 1 && box.bottom <= size.height + 1).toBe(true);
          for (const other of boxes.slice(index + 1))
            expect({ box, other, over: overlaps(box, other) }).toMatchObject({ over: false });
        }
      }
      await takePicture(wall.page, `wall-notice-${text.startsWith('W') ? 'wide' : 'long'}`);
    }
    await wall.page.setViewportSize(SCREENS.hd);
    await wall.page.reload();
    await wall.until(`document.querySelector('#notice').textContent.startsWith('WWW')`);
    await panel.getByRole('button', { name: 'Remove' }).click();
    await wall.until(`document.querySelector('#notice').hidden`);
    await panel.getByRole('button', { name: 'Remove' }).waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
    const [entry] = await sql<{ fields: string[] }>(
      app,
      `SELECT detail->'fields' AS fields FROM audit_entry WHERE subject_id = $1 AND action = 'event.settings' LIMIT 1`,
      [event.id],
    );
    expect(entry?.fields).toEqual(['live.wall.notice']);
    await close(wall.page, desk);
  });

  it('the full-screen code appears and disappears, together with the message', async () => {
    const { event, wall, desk, panel } = await evening();
    const qr = panel.getByRole('button', { name: 'QR code only' });
    await panel.getByLabel('Message for the hall').fill('Give now: every euro is doubled');
    await panel.getByRole('button', { name: 'Show' }).click();
    await panel.getByText('Give now: every euro is doubled').waitFor();
    await qr.press('Enter');
    await wall.until(`!document.querySelector('#scene').hidden`);
    await until(async () => (await qr.getAttribute('aria-pressed')) === 'true', 'the dashboard shows it');
    expect(await readCode(wall.page, '#scene-code', 600)).toBe(`https://give.example/donate/${event.slug}`);
    expect(await wall.page.isVisible('#scene-notice')).toBe(true);
    const boxes = await boxesOf(wall.page, ['#scene-code', '#scene-notice', '.scene__call', '.scene__total']);
    for (const [index, box] of boxes.entries()) {
      expect(box).toMatchObject({ cut: false });
      for (const other of boxes.slice(index + 1)) expect(overlaps(box, other)).toBe(false);
    }
    expect(await accessibilityProblems(wall.page)).toEqual([]);
    await takePicture(wall.page, 'wall-scene-notice');
    // After a reload, the wall shows the scene that the dashboard selected, even if the projectionist had closed it.
    await wall.page.keyboard.press('q');
    expect(await wall.page.isVisible('#scene')).toBe(false);
    await wall.page.reload();
    await wall.until(`!document.querySelector('#scene').hidden`);
    await panel.getByRole('button', { name: 'The wall' }).click();
    await wall.until(`document.querySelector('#scene').hidden`);
    await close(wall.page, desk);
  });

  it('a pause delays only new donations, which then appear at a readable pace', async () => {
    const { event, wall, desk, panel, problems } = await evening();
    const seen = new Set<string>();
    const look = async () => {
      for (const name of await names(wall.page)) seen.add(name);
    };
    const reached = (total: string) =>
      wall.until(`document.querySelector('#total').textContent === '${total}'`);
    await panel.getByRole('button', { name: 'Pause' }).click();
    await panel.getByText(/Paused: new donations wait/).waitFor();
    expect(await lookAt(desk, 'remote-paused')).toEqual([]);

    const ids: string[] = [];
    for (let index = 0; index < 20; index++) ids.push(await give(event.id, `Held ${index + 1}`));
    await reached('€575');
    await look();
    // The wall removes data immediately: a retracted donation, and a name that its donor hides.
    const [ada] = await sql<{ id: string }>(
      app,
      "SELECT id FROM donation WHERE event_id = $1 AND donor_name = 'Ada Lovelace'",
      [event.id],
    );
    const [grace] = await sql<{ id: string }>(
      app,
      "SELECT id FROM donation WHERE event_id = $1 AND donor_name = 'Grace Hopper'",
      [event.id],
    );
    await book.change(ada?.id ?? '', 'donation.retracted', { status: 'CANCELLED' });
    await book.change(grace?.id ?? '', 'donation.updated', { is_anonymous: true });
    await wall.until(`!document.querySelector('#feed').textContent.includes('Ada Lovelace')`);
    await wall.until(`!document.querySelector('#feed').textContent.includes('Grace Hopper')`);
    // Donations wait during the pause. One is retracted, one hides its name, and one is corrected.
    await book.change(ids[0] ?? '', 'donation.retracted', { status: 'REFUNDED', refunded_amount: 2_500 });
    await book.change(ids[1] ?? '', 'donation.updated', { is_anonymous: true });
    await book.change(ids[2] ?? '', 'donation.updated', { donor_name: 'Corrected' });
    await look();

    // The network fails, a donation arrives, and the network returns. Then the page reloads.
    await wall.page.context().setOffline(true);
    await wall.page.waitForSelector('html[data-state=reconnecting]');
    await give(event.id, 'While away');
    await wall.page.context().setOffline(false);
    await wall.page.waitForSelector('html[data-state=live]');
    await reached('€600');
    await look();
    const before = await names(wall.page);
    await wall.page.reload();
    await wall.page.waitForSelector('html[data-state=live]');
    await wall.until(`document.querySelectorAll('.donation:not([hidden])').length === 2`);
    await reached('€600');
    expect((await names(wall.page)).sort()).toEqual(before.sort());
    await look();
    expect([...seen].sort()).toEqual(['Ada Lovelace', 'Anonymous', 'Grace Hopper', 'Maria Sibylla']);
    expect(await wall.page.isVisible('#more')).toBe(false);

    // The total reaches the goal during the pause. The wall celebrates after the pause.
    await sql(app, 'UPDATE event SET goal_amount = 61_000 WHERE id = $1', [event.id]);
    await wall.until(`document.querySelector('#goal').textContent.includes('€610')`, 30_000);
    await book.give(event.id, { name: 'The last one', amount: 2_500 });
    await reached('€625');
    expect(await wall.page.isVisible('#celebration')).toBe(false);
    await panel.getByRole('button', { name: 'Resume' }).click();
    await wall.page.locator('#celebration.celebration--goal').waitFor();
    await wall.page.locator('#celebration').waitFor({ state: 'hidden' });
    await wall.page.locator('#more').waitFor();
    expect(await wall.page.textContent('#more')).toMatch(/^\+\d+ more$/);
    await takePicture(wall.page, 'wall-resumed');
    await until(async () => {
      await look();
      return seen.has('The last one');
    }, 'the last donation');
    await wall.page.locator('#more').waitFor({ state: 'hidden', timeout: 60_000 });
    await look();
    expect([...seen].filter((name) => name.startsWith('Held'))).toHaveLength(17);
    expect([...seen]).toEqual(expect.arrayContaining(['Corrected', 'While away', 'Held 20']));
    for (const gone of ['Held 1', 'Held 2', 'Held 3']) expect([...seen]).not.toContain(gone);
    expect(problems).toEqual([]);
    await close(wall.page, desk);
  });

  it('a pause that ends while the wall is offline is over when it reconnects', async () => {
    const { event, wall, desk, panel } = await evening();
    await panel.getByRole('button', { name: 'Pause' }).click();
    await panel.getByText(/Paused: new donations wait/).waitFor();
    const before = await wall.page.textContent('#total');
    await give(event.id, 'Held back');
    await wall.until(`document.querySelector('#total').textContent !== '${before ?? ''}'`);
    expect(await names(wall.page)).not.toContain('Held back');
    await wall.page.context().setOffline(true);
    await wall.page.waitForSelector('html[data-state=reconnecting]');
    await panel.getByRole('button', { name: 'Resume' }).click();
    await panel.getByRole('button', { name: 'Pause' }).waitFor();
    await wall.page.context().setOffline(false);
    await wall.until(`document.querySelector('#feed').textContent.includes('Held back')`);
    await close(wall.page, desk);
  });

  it('the dashboard reports an unknown wall state during a lost connection, and names the failed commands', async () => {
    const { wall, desk, panel } = await evening();
    await desk.context().setOffline(true);
    await panel.getByText(/the current state of the walls is not known/).waitFor();
    await panel.getByRole('button', { name: 'QR code only' }).click();
    await panel.getByRole('alert').filter({ hasNotText: 'current state' }).waitFor();
    expect(await accessibilityProblems(desk)).toEqual([]);
    await takePicture(desk, 'admin-remote-lost');
    await desk.context().setOffline(false);
    await panel.getByText(/current state of the walls is not known/).waitFor({ state: 'detached' });
    expect(await wall.page.isVisible('#scene')).toBe(false);
    await panel.getByRole('button', { name: 'QR code only' }).click();
    await wall.until(`!document.querySelector('#scene').hidden`);
    await close(wall.page, desk);
  });
});
