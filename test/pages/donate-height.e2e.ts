import { describe, expect, it } from '@jest/globals';
import { launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { startPaymentsApp } from '../support/payments.js';
import { createEvent } from '../support/fixtures.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

const LANGUAGES = ['en', 'de', 'fr', 'it', 'es', 'nl'] as const;
/** A donor reaches the button with one swipe on a phone whose screen is 844 pixels high. */
const HIGHEST = 1_100;

describeWithChromium('the height of the donate form on a phone', (executablePath) => {
  const app = withService(startPaymentsApp);
  const admin = withAdmin(app);
  const browser = withOpened(() => launchBrowser(executablePath));
  const locales = { default: 'en', supported: [...LANGUAGES] };

  describe.each([
    ['with the default settings', 'eur', {}],
    ['with the default settings in Swiss francs', 'chf', {}],
    [
      'with address, Gift Aid, fee and six suggested amounts',
      'gbp',
      {
        presets: [1_000, 2_500, 5_000, 10_000, 25_000, 50_000],
        fields: { address: 'optional', giftAid: true },
        coverFee: { offer: true, basisPoints: 150, fixed: 20 },
      },
    ],
  ] as const)('%s', (_, currency, donation) => {
    it.each(LANGUAGES)(`is at most ${HIGHEST} pixels at 390 pixels of width, in %s`, async (lang) => {
      const event = await createEvent(app, admin.token, { name: 'Summer Gala', currency });
      await admin.patch(`/events/${event.id}/settings`, { locales, donation }).expect(200);
      const { page } = await openPage(browser, { viewport: SCREENS.phone });
      await page.goto(`${app.url}/donate/${event.slug}?lang=${lang}`);
      await page.locator('#card input').first().waitFor();
      await page.evaluate('document.fonts.ready');
      expect(await page.getAttribute('html', 'lang')).toBe(lang);
      await takePicture(page, `donate-height-${lang}-${currency}`);
      const { height = Infinity } = (await page.locator('#give').boundingBox()) ?? {};
      expect(height).toBeLessThanOrEqual(HIGHEST);
      await page.context().close();
    });
  });
});
