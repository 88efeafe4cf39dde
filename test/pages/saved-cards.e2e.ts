import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { noon, pledgeSchedule } from '../support/pledges.js';
import { openTill, signIn } from '../support/pos.js';
import { CARDS, cardEvening, type CardGuest } from '../support/saved-cards.js';
import { withEvent, withMade, withOpened, withStaff } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

const LANGUAGES = ['en', 'de', 'es', 'fr', 'it', 'nl'] as const;

describeWithChromium('saved cards, in a browser', (executablePath) => {
  const mail = withOpened(() => MailServer.start());
  const evening = withEvent({
    start: () => startPaymentsApp(mail.environment, { corsOrigins: ['*'], mailTimes: FAST_MAIL }),
    fields: { name: 'Winter Gala', slug: 'winter-gala', date: new Date().toISOString() },
  });
  const { app, admin, event } = evening;
  const maria = withStaff(evening, { name: 'Maria Lopez' });
  const browser = withOpened(() => launchBrowser(executablePath));
  const cards = withMade(() => cardEvening(app, admin, { id: event.id, slug: event.slug }), beforeAll);

  beforeAll(async () => {
    pledgeSchedule(app).set(noon(0));
    await admin
      .patch('/settings/global', {
        organization: 'Haus am See',
        locales: { default: 'en', supported: [...LANGUAGES] },
      })
      .expect(200);
  });

  const at = ({ url }: Pick<CardGuest, 'url'>, query = '') => `${app.url}${cards.pathOf(url)}${query}`;
  async function look(page: Page, name: string): Promise<void> {
    for (const [screen, colorScheme] of [
      ['phone', 'light'],
      ['hd', 'dark'],
    ] as const) {
      await page.setViewportSize(SCREENS[screen]);
      await page.emulateMedia({ colorScheme });
      await takePicture(page, `saved-card-${name}-${screen}-${colorScheme}`);
      expect({ name, problems: await accessibilityProblems(page) }).toEqual({ name, problems: [] });
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
    await page.setViewportSize(SCREENS.phone);
  }
  const enter = async (page: Page, number: string) => {
    await page.getByLabel('Card number').fill(number);
    await page.getByLabel('Expiration date').fill('12 / 34');
    await page.getByLabel('Security code').fill('123');
    await page.locator('#pay').click();
  };

  it.each(LANGUAGES)(
    'the page says in %s who charges up to which sum, and fits a phone',
    async (language) => {
      const guest = await cards.newGuest();
      const { page, problems } = await openPage(browser);
      await page.goto(at(guest, `&lang=${language}`));
      await page.locator('#pay:not([disabled])').waitFor();
      expect(await page.locator('.ready__consent').getAttribute('lang')).toBe(language);
      await look(page, `form-${language}`);
      expect(problems).toEqual([]);
      await page.context().close();
    },
  );

  it('a guest saves a card after a declined one, uses another one that the bank confirms, and deletes it', async () => {
    const guest = await cards.newGuest({ email: null });
    const { page, problems } = await openPage(browser);
    await page.goto(at(guest));
    await page.locator('#pay:not([disabled])').waitFor();
    await enter(page, CARDS.pays);
    await page.getByText('Please enter your e-mail address.').waitFor();
    await page.getByLabel('E-mail').fill('mary@example.org');
    await enter(page, '4000000000009995');
    await page.getByText('The card was not saved. Nothing was charged.').waitFor();
    await look(page, 'declined');
    await enter(page, CARDS.pays);
    await page.getByRole('heading', { name: 'Your card is saved', level: 2 }).waitFor();
    await page.getByText('visa •••• 4242').waitFor();
    await look(page, 'saved');
    await page.getByRole('link', { name: 'Use another card' }).click();
    await page.locator('#pay:not([disabled])').waitFor();
    await enter(page, CARDS.asksOwner);
    await page.getByRole('button', { name: 'Save the card' }).click();
    await page.getByText('visa •••• 3184').waitFor();
    await page.getByRole('button', { name: 'Delete the card' }).click();
    await page.getByRole('heading', { name: 'Your card is deleted', level: 2 }).waitFor();
    await page.goto(`${app.url}/donate/${event.slug}/ready?guest=wrong`);
    await page.getByRole('heading', { name: 'This link is not valid', level: 2 }).waitFor();
    await look(page, 'unknown');
    expect(problems.filter((problem) => !/40[24]/.test(problem))).toEqual([]);
    await page.context().close();
  });

  it('the desk shows the ready pledges, announces the charges, and shows the results in words', async () => {
    const [ready, declined] = [
      await cards.newGuest({ name: 'Ada' }),
      await cards.newGuest({ name: 'Grace' }),
    ];
    await cards.save(ready);
    await cards.save(declined, CARDS.asksOwner);
    for (const guest of [ready, declined]) await cards.pledge(guest);
    const { page, problems } = await openDesk(browser, app, `donations?event=${event.slug}&type=pledge`);
    await page.getByRole('button', { name: 'Collect pledges' }).click();
    const list = page.getByRole('dialog');
    await list.getByText('Card ready').first().waitFor();
    expect(await lookAt(page, 'saved-cards-pledges')).toEqual([]);
    await list.getByRole('button', { name: 'Saved cards' }).click();
    await page.getByRole('button', { name: 'Charge 2 ready pledges, €1,000.00' }).click();
    await page.getByText('Nothing is charged now.').waitFor();
    expect(await lookAt(page, 'saved-cards-ask')).toEqual([]);
    await page.getByRole('button', { name: 'Send the e-mails' }).click();
    await page.getByText('2 × Charge announced').waitFor();
    expect(await lookAt(page, 'saved-cards-announced')).toEqual([]);
    await cards.noticed();
    await cards.charge();
    await page.reload();
    await page.getByRole('button', { name: 'Collect pledges' }).click();
    await page.getByText('Declined, link to pay sent (the bank asks the guest to confirm)').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Saved cards' }).click();
    await page.getByText('1 × Paid').waitFor();
    await page.getByText('1 × Declined, link to pay sent: the bank asks the guest to confirm').waitFor();
    expect(await lookAt(page, 'saved-cards-done')).toEqual([]);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the guest list and the till show the code of the page', async () => {
    const guest = await cards.newGuest({ name: 'Emmy Noether' });
    const { page, problems } = await openDesk(browser, app, `guests?event=${event.slug}`);
    await page.getByText('Emmy Noether').first().click();
    await page.getByRole('button', { name: 'Card for pledges' }).click();
    await page.getByRole('img', { name: 'Card for pledges' }).waitFor();
    await page.getByText(guest.url).waitFor();
    expect(await lookAt(page, 'saved-cards-guest')).toEqual([]);
    expect(problems).toEqual([]);
    await page.context().close();
    const till = await openTill(browser, app.url);
    await signIn(till.page, maria, event.slug);
    await till.page.click('.nav__item:has(span:text-is("Guests"))');
    await till.page.locator('.guests__row', { hasText: 'Emmy Noether' }).click();
    await till.page.getByRole('button', { name: 'Card for pledges' }).click();
    await till.page.locator(`[data-card="${guest.url}"] svg`).waitFor();
    await takePicture(till.page, 'saved-cards-till');
    await till.page.context().close();
  });
});
