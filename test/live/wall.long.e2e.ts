import { afterEach, expect, it } from '@jest/globals';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { RoomBroadcaster } from '../../src/gateway/broadcasts.js';
import type { LiveServer } from '../../src/gateway/live-messages.js';
import { DonationBook } from '../support/donations.js';
import { withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

/** Folder for screenshots that a person can check. Without this variable, the test takes no screenshots. */
const PICTURES = process.env.WALL_PICTURES;

describeWithChromium('the wall in a browser', (executablePath) => {
  const app = withService();
  const book = new DonationBook(app);
  const browser = withOpened(() =>
    chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] }),
  );
  let page: Page;
  const problems: string[] = [];

  const open = async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1920, height: 1080 }, ...options });
    page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('ERR_INTERNET_DISCONNECTED'))
        problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${app.url}${path}`);
    return page;
  };
  const picture = async (name: string) => {
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png` });
  };
  /** Waits until an expression is true in the page. The page's policy forbids evaluating text inside the page. */
  const eventually = async (expression: string) => {
    for (const deadline = Date.now() + 15_000; !(await page.evaluate<boolean>(expression));) {
      if (Date.now() > deadline) throw new Error(`never true: ${expression}`);
      await page.waitForTimeout(20);
    }
  };
  const live = () => page.waitForSelector('html[data-state=live]');
  const text = async (selector: string) => (await page.textContent(selector))?.trim();
  const total = (expected: string) =>
    eventually(`document.getElementById('total').textContent === ${JSON.stringify(expected)}`);
  const names = () => page.locator('.donation__name').allTextContents();
  /** Waits for rows. The total contains a donation at once, the list only after the relay gave it a `sequence`. */
  const listed = (count: number) => eventually(`document.querySelectorAll('.donation').length === ${count}`);

  afterEach(async () => {
    await page.context().close();
    // The list of problems would also contain content that the Content-Security-Policy refused.
    expect(problems.splice(0)).toEqual([]);
  });

  it('the wall joins at connect, first with a snapshot and later from its position, without a separate request', async () => {
    const event = await book.event();
    await book.give(event.id, { name: 'Ada' });
    await open('/health/live');
    const sent: string[] = [];
    page.on('websocket', (socket) => {
      socket.on('framesent', ({ payload }) => sent.push(String(payload)));
    });
    await page.goto(`${app.url}/wall/${event.slug}`);
    await live();
    await eventually(`document.querySelectorAll('.donation__name').length === 1`);
    await book.give(event.id, { name: 'Grace' });
    await eventually(`document.querySelectorAll('.donation__name').length === 2`);
    const server = Reflect.get(app.app.get(RoomBroadcaster), 'server') as unknown as LiveServer;
    for (const { conn } of server.sockets.sockets.values()) conn.close(true);
    await page.waitForSelector('html[data-state=reconnecting]', { state: 'attached' });
    await live();
    const joins = sent.filter((frame) => frame.includes('joinEvent'));
    expect(joins).toEqual([
      `40${JSON.stringify({ joinEvent: { eventId: event.id, snapshot: true } })}`,
      `40${JSON.stringify({ joinEvent: { eventId: event.id, since: 2 } })}`,
    ]);
  });

  it('the wall shows the event, the total, the goal, the donations and the way to donate', async () => {
    const event = await book.event({
      name: 'Winter Gala for the Children’s Hospital',
      goal_amount: 5_000_000,
    });
    await book.give(event.id, {
      amount: 250_000,
      name: 'Familie Müller',
      message: 'Für die neue Kinderstation – danke an alle, die heute hier sind!',
    });
    await book.give(event.id, { amount: 5_000, name: 'Ada Lovelace' });
    await book.give(event.id, {
      amount: 12_050,
      anonymous: true,
      name: 'Nobody Knows',
      message: 'With love',
    });
    await open(`/wall/${event.slug}`);
    await live();
    expect(await text('#event-name')).toBe('Winter Gala for the Children’s Hospital');
    await total('€2,670.50');
    expect(await text('#goal')).toBe('raised of €50,000');
    expect(await text('#percent')).toBe('5%');
    expect(await page.getAttribute('#gauge', 'aria-valuenow')).toBe('5');
    expect(await text('.donors')).toBe('3 donors');
    await listed(3);
    expect(await names()).toEqual(['Anonymous', 'Ada Lovelace', 'Familie Müller']);
    expect(await text('.give__address')).toContain(`/donate/${event.slug}`);
    expect(await page.locator('.qr svg').count()).toBe(1);
    expect(await page.content()).not.toContain('Nobody Knows');
    await picture('wall');
  });

  it('the wall shows a new donation at once and does not add up totals itself', async () => {
    const event = await book.event();
    await open(`/wall/${event.slug}`);
    await live();
    expect(await page.isVisible('#empty')).toBe(true);
    await picture('empty');
    await book.give(event.id, { name: 'First', amount: 700 });
    await page.waitForSelector('.donation');
    await total('€7');
    expect(await page.isVisible('#empty')).toBe(false);
    await book.query('UPDATE event_total SET total_raised = 123400 WHERE event_id = $1', [event.id]);
    await book.give(event.id, { name: 'Second', amount: 100 });
    await total('€1,235');
  });

  it('the wall does not ask for the first donation if the total has donations that are not yet listed', async () => {
    const event = await book.event();
    await book.query(
      `INSERT INTO event_total (event_id, currency, shard, total_raised, donor_count) VALUES ($1, 'eur', 0, 700, 1)`,
      [event.id],
    );
    await open(`/wall/${event.slug}`);
    await live();
    await total('€7');
    await listed(0);
    expect(await page.isVisible('#empty')).toBe(false);
  });

  it('the wall removes hidden, edited and cancelled content', async () => {
    const event = await book.event();
    const id = await book.give(event.id, { name: 'Ada', message: 'Rude words' });
    const gone = await book.give(event.id, { name: 'Gone' });
    await open(`/wall/${event.slug}`);
    await live();
    await page.waitForSelector('text=Rude words');
    await book.change(id, 'donation.updated', { message_state: 'hidden', is_anonymous: true });
    await page.waitForSelector('text=Rude words', { state: 'detached' });
    await book.change(gone, 'donation.retracted', { status: 'CANCELLED' });
    await listed(1);
    expect(await names()).toEqual(['Anonymous']);
  });

  it('the wall shows that it reconnects, recovers without help and shows all missed donations', async () => {
    const event = await book.event();
    await book.give(event.id, { name: 'Before', amount: 100 });
    await open(`/wall/${event.slug}`);
    await live();
    await page.context().setOffline(true);
    await page.waitForSelector('#status:not([hidden])');
    expect(await text('#status-text')).toBe('Reconnecting…');
    await picture('reconnecting');
    for (const name of ['While', 'Away', 'Again']) await book.give(event.id, { name, amount: 100 });
    await page.context().setOffline(false);
    await live();
    await total('€4');
    await listed(4);
    expect(await names()).toEqual(['Again', 'Away', 'While', 'Before']);
    expect(await page.isHidden('#celebration')).toBe(true);
  });

  it('the wall celebrates a large donation and stops when the donation is cancelled', async () => {
    const event = await book.event({
      overrides: { live: { celebrateFrom: 100_000 } },
      goal_amount: 2_000_000,
    });
    await book.give(event.id, { amount: 730_000, name: 'Earlier, and large too' });
    await open(`/wall/${event.slug}`);
    await live();
    await book.give(event.id, { name: 'Small', amount: 99_999 });
    await page.waitForSelector('text=Small');
    expect(await page.isHidden('#celebration')).toBe(true);
    const id = await book.give(event.id, {
      name: 'Grace Hopper',
      amount: 500_000,
      message: 'For everyone who keeps the lights on',
    });
    await page.waitForSelector('#celebration:not([hidden])');
    expect(await text('#celebration-thanks')).toBe('Thank you, Grace Hopper!');
    expect(await text('#celebration-amount')).toBe('€5,000');
    await page.waitForTimeout(900);
    await picture('celebration');
    await book.change(id, 'donation.updated', { message_state: 'hidden' });
    await eventually(`document.getElementById('celebration-message').textContent === ''`);
    await book.change(id, 'donation.retracted', { status: 'CANCELLED' });
    await page.waitForSelector('#celebration[hidden]', { state: 'attached' });
  });

  it('the wall has no animation for visitors who prefer none, and announces changes to screen readers', async () => {
    const event = await book.event({ overrides: { live: { celebrateFrom: 100 } } });
    await open(`/wall/${event.slug}`, { reducedMotion: 'reduce' });
    await live();
    await book.give(event.id, { name: 'Ada', amount: 5_000 });
    await page.waitForSelector('#celebration:not([hidden])');
    const drawn = await page.evaluate<boolean>(
      `document.getElementById('confetti').getContext('2d').getImageData(0, 0, 300, 150).data.some((byte) => byte !== 0)`,
    );
    expect(drawn).toBe(false);
    await page.waitForSelector('.donation');
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.donation')).animationName`)).toBe(
      'none',
    );
    await eventually(`document.getElementById('announcer').textContent === 'Ada, €50. €50 raised'`);
  });

  it('the wall uses the branding: theme, style variables, logo, language and currency', async () => {
    const logo = '/brand/logo.svg';
    const event = await book.event({
      name: 'Soirée <b>solidaire</b> & "amis"',
      currency: 'jpy',
      goal_amount: 1_000_000,
      overrides: {
        organization: 'Les Amis du Japon',
        live: { theme: 'light' },
        theme: {
          assets: { logo, donationPage: 'https://give.example/soiree' },
          variables: { '--brand-color': '#c2185b' },
        },
        locales: { default: 'fr', supported: ['fr'] },
      },
    });
    await book.give(event.id, {
      amount: 654_321,
      currency: 'jpy',
      name: '株式会社さくら',
      message: '頑張ってください',
    });
    await book.give(event.id, { amount: 2_550, currency: 'kwd', name: 'عائشة' });
    await browser.newContext().then((context) => context.close());
    page = await (await browser.newContext({ viewport: { width: 1920, height: 1080 } })).newPage();
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.route('**/brand/logo.svg', (route) =>
      route.fulfill({
        contentType: 'image/svg+xml',
        body: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><circle cx="5" cy="5" r="5" fill="#c2185b"/></svg>',
      }),
    );
    await page.goto(`${app.url}/wall/${event.slug}`);
    await live();
    expect(await page.getAttribute('html', 'lang')).toBe('fr');
    expect(await text('#event-name')).toBe('Soirée <b>solidaire</b> & "amis"');
    expect(
      await page.evaluate(`getComputedStyle(document.documentElement).getPropertyValue('--brand-color')`),
    ).toBe('#c2185b');
    expect(await page.getAttribute('.wall__logo', 'src')).toBe(logo);
    await eventually(`/^654.321.¥$/.test(document.getElementById('total').textContent)`);
    await listed(2);
    expect(await text('.donation__amount')).toMatch(/^2,550/);
    expect(await text('#goal')).toMatch(/^collectés sur/);
    expect(await text('.give__address')).toBe('give.example/soiree');
    await picture('branded');
  });

  it('the wall shows each donation of a burst once', async () => {
    const event = await book.event();
    await open(`/wall/${event.slug}`);
    await live();
    await Promise.all(
      Array.from({ length: 120 }, (_, index) =>
        book.give(event.id, { name: `Donor ${index}`, amount: 1_000 }),
      ),
    );
    await total('€1,200');
    await listed(30);
    const shown = await names();
    expect(shown).toHaveLength(30);
    expect(new Set(shown).size).toBe(30);
    await picture('burst');
  });

  it('the wall fits a phone and a portrait screen', async () => {
    const event = await book.event({
      name: 'A rather long name of an event that goes on and on, as they do',
      goal_amount: 90_000_000_000,
    });
    await book.give(event.id, { amount: 12_345_678_900, message: 'Hello' });
    for (const [name, width, height] of [
      ['phone', 390, 844],
      ['upright', 1080, 1920],
      ['small', 1024, 768],
    ] as const) {
      await open(`/wall/${event.slug}`, { viewport: { width, height } });
      await live();
      await total('€123,456,789');
      await picture(name);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect(overflow).toBeLessThanOrEqual(0);
      if (name !== 'small') await page.context().close();
    }
  });
});
