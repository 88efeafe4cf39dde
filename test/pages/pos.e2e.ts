import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { accessibilityProblems, launchBrowser, takePicture } from '../support/browser.js';
import { allSent, goTo, record, signIn, withTills } from '../support/pos.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

const BUDGET_BYTES = 45 * 1024;
const SIZES = {
  phone: { width: 390, height: 844 },
  tablet: { width: 768, height: 1024 },
  lying: { width: 1024, height: 768 },
};

const app = withService();
const admin = withAdmin(app);

describe('GET /pos', () => {
  it('GET /pos serves a page with a strict policy and the manifest for its installation', async () => {
    const { text, headers } = await app.http.get('/pos').expect(200);
    expect(headers['content-security-policy']).toMatch(/worker-src 'self'; manifest-src 'self'/);
    expect(headers['content-security-policy']).not.toMatch(/unsafe|\*/);
    expect(text).toContain('<link rel="manifest" href="/pos/manifest.webmanifest"');
  });

  it('the manifest names existing icons, and one of them fits any shape', async () => {
    const { body, headers } = await app.http
      .get('/pos/manifest.webmanifest')
      .buffer(true)
      .parse((response, done) => {
        let text = '';
        response.on('data', (part: Buffer) => (text += part.toString()));
        response.on('end', () => done(null, JSON.parse(text)));
      })
      .expect(200);
    expect(headers['content-type']).toMatch(/^application\/manifest\+json/);
    expect(body).toMatchObject({ id: '/pos', start_url: '/pos', scope: '/pos', display: 'standalone' });
    expect(body.icons.map(({ purpose }: { purpose: string }) => purpose)).toContain('maskable');
    for (const { src, type } of body.icons as { src: string; type: string }[])
      expect((await app.http.get(src).expect(200)).headers['content-type']).toBe(type);
  });

  it('the service worker has its own scope, is not cached, and names existing files', async () => {
    const { text, headers } = await app.http.get('/pos/service-worker.js').expect(200);
    expect(headers).toMatchObject({
      'cache-control': 'no-cache',
      'service-worker-allowed': '/pos',
      'content-type': 'text/javascript; charset=utf-8',
    });
    expect(headers['content-security-policy']).toContain("connect-src 'self'");
    const shell = JSON.parse(/^const SHELL=(.*);$/m.exec(text)?.[1] ?? '') as {
      version: string;
      files: string[];
    };
    expect((await app.http.get('/pos').expect(200)).text).toContain(shell.version);
    expect(shell.files.length).toBeGreaterThan(8);
    for (const file of shell.files) await app.http.get(file).expect(200);
  });

  it('script and style stay within 45 KB compressed, with the texts of one language', () => {
    const folder = 'dist/web/files';
    const { pos } = (
      JSON.parse(readFileSync('dist/web/manifest.json', 'utf8')) as {
        pages: { pos: { script: string; styles: string[] } };
      }
    ).pages;
    const text = (file: string) => readFileSync(`${folder}/${file}`, 'utf8');
    const size = (file: string) => {
      const [packed, plain] = [`${folder}/${file}.gz`, `${folder}/${file}`];
      return readFileSync(existsSync(packed) ? packed : plain).length;
    };
    const imported = (file: string, pattern: RegExp) =>
      [...text(file).matchAll(pattern)].map(([, name = '']) => name);
    const atOnce = (file: string): string[] => [
      file,
      ...imported(file, /(?:from|import)"\.\/([^"]+)"/g).flatMap(atOnce),
    ];
    const atStart = new Set(atOnce(pos.script));
    const bytes = (files: Iterable<string>) => [...files].reduce((sum, file) => sum + size(file), 0);
    // The library of the live channel loads only with the paddles, so it does not count here. A terminal loads one table of
    // texts; the test counts the largest.
    const later = [...atStart]
      .flatMap((file) => imported(file, /import\("\.\/([^"]+)"\)/g))
      .map((file) => atOnce(file).filter((one) => !atStart.has(one)))
      .filter((files) => !files.some((file) => text(file).includes('xhr poll error')));
    expect(later).toHaveLength(10);
    const all = bytes(pos.styles) + bytes(atStart) + Math.max(...later.map(bytes));
    expect(all).toBeLessThanOrEqual(BUDGET_BYTES);
  });
});

describeWithChromium('the terminal in a browser', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const tills = withTills(app, admin, browser);
  beforeAll(() => tills.prepare());

  const looks = (Object.keys(SIZES) as (keyof typeof SIZES)[]).flatMap((size) =>
    (['light', 'dark'] as const).map((colorScheme) => [size, colorScheme] as const),
  );

  it.each(looks)('every screen is accessible on a %s in %s', async (size, colorScheme) => {
    const page = await tills.visit({ viewport: SIZES[size], colorScheme });
    const look = async (name: string) => {
      await page.evaluate('document.fonts.ready');
      await takePicture(page, `pos-${name}-${size}-${colorScheme}`);
      expect({ name, problems: await accessibilityProblems(page) }).toEqual({ name, problems: [] });
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    };
    await page.waitForSelector(`option[value="${tills.event.slug}"]`, { state: 'attached' });
    await look('sign-in');
    await signIn(page, tills.maria, tills.event.slug);
    await look('till-empty');
    await page.keyboard.type('1250');
    await page.click('.kind:has(input[value=cash])');
    await page.keyboard.press('Escape');
    await page.keyboard.type('37.5');
    await page.click('.kind:has(input[value=cash])');
    await look('till-typed');
    await page.click('.button--record');
    await page.waitForSelector('.last--recorded');
    await look('till-done');
    await page.context().setOffline(true);
    await record(page, '50', 'check');
    await record(page, '120', 'pledge');
    await page.waitForSelector('.pill[data-online=false]');
    await look('till-offline');
    await goTo(page, 'History');
    await look('records-offline');
    await goTo(page, 'More');
    await page.click('button:text-is("Sign out")');
    await page.waitForSelector('dialog[open]');
    await look('sign-out');
    await page.keyboard.press('Escape');
    await page.context().setOffline(false);
    await allSent(page);
    await goTo(page, 'History');
    await page.waitForSelector('.row[data-state=pledged]');
    await look('records');
    await page.click('.row[data-state=recorded] button');
    await page.waitForSelector('dialog[open]');
    await look('donation');
    await page.click('dialog button:text-is("Close")');
    await goTo(page, 'Paddles');
    await look('paddles');
    await goTo(page, 'Shift');
    await page.waitForSelector('.shift :is(p, form)');
    await look('shift');
    await goTo(page, 'More');
    await look('more');
  });
});
