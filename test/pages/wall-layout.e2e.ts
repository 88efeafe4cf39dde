import { expect, it } from '@jest/globals';
import sharp from 'sharp';
import { startApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { launchBrowser, SCREENS } from '../support/browser.js';
import { DonationBook } from '../support/donations.js';
import { CHANGES_CHANNEL } from '../../src/data/channels.js';
import { adminToken, sql } from '../support/fixtures.js';
import { withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until as eventually } from '../support/until.js';
import {
  type Box,
  boxesOf,
  type OpenWall,
  openWall,
  overlaps,
  pixelsOf,
  readCode,
} from '../support/wall-page.js';

const SIZES = {
  ...SCREENS,
  projector: { width: 1024, height: 768 },
  upright: { width: 1080, height: 1920 },
  wide: { width: 2560, height: 1080 },
  ultraWide: { width: 3440, height: 1440 },
};
const PROJECTED = ['hd', 'fullHd', 'uhd', 'projector', 'upright', 'wide', 'ultraWide'] as const;
const ADDRESSES = {
  short: 'https://g.example/x',
  usual: 'https://spenden.kinderklinik.example/winter-gala-2026',
  long: `https://spenden.kinderklinik.example/${'sehr-lange-adresse-'.repeat(4)}ende`,
  endless: `https://g.example/${'abc123'.repeat(60)}`,
};
const PARTS = ['#event-name', '#total', '#gauge', '.goal', '.qr', '.give__call', '.give__address', '.donors'];

const events = {
  named: (locale: string, fields: Record<string, unknown> = {}, settings: Record<string, unknown> = {}) => ({
    name: 'Herbstgala zugunsten der Kinderkrebsstiftung Schleswig-Holstein',
    goal_amount: 90_000_000,
    ...fields,
    overrides: { locales: { default: locale, supported: [locale] }, ...settings },
  }),
};

const TITLE = 'Everybody sings the song of the evening';
const TITLES: Readonly<Record<string, string>> = {
  de: 'Der Stiftungsvorsitzende singt ein Lied',
  ja: '理事長が壇上で一曲歌います',
  ar: 'يغني رئيس المؤسسة أغنية المساء',
};

describeWithChromium('layout of the wall', (executablePath) => {
  const app = withService(() => startApp({ PUBLIC_URL: 'https://give.example' }));
  const book = new DonationBook(app);
  const browser = withOpened(() => launchBrowser(executablePath));
  const addMilestones = (
    eventId: string,
    count: number,
    { title, reached }: { title: string; reached: number },
  ) =>
    sql(
      app,
      `INSERT INTO milestone (id, event_id, amount, basis, kind, title, is_visible, announce, reached_at)
       SELECT gen_random_uuid(), $1, number * 1000000, 'raised', 'step',
         CASE WHEN $3 = 'Step' THEN $3 || ' ' || number ELSE $3 END, true, 'by_itself', CASE WHEN number <= $4 THEN now() END
       FROM generate_series(1, $2) AS number`,
      [eventId, count, title, reached],
    );

  it.each([
    ['de', Object.keys(ADDRESSES)],
    ['ar', Object.keys(ADDRESSES)],
    // The length of the address and the length of the words compete for the same place: the longest of both is enough.
    ...['en', 'fr', 'es', 'it', 'nl', 'ja'].map((locale) => [locale, ['long']] as const),
  ] as const)(
    'no element is off screen, cut or covered in %s, at every size, with an address of these lengths: %j',
    async (locale, lengths) => {
      const wrong: string[] = [];
      let wall: OpenWall | undefined;
      for (const length of lengths) {
        const donationPage = ADDRESSES[length as keyof typeof ADDRESSES];
        const event = await book.event(
          events.named(locale, {}, { theme: { assets: { donationPage }, variables: {} } }),
        );
        await book.give(event.id, { amount: 12_345_678 });
        await book.give(event.id, { amount: 2_550, currency: 'usd' });
        const address = `${app.url}/wall/${event.slug}`;
        wall = wall === undefined ? await openWall(browser, address) : await wall.show(address);
        const { page, until } = wall;
        for (const size of PROJECTED) {
          const { width, height } = SIZES[size];
          await page.setViewportSize({ width, height });
          await until(`!document.getElementById('gauge').hidden`);
          const boxes = await boxesOf(page, PARTS);
          const at = `${length} address, ${size}`;
          if (boxes.length !== PARTS.length) wrong.push(`${at}: not all shown`);
          for (const box of boxes) {
            if (box.left < 0 || box.top < 0 || box.right > width + 1 || box.bottom > height + 1)
              wrong.push(`${at}: ${box.name} off screen`);
            if (box.cut) wrong.push(`${at}: ${box.name} cut off`);
          }
          for (const [index, box] of boxes.entries())
            for (const other of boxes.slice(index + 1))
              if (overlaps(box, other)) wrong.push(`${at}: ${box.name} covers ${other.name}`);
        }
      }
      await wall?.page.context().close();
      expect(wrong).toEqual([]);
    },
  );

  it('the QR code is large enough for the far end of the hall on every projected size', async () => {
    const event = await book.event(events.named('de'));
    const { page } = await openWall(browser, `${app.url}/wall/${event.slug}`);
    const address = `https://give.example/donate/${event.slug}`;
    const quiet = await page.getAttribute('.qr path[stroke]', 'd');
    expect(quiet).toMatch(/^M4 4\.5h7/);
    const wrong: unknown[] = [];
    for (const size of PROJECTED) {
      await page.setViewportSize(SIZES[size]);
      const short = Math.min(SIZES[size].width, SIZES[size].height);
      const [code] = (await boxesOf(page, ['.qr'])) as [Box];
      const small = (code.right - code.left) / short;
      // At a distance of ten times the width of the code, the code has about 150 pixels in the camera of a phone.
      const near = await readCode(page, '.qr', 150);
      await page.keyboard.press('q');
      const [large] = (await boxesOf(page, ['#scene-code'])) as [Box];
      const wide = (large.right - large.left) / short;
      const far = await readCode(page, '#scene-code', 150);
      await page.keyboard.press('q');
      const closes = await page.isHidden('#scene');
      const fits = large.left >= 0 && large.top >= 0;
      if (!(small > 0.25 && wide > 0.75 && near === address && far === address && closes && fits))
        wrong.push({ size, small, wide, near, far, closes, fits });
    }
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  it('a reached goal takes the whole wall for a moment, and the next goal follows', async () => {
    const event = await book.event(
      events.named('en', { goal_amount: 450_000 }, { live: { wall: { nextGoal: 800_000 } } }),
    );
    await book.give(event.id, { amount: 440_000 });
    const { page, until } = await openWall(browser, `${app.url}/wall/${event.slug}`, {
      initScript: `{
        globalThis.tones = 0;
        const { createOscillator } = AudioContext.prototype;
        AudioContext.prototype.createOscillator = function () { tones += 1; return createOscillator.call(this); };
      }`,
    });
    const says = (id: string, text: string) =>
      until(`document.getElementById('${id}').textContent === '${text}'`);
    await says('goal', 'raised of €4,500');
    await page.keyboard.press('s');
    await until('tones > 0');
    await page.keyboard.press('q');
    const before = await page.evaluate<number>('tones');
    await book.give(event.id, { amount: 12_000 });
    await page.waitForSelector('#moment:visible');
    expect(await page.evaluate('tones')).toBeGreaterThan(before);
    const wrong: string[] = [];
    for (const size of ['hd', 'uhd', 'ultraWide', 'upright', 'projector'] as const) {
      const { width, height } = SIZES[size];
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(100);
      const [moment, ...boxes] = (await boxesOf(page, [
        '#moment',
        '#total',
        '.goal',
        '.qr',
        '.give__address',
        '#celebration-thanks',
        '#celebration-amount',
        '#celebration-message',
      ])) as [Box, ...Box[]];
      expect(moment).toMatchObject({ left: 0, top: 0, right: width, bottom: height });
      expect(boxes).toHaveLength(7);
      for (const [index, box] of boxes.entries()) {
        if (box.left < 0 || box.top < 0 || box.right > width + 1 || box.bottom > height + 1)
          wrong.push(`${size}: ${box.name} off screen`);
        for (const other of boxes.slice(index + 1))
          if (overlaps(box, other)) wrong.push(`${size}: ${box.name} covers ${other.name}`);
      }
      const onTop = await page.evaluate(`['#total', '.qr', '#celebration-amount'].every((name) => {
        const element = document.querySelector(name);
        const { left, top, width, height } = element.getBoundingClientRect();
        return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
      })`);
      if (!onTop) wrong.push(`${size}: the total, the code or the text is below the confetti`);
    }
    expect(wrong).toEqual([]);
    expect(await page.textContent('#celebration')).toContain('Next goal: €8,000');
    expect(await page.textContent('#percent')).toBe('€20 beyond the goal');
    await says('goal', 'raised of €8,000');
    await says('percent', '56%');
    expect(await page.isVisible('#gauge-mark')).toBe(true);
    expect(await page.isVisible('#scene')).toBe(true);
    await book.give(event.id, { amount: 800_000 });
    await page.waitForSelector('#moment:visible');
    await says('percent', '€4,520 beyond the goal');
    await page.context().close();
  });

  it('labels of 24 milestones overlap nothing in eight languages and at four sizes', async () => {
    const wrong: string[] = [];
    let wall: OpenWall | undefined;
    for (const locale of ['en', 'de', 'fr', 'es', 'it', 'nl', 'ja', 'ar']) {
      const event = await book.event(events.named(locale, { goal_amount: 30_000_000 }));
      await addMilestones(event.id, 24, { title: TITLES[locale] ?? TITLE, reached: 17 });
      await book.give(event.id, { amount: 17_500_000 });
      const address = `${app.url}/wall/${event.slug}`;
      wall = wall === undefined ? await openWall(browser, address) : await wall.show(address);
      const { page, until } = wall;
      for (const size of ['hd', 'fullHd', 'uhd', 'phone'] as const) {
        const { width } = SIZES[size];
        await page.setViewportSize(SIZES[size]);
        await until(`document.querySelectorAll('.step').length > 0`);
        await page.evaluate(
          'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
        );
        const all = await boxesOf(page, [
          ...['.step', '.dot', '#event-name', '#total', '#gauge', '.goal', '.wall__give'],
        ]);
        const labels = all.filter(({ name }) => name === '.step');
        const dots = all.filter(({ name }) => name === '.dot');
        const boxes = all.filter(({ name }) => name !== '.dot');
        if (labels.length < 2 || labels.length > 6) wrong.push(`${locale}, ${size}: ${labels.length} labels`);
        for (const [index, box] of boxes.entries()) {
          if (box.left < 0 || box.right > width + 1) wrong.push(`${locale}, ${size}: ${box.name} off screen`);
          for (const other of boxes.slice(index + 1))
            if (overlaps(box, other)) wrong.push(`${locale}, ${size}: ${box.name} covers ${other.name}`);
        }
        for (const [index, dot] of dots.entries())
          if (dots.slice(index + 1).some((other) => overlaps(dot, other)))
            wrong.push(`${locale}, ${size}: dots`);
        const next = await page.textContent('.step--next');
        if (!next?.includes(TITLES[locale] ?? TITLE))
          wrong.push(`${locale}, ${size}: next is ${String(next)}`);
      }
    }
    await wall?.page.context().close();
    expect(wrong).toEqual([]);
  });

  it('five milestones of one donation give five scenes after the pause, before the large donation', async () => {
    const event = await book.event(
      events.named(
        'en',
        { goal_amount: 99_000_000 },
        { live: { celebrateFrom: 100_000, wall: { paused: true } } },
      ),
    );
    await addMilestones(event.id, 6, { title: 'Step', reached: 0 });
    const { page, until } = await openWall(browser, `${app.url}/wall/${event.slug}`);
    await page.clock.install();
    await book.give(event.id, { amount: 5_500_000, name: 'Grace' });
    await until(`document.getElementById('total').textContent === '€55,000'`);
    await until(`document.querySelectorAll('.dot--reached').length === 5`);
    expect(await page.isVisible('#celebration')).toBe(false);
    await sql(
      app,
      `UPDATE event SET overrides = jsonb_set(overrides, '{live,wall,paused}', 'false') WHERE id = $1`,
      [event.id],
    );
    await sql(app, `SELECT pg_notify('${CHANGES_CHANNEL}', '')`);
    const seen: string[] = [];
    for (let scene = 1; scene <= 6; scene++) {
      await page.waitForSelector('#celebration:visible');
      const text = async () =>
        `${await page.textContent('#celebration-thanks')} ${await page.textContent('#celebration-amount')}`;
      await until(`document.getElementById('celebration').textContent !== ${JSON.stringify('')}`);
      seen.push(await text());
      await page.clock.fastForward(7_000);
      if (scene <= 5) expect(await text()).toBe(seen.at(-1));
      await page.clock.fastForward(1_500);
    }
    expect(seen).toEqual([
      ...[10, 20, 30, 40, 50].map((thousand, index) => `€${thousand},000 reached! Step ${index + 1}`),
      'Thank you, Grace! €55,000',
    ]);
    // A wall that joins now shows the filled steps without a scene.
    const late = await openWall(browser, `${app.url}/wall/${event.slug}`);
    await late.until(`document.querySelectorAll('.dot--reached').length === 5`);
    expect(await late.page.isVisible('#celebration')).toBe(false);
    await late.page.context().close();
    await page.context().close();
  });

  it('the scene of a milestone shows its picture and the longest texts completely at every size', async () => {
    const event = await book.event(events.named('de', { goal_amount: 0 }));
    const picture = await sharp({ create: { width: 600, height: 600, channels: 3, background: '#c84' } })
      .webp()
      .toBuffer();
    await sql(
      app,
      "INSERT INTO image (digest, content, width, height) VALUES (repeat('ab', 32), $1, 600, 600)",
      [picture],
    );
    await sql(
      app,
      `INSERT INTO milestone (id, event_id, amount, basis, kind, title, text, image, is_visible, announce)
       VALUES (gen_random_uuid(), $1, 1000, 'raised', 'step', $2, $3, repeat('ab', 32), true, 'by_itself')`,
      [
        event.id,
        'Stiftungsvorsitzende singen '.repeat(3).slice(0, 64),
        'Schaukel und Sandkasten '.repeat(12).slice(0, 280),
      ],
    );
    const { page, until } = await openWall(browser, `${app.url}/wall/${event.slug}`);
    await page.clock.install();
    await book.give(event.id, { amount: 5_000 });
    await page.waitForSelector('#celebration:visible');
    await until(`document.getElementById('celebration-image').complete`);
    const wrong: string[] = [];
    for (const size of [...PROJECTED, 'phone'] as const) {
      await page.setViewportSize(SIZES[size]);
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      const [scene, ...inside] = (await boxesOf(page, [
        ...['#celebration', '#celebration-image', '#celebration-amount', '#celebration-message'],
      ])) as [Box, ...Box[]];
      if (inside.length !== 3) wrong.push(`${size}: not all shown`);
      for (const box of inside)
        if (
          box.left < scene.left ||
          box.top < scene.top ||
          box.right > scene.right ||
          box.bottom > scene.bottom
        )
          wrong.push(`${size}: ${box.name} leaves the scene`);
    }
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  it('the buttons cover no amount and no code at any size', async () => {
    const event = await book.event(events.named('de'));
    for (let given = 0; given < 12; given += 1) await book.give(event.id, { name: `Donor ${given}` });
    const { page, until } = await openWall(browser, `${app.url}/wall/${event.slug}`);
    const covered = async (names: readonly string[]) => {
      const [buttons, others] = [await boxesOf(page, ['.control']), await boxesOf(page, names)];
      expect([buttons.length, others.length > 1]).toEqual([3, true]);
      return others.filter((one) => buttons.some((button) => overlaps(button, one))).map(({ name }) => name);
    };
    const wrong: Record<string, string[]> = {};
    for (const size of PROJECTED) {
      await page.setViewportSize(SIZES[size]);
      await page.waitForSelector('.donation:visible');
      const onWall = ['#total', '.goal', '.qr', '.donors', '.donation:not([hidden]) .donation__amount'];
      const names = await covered(onWall);
      await page.keyboard.press('q');
      await until(`!document.getElementById('scene').hidden`);
      names.push(...(await covered(['#scene-code', '.scene__total', '.scene__address'])));
      await page.keyboard.press('q');
      if (names.length > 0) wrong[size] = names;
    }
    expect(wrong).toEqual({});
    await page.context().close();
  });

  it('an ultra-wide wall has three columns, and an upright one has wide rows', async () => {
    const event = await book.event(events.named('en'));
    await book.give(event.id);
    const { page } = await openWall(browser, `${app.url}/wall/${event.slug}`, { viewport: SIZES.ultraWide });
    const places = async () => (await boxesOf(page, ['#total', '.qr', '#feed'])) as [Box, Box, Box];
    const [total, code, feed] = await places();
    expect([total.right < code.left, code.right < feed.left]).toEqual([true, true]);
    expect((code.right - code.left) / SIZES.ultraWide.height).toBeGreaterThan(0.5);
    await page.setViewportSize(SIZES.upright);
    const [above, between, below] = await places();
    expect([above.bottom < between.top, between.bottom < below.top]).toEqual([true, true]);
    expect((below.right - below.left) / SIZES.upright.width).toBeGreaterThan(0.85);
    await page.context().close();
  });

  it('the pictures of the event appear in turn in the place of the feed, and donations have priority', async () => {
    const token = await adminToken(app);
    const upload = async (background: string) => {
      const file = await sharp({ create: { width: 800, height: 450, channels: 3, background } })
        .png()
        .toBuffer();
      const { body } = await as(app, token)
        .post('/images')
        .set('content-type', 'image/png')
        .send(file)
        .expect(201);
      return (body as { path: string }).path;
    };
    const images = [await upload('#aa2200'), await upload('#0022aa')];
    const event = await book.event(
      events.named('en', {}, { live: { slides: { images, everyMinutes: 1, showSeconds: 3 } } }),
    );
    await book.give(event.id);
    const { page, until } = await openWall(browser, `${app.url}/wall/${event.slug}`, {
      initScript: `{
        const { setTimeout: later } = globalThis;
        globalThis.setTimeout = (work, wait, ...rest) => later(work, wait >= 60_000 ? 1_500 : wait, ...rest);
      }`,
    });
    const shows = (path: string) =>
      until(`document.querySelector('#slides img')?.getAttribute('src') === '${path}'`);
    await shows(images[0] ?? '');
    const wrong: string[] = [];
    for (const size of ['hd', 'uhd', 'ultraWide', 'upright'] as const) {
      await page.setViewportSize(SIZES[size]);
      const [slide, ...others] = (await boxesOf(page, [
        '#slides img',
        '#total',
        '.goal',
        '.qr',
        '.give__address',
      ])) as [Box, ...Box[]];
      expect(others).toHaveLength(4);
      for (const other of others) if (overlaps(slide, other)) wrong.push(`${size}: ${other.name}`);
    }
    expect(wrong).toEqual([]);
    // The round of pictures stops for the donation, and continues with the second picture afterwards.
    await book.give(event.id, { name: 'Grace Hopper' });
    await until(`document.getElementById('slides').hidden`);
    await page.waitForSelector('text=Grace Hopper');
    await shows(images[1] ?? '');
    await page.context().close();
  });

  it('an overlay has the place and the size of its address', async () => {
    const event = await book.event(events.named('ar'));
    await book.give(event.id, { name: 'Ada Lovelace' });
    const { width, height } = SCREENS.fullHd;
    const wall = await openWall(browser, `${app.url}/wall/${event.slug}?mode=overlay`, {
      viewport: SCREENS.fullHd,
    });
    const parts = {
      gauge: '.wall__total',
      feed: '.wall__feed',
      code: '.wall__give',
      alert: '.celebration',
    };
    const boxOf = async (part: keyof typeof parts, position: string, size: number) => {
      const query = `mode=overlay&show=${part}&position=${position}&size=${size}`;
      const { page } = await wall.show(`${app.url}/wall/${event.slug}?${query}`);
      if (part === 'alert') await book.give(event.id, { name: 'Grace Hopper', message: 'Keep going!' });
      await page.waitForSelector(`${parts[part]}:visible`);
      const shown = await boxesOf(page, Object.values(parts));
      const names = shown
        .map(({ name }) => name)
        .filter((name) => part !== 'alert' || name !== '.wall__feed');
      expect(names).toEqual([parts[part]]);
      const box = shown.find(({ name }) => name === parts[part]) as Box;
      expect([box.left >= 0, box.top >= 0, box.right <= width, box.bottom <= height]).not.toContain(false);
      return box;
    };
    const horizontally = ({ left, right }: Box) =>
      Math.abs(left + right - width) < 4 ? 'center' : left + right < width ? 'left' : 'right';
    const vertically = ({ top, bottom }: Box) =>
      Math.abs(top + bottom - height) < 4 ? 'center' : top + bottom < height ? 'top' : 'bottom';
    for (const [part, position, size, expected] of [
      ['gauge', 'top', 100, ['center', 'top']],
      ['gauge', 'bottom-left', 50, ['left', 'bottom']],
      ['code', 'top-left', 100, ['left', 'top']],
      ['code', 'unknown', 100, ['right', 'bottom']],
      ['code', 'center', 200, ['center', 'center']],
      ['feed', 'left', 75, ['left', 'center']],
      ['alert', 'top-right', 100, ['right', 'top']],
    ] as const) {
      const box = await boxOf(part, position, size);
      expect([part, horizontally(box), vertically(box)]).toEqual([part, ...expected]);
    }
    expect(await wall.page.textContent('#celebration')).toContain('Grace Hopper');
    const widths = [await boxOf('code', 'right', 100), await boxOf('code', 'right', 50)].map(
      ({ left, right }) => right - left,
    );
    expect((widths[0] ?? 0) / (widths[1] ?? 1)).toBeCloseTo(2, 1);
    const code = await readCode(wall.page, '.qr', 150);
    expect(code).toBe(`https://give.example/donate/${event.slug}`);
    await wall.page.context().close();
  });

  it('an alert appears for one donation, and disappears again', async () => {
    const event = await book.event(events.named('en'));
    await book.give(event.id, { name: 'Before' });
    const { page, until } = await openWall(browser, `${app.url}/wall/${event.slug}?mode=overlay&show=alert`);
    expect(await page.isVisible('#celebration')).toBe(false);
    await book.give(event.id, {
      name: 'Ada Lovelace',
      amount: 500,
      currency: 'usd',
      message: 'For the roof',
    });
    await page.waitForSelector('#celebration:visible');
    for (const text of ['Ada Lovelace', '5', 'For the roof'])
      expect(await page.textContent('#celebration')).toContain(text);
    await until(`document.getElementById('celebration').hidden`);
    const picture = await page.screenshot({ omitBackground: true });
    expect((await pixelsOf(page, picture, 64)).some((value, index) => index % 4 === 3 && value > 0)).toBe(
      false,
    );
    await page.context().close();
  });

  it('a phone shows a button instead of a QR code that it cannot scan', async () => {
    const event = await book.event(events.named('de'));
    const { page } = await openWall(browser, `${app.url}/wall/${event.slug}`, { viewport: SCREENS.phone });
    expect(await page.isHidden('.qr')).toBe(true);
    expect(await page.getAttribute('.give__button:visible', 'href')).toBe(
      `https://give.example/donate/${event.slug}`,
    );
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.context().close();
  });

  it('the wall shows a message of any length completely, and no half donation', async () => {
    const event = await book.event(events.named('en'));
    const message = 'We wish everyone in the children’s ward a quick recovery. '.repeat(8).slice(0, 450);
    for (const [name, text] of [
      ['Short', 'Hello'],
      ['Long', message],
      ['Next', message],
    ] as const)
      await book.give(event.id, { name, message: text });
    const { page, show } = await openWall(browser, `${app.url}/wall/${event.slug}`);
    for (const size of ['hd', 'projector', 'upright'] as const) {
      await page.setViewportSize(SIZES[size]);
      await show(`${app.url}/wall/${event.slug}`);
      await page.waitForSelector('.donation');
      const [feed] = (await boxesOf(page, ['#feed'])) as [Box];
      const cards = await boxesOf(page, ['.donation', '.donation__message']);
      expect(cards.length).toBeGreaterThan(1);
      for (const card of cards) {
        expect(card).toMatchObject({ cut: false });
        expect(card.bottom).toBeLessThanOrEqual(feed.bottom + 1);
      }
    }
    await page.context().close();
  });

  it('the wall breaks a name between words, and never inside a word that fits a line', async () => {
    const event = await book.event(events.named('de'));
    await book.give(event.id, {
      name: 'Maximiliana-Josephine Wolkenstein-Trostburg',
      amount: 125_000_000,
    });
    await book.give(event.id, { name: 'Donaudampfschifffahrtsgesellschaft Wien', amount: 999_999_999_900 });
    const { page, until } = await openWall(browser, `${app.url}/wall/${event.slug}`);
    await until(`document.querySelectorAll('.donation').length === 2`);
    const broken = await page.evaluate<
      string[]
    >(`[...document.querySelectorAll('.donation__name')].flatMap((element) => {
      const node = element.firstChild;
      return [...node.data.matchAll(/[^\\s-]+/g)].flatMap((word) => {
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1 ? [word[0]] : [];
      });
    })`);
    expect(broken).toEqual([]);
    const boxes = await boxesOf(page, ['.donation__name', '.donation__amount']);
    expect(boxes.some((box, index) => boxes.slice(index + 1).some((other) => overlaps(box, other)))).toBe(
      false,
    );
    await page.context().close();
  });

  it('a right-to-left wall shows an address from left to right', async () => {
    const settings = {
      theme: { assets: { donationPage: 'https://give.example/2026/gala-7/' }, variables: {} },
    };
    const event = await book.event(events.named('ar', {}, settings));
    const { page } = await openWall(browser, `${app.url}/wall/${event.slug}`);
    const lefts = await page.evaluate<number[]>(`(() => {
      const nodes = [...document.querySelector('.give__address').childNodes].filter((node) => node.data);
      return nodes.flatMap((node) => [...node.data].map((_, index) => {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + 1);
        return range.getBoundingClientRect().left;
      }));
    })()`);
    expect(lefts.length).toBeGreaterThan(20);
    expect(lefts).toEqual([...lefts].sort((a, b) => a - b));
    await page.context().close();
  });

  it('the wall counts donors by the plural rules of its language', async () => {
    let wall: OpenWall | undefined;
    for (const [locale, count, expected] of [
      ['ja', 1, '1 人が寄付しました'],
      ['ko', 1, '1 donor'],
      ['fr', 0, '0 donateur'],
      ['de', 1, '1 Mensch hat gespendet'],
      ['de', 2, '2 Menschen haben gespendet'],
      ['ar', 3, /متبرعين$/],
    ] as const) {
      const event = await book.event(events.named(locale));
      for (let given = 0; given < count; given += 1) await book.give(event.id);
      const address = `${app.url}/wall/${event.slug}`;
      wall = wall === undefined ? await openWall(browser, address) : await wall.show(address);
      await wall.until(`document.getElementById('donors-label').textContent !== ''`);
      const shown = (await wall.page.textContent('.donors'))?.trim();
      expect({ locale, count, shown }).toEqual({
        locale,
        count,
        shown: typeof expected === 'string' ? expected : expect.stringMatching(expected),
      });
    }
    await wall?.page.context().close();
  });

  it('the wall loads the letters of every script', async () => {
    const event = await book.event(events.named('en'));
    for (const name of ['山田 花子', 'नमस्ते भारत', 'ليلى الأحمد', 'Zoë 🎉', 'สมชาย', '김민준'])
      await book.give(event.id, { name });
    const { page, until } = await openWall(browser, `${app.url}/wall/${event.slug}`);
    await until(`document.querySelectorAll('.donation').length === 6`);
    const missing = async () => {
      const ranges = await page.evaluate<string[]>(
        `[...document.fonts].filter(({ status }) => status === 'loaded').map(({ unicodeRange }) => unicodeRange)`,
      );
      const loaded = (letter: string) =>
        ranges
          .join(',')
          .split(',')
          .some((range) => {
            const [from = '', to = from] = range.trim().replace('U+', '').split('-');
            const code = letter.codePointAt(0) ?? 0;
            return code >= parseInt(from, 16) && code <= parseInt(to, 16);
          });
      return ['山', 'न', 'ل', '🎉', 'ส', '김'].filter((letter) => !loaded(letter));
    };
    await eventually(async () => (await missing()).length === 0, 'the letters of every script');
    await page.context().close();
  });
});
