import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { RehearsalDto } from '../../src/rehearsal/dto/rehearsal.dto.js';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { openDesk } from '../support/desk.js';
import { createStaff, sql } from '../support/fixtures.js';
import { openTill, record, signIn, allSent, waits } from '../support/pos.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

const PALE = { theme: { variables: { '--brand-color': '#ffd60a' } } };

describeWithChromium('the band of a rehearsal', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const { app, admin, event } = withEvent({ fields: { name: 'Summer Gala' } });
  let twin: RehearsalDto;
  let maria: { id: string; code: string };
  beforeAll(async () => {
    await admin.patch('/settings/global', PALE);
    maria = await createStaff(app, admin.token, event.id);
    const started = await admin
      .post(`/events/${event.id}/rehearsal`, { withNames: false, mailTo: [] })
      .expect(201);
    twin = started.body as RehearsalDto;
    await admin.post('/donations', { type: 'cash', amount: 5_000, eventId: twin.eventId }).expect(201);
  });

  /** Checks the band at the top of the screen, in print, for screen readers, and in the title. */
  async function checkBand(page: Page, name: string): Promise<void> {
    const band = page.locator('#rehearsal');
    await band.waitFor();
    await takePicture(page, `rehearsal-${name}`);
    for (const media of ['screen', 'print'] as const) {
      await page.emulateMedia({ media });
      const box = await band.boundingBox();
      expect({ name, media, y: box?.y, isWide: (box?.height ?? 0) >= 24 }).toEqual({
        name,
        media,
        y: 0,
        isWide: true,
      });
    }
    await page.emulateMedia({ media: 'screen' });
    expect(await band.evaluate((node) => getComputedStyle(node).backgroundColor)).toBe('rgb(255, 214, 10)');
    expect(await page.getByText('Rehearsal', { exact: true }).count()).toBe(1);
    expect(await band.getAttribute('role')).toBe('status');
    expect(await page.title()).toMatch(/^⟪R⟫ (?!⟪)/);
    expect({ name, problems: await accessibilityProblems(page) }).toEqual({ name, problems: [] });
  }

  it.each([
    ['donate', (slug: string) => `/donate/${slug}`],
    ['wall', (slug: string) => `/wall/${slug}`],
    ['wall-code', (slug: string) => `/wall/${slug}?scene=qr`],
    ['overlay', (slug: string) => `/wall/${slug}?mode=overlay&show=gauge`],
    ['stage', (slug: string) => `/stage/${slug}`],
  ])('is on the page %s, which stays accessible; the real event has none', async (name, path) => {
    const { page } = await openPage(browser, { viewport: SCREENS.hd });
    await page.goto(app.url + path(twin.slug));
    await checkBand(page, name);
    await page.goto(app.url + path(event.slug));
    expect(await page.locator('#rehearsal').count()).toBe(0);
    expect(await page.title()).not.toContain('⟪R⟫');
    await page.context().close();
  });

  it('the band is on the pages of the dashboard about the rehearsal only', async () => {
    const { page, problems } = await openDesk(browser, app, `events/${twin.slug}`);
    await checkBand(page, 'dashboard');
    await page.locator(`a[href$="donations?event=${twin.slug}"]`).click();
    await page.getByRole('button', { name: /Export/ }).click();
    const asked = page.waitForRequest((request) => request.url().includes('/donations/export'));
    await page.getByRole('menuitem').first().click();
    expect((await asked).url()).toContain('rehearsal=true');
    await page.goBack();
    await page.locator(`a[href$="tonight?event=${twin.slug}"]`).click();
    await checkBand(page, 'tonight');
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await page.locator(`a[href$="events/${event.slug}"]`).first().click();
    await page.locator('summary', { hasText: 'Rehearsal' }).click();
    await page.getByRole('link', { name: twin.slug }).waitFor();
    await page.locator('#rehearsal').waitFor({ state: 'hidden' });
    expect(await page.title()).not.toContain('⟪R⟫');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the till offers the rehearsal, keeps its records apart, and offers to discard them after the end', async () => {
    const { page } = await openTill(browser, app.url);
    const { body } = await admin.post('/terminals/codes', { name: 'Bar', eventId: event.id }).expect(201);
    await page.goto(`${app.url}/pos#enrol=${(body as { code: string }).code}`);
    await page
      .getByRole('button', { name: /Enrol|Set up/ })
      .last()
      .click();
    await page.waitForSelector('dialog', { state: 'detached' });
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    await signIn(page, maria);
    expect(await page.locator('#rehearsal').isHidden()).toBe(true);

    // A waiting record keeps the till at the real event.
    const offer = page.getByRole('button', { name: 'Rehearsal: sign in' });
    await offer.waitFor();
    await page.context().setOffline(true);
    await record(page, '5', 'cash');
    await waits(page, 1);
    expect(await offer.count()).toBe(0);
    await page.context().setOffline(false);
    await allSent(page);

    await offer.click();
    await signIn(page, maria);
    await checkBand(page, 'till');
    await record(page, '7', 'cash');
    await allSent(page);
    const amounts = async (eventId: string) =>
      (
        await sql<{ amount: string }>(app, 'SELECT amount FROM donation WHERE event_id = $1 ORDER BY id', [
          eventId,
        ])
      ).map(({ amount }) => Number(amount));
    expect(await amounts(twin.eventId)).toEqual([5_000, 700]);
    expect(await amounts(event.id)).toEqual([500]);

    await page.context().setOffline(true);
    await record(page, '9', 'cash');
    await waits(page, 1);
    await admin.delete(`/events/${event.id}/rehearsal`).expect(202);
    await until(
      async () => (await admin.get(`/events/${event.id}/rehearsal`)).status === 404,
      'the deletion',
    );
    await page.context().setOffline(false);
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    await page.getByRole('button', { name: 'Sign in' }).first().click();
    await signIn(page, maria);
    await page.getByText('1 record was not accepted').waitFor();
    await page.getByRole('button', { name: 'Review' }).click();
    await takePicture(page, 'rehearsal-over');
    expect(await amounts(event.id)).toEqual([500]);
    await page.context().close();
  });
});
