import { expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { accessibilityProblems, launchBrowser, SCREENS, takePicture } from '../support/browser.js';
import { DonationBook } from '../support/donations.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { boxesOf, openWall, overlaps } from '../support/wall-page.js';

const PARTS = [
  '#total',
  '.qr',
  '#raise',
  '#raise-title',
  '#raise-each',
  '#raise-count',
  '#raise-sum',
  '#feed',
];

describeWithChromium('a paddle raise on the wall', (executablePath) => {
  const app = withService(() => startApp({ PUBLIC_URL: 'https://give.example' }));
  const admin = withAdmin(app);
  const book = new DonationBook(app);
  const browser = withOpened(() => launchBrowser(executablePath));

  const gala = async (locale: string, theme: string) => {
    const overrides = { live: { theme }, locales: { default: locale, supported: [locale] } };
    const event = await book.event({ name: 'Winter Gala for the Children’s Hospital', overrides });
    for (const [name, amount] of [
      ['Ada Lovelace', 5_000],
      ['Familie Wolkenstein-Trostburg', 250_000],
      ['Zoë & Team', 7_550],
      ['Grace Hopper', 12_000],
      ['Maria', 2_000],
    ] as const)
      await book.give(event.id, { name, amount });
    return event;
  };
  const call = async (eventId: string, name?: string) =>
    (await admin.post('/pledge-rounds', { eventId, amount: 50_000, name }).expect(201)).body as {
      id: string;
    };
  const promise = (eventId: string, roundId: string, times: number) =>
    Promise.all(
      Array.from({ length: times }, (_, i) =>
        admin
          .post('/donations', { type: 'pledge', eventId, roundId, amount: 50_000, paddle: String(i + 1) })
          .expect(201),
      ),
    );

  it('the raise appears when it starts, counts every pledge, and does not change the total', async () => {
    const event = await gala('en', 'dark');
    const { page, problems, until } = await openWall(browser, `${app.url}/wall/${event.slug}`);
    const total = await page.textContent('#total');
    expect(await page.isVisible('#raise')).toBe(false);
    const { id } = await call(event.id, 'A new minibus');
    await promise(event.id, id, 12);
    await until(`document.querySelector('#raise-count').textContent === '12'`);
    expect(await page.textContent('#raise')).toContain('€6,000 pledged');
    expect(await page.textContent('#total')).toBe(total);
    await page.waitForTimeout(900);
    await takePicture(page, 'wall-raise-dark');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.reload();
    await until(`document.querySelector('#raise-count').textContent === '12'`);
    await admin.post(`/pledge-rounds/${id}/close`).expect(200);
    await until(`document.querySelector('#raise').dataset.status === 'closed'`);
    expect(await page.textContent('#raise-title')).toContain('Thank you!');
    expect(problems).toEqual([]);
    await page.close();
  });

  it.each([
    ['de', 'light', SCREENS.hd],
    ['fr', 'gala', SCREENS.fullHd],
    ['es', 'dark', { width: 1024, height: 768 }],
    ['it', 'light', { width: 768, height: 1024 }],
    ['nl', 'gala', { width: 390, height: 844 }],
  ])('the raise in %s, %s, hides and cuts nothing', async (locale, theme, viewport) => {
    const event = await gala(locale, theme);
    const { id } = await call(event.id);
    await promise(event.id, id, 137);
    const { page, until } = await openWall(browser, `${app.url}/wall/${event.slug}`, { viewport });
    await until(`document.querySelector('#raise-count').textContent === '137'`);
    await page.waitForTimeout(900);
    await takePicture(page, `wall-raise-${locale}`);
    const boxes = await boxesOf(page, PARTS);
    expect(boxes.filter(({ name, cut }) => cut && name !== '#feed')).toEqual([]);
    const apart = boxes.filter(({ name }) => name !== '#raise');
    const over = apart.flatMap((one, at) =>
      apart.slice(at + 1).flatMap((other) => (overlaps(one, other) ? [[one.name, other.name]] : [])),
    );
    expect(over).toEqual([]);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.close();
  });
});
