import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

const CARD = { number: '4242 4242 4242 4242', expiry: '12 / 34', code: '123' };

describeWithChromium('Gift Aid on the donate page, in a browser', (executablePath) => {
  const { app, admin, event } = withEvent({
    start: startPaymentsApp,
    fields: { slug: 'lighthouse', name: 'A new roof for the lighthouse', currency: 'gbp' },
  });
  const browser = withOpened(() => launchBrowser(executablePath));

  beforeAll(async () => {
    await admin
      .patch(`/events/${event.id}/settings`, {
        organization: 'Harbour Lights',
        legal: { legalName: 'Harbour Lights Trust' },
        locales: { default: 'en-GB', supported: ['en-GB', 'de'] },
        donation: { fields: { giftAid: true }, giftAidScope: 'past_and_future' },
      })
      .expect(200);
  });

  const open = async (lang: string, options: Parameters<typeof openPage>[1] = {}) => {
    const one = await openPage(browser, options);
    await one.page.goto(`${app.url}/donate/${event.slug}?lang=${lang}`);
    await one.page.locator('#card input').first().waitFor();
    await one.page.locator('.amount').first().click();
    await one.page.locator('#about summary').click();
    return one;
  };
  const look = async (page: Page, name: string) => {
    await page.evaluate('document.fonts.ready');
    await takePicture(page, `gift-aid-${name}`);
    expect({ name, problems: await accessibilityProblems(page) }).toEqual({ name, problems: [] });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  };
  const declarations = () =>
    sql<Record<string, unknown>>(
      app,
      `SELECT g.first_name, g.last_name, g.address, g.language, g.scope, g.channel, d.donor_address, d.is_anonymous,
         encode(g.text_digest, 'hex') AS digest
       FROM gift_aid_declaration g JOIN donation d ON d.id = g.donation_id ORDER BY g.id`,
    );

  it.each([
    ['en-GB', 'phone', 'light'],
    ['de', 'phone', 'dark'],
    ['en-GB', 'hd', 'dark'],
    ['de', 'hd', 'light'],
  ] as const)(
    'the page in %s shows the English text with an explanation and asks only a donor who declares, on a %s screen in %s',
    async (lang, screen, colorScheme) => {
      const at = `${lang}-${screen}-${colorScheme}`;
      const { page, problems } = await open(lang, { viewport: SCREENS[screen], colorScheme });
      const text = page.locator('.gift-aid__text');
      expect(await text.getAttribute('lang')).toBe('en');
      expect(await text.textContent()).toContain(
        'I want to Gift Aid this donation and any donations I make in the future or have made in the past 4 years to Harbour Lights Trust.',
      );
      const hint = await page.textContent('#giftAid-hint');
      expect(hint).toContain(
        lang === 'de'
          ? 'Sie gilt auch für Ihre Spenden der letzten vier Jahre'
          : 'It also covers your donations of the past four years',
      );
      expect(await page.locator('#firstName').isVisible()).toBe(false);
      expect(await page.locator('#line1').isVisible()).toBe(false);
      await look(page, `unchecked-${at}`);
      await page.locator('[name=giftAid]').check();
      for (const [id, autofill] of [
        ['firstName', 'given-name'],
        ['lastName', 'family-name'],
        ['line1', 'address-line1'],
        ['line2', 'address-line2'],
        ['postcode', 'postal-code'],
        ['city', 'address-level2'],
        ['country', 'country'],
      ])
        expect([id, await page.locator(`#${id}`).getAttribute('autocomplete')]).toEqual([id, autofill]);
      expect(await page.locator('#country').inputValue()).toBe('GB');
      await look(page, `checked-${at}`);
      expect(problems).toEqual([]);
      await page.context().close();
    },
  );

  it('a donor corrects each field that is wrong and makes one declaration with two clicks', async () => {
    const { page, problems } = await open('de');
    await page.locator('[name=giftAid]').check();
    const pay = async (error: string, field: string) => {
      await page.locator('#pay').click();
      await page.getByText(error).waitFor();
      expect(await page.evaluate('document.activeElement.id')).toBe(field);
    };
    await page.getByLabel('Card number').fill(CARD.number);
    await page.getByLabel('Expiration date').fill(CARD.expiry);
    await page.getByLabel('Security code').fill(CARD.code);
    await pay('Bitte geben Sie für Gift Aid Ihren Vornamen an.', 'firstName');
    await page.getByLabel('Vorname').fill('Ada');
    await pay('Bitte geben Sie für Gift Aid Ihren Nachnamen an.', 'lastName');
    await page.getByLabel('Nachname').fill('Lovelace');
    await pay('Bitte geben Sie Straße und Hausnummer an.', 'line1');
    await page.getByLabel('Straße und Hausnummer').fill('1 Quay Street');
    await pay('Bitte geben Sie die Postleitzahl an.', 'postcode');
    await page.getByLabel('Postleitzahl').fill('10115');
    await pay('Geben Sie eine britische Postleitzahl an', 'postcode');
    await look(page, 'wrong-postcode');
    await page.getByLabel('Postleitzahl').fill('bs1 4qa');
    await pay('Bitte geben Sie den Ort an.', 'city');
    await page.getByLabel('Ort', { exact: true }).fill('Bristol');
    await page.locator('#pay').dblclick();
    await page.waitForURL(/thanks/);
    const [made, ...more] = await declarations();
    expect(more).toEqual([]);
    expect(made).toEqual({
      first_name: 'Ada',
      last_name: 'Lovelace',
      address: { line1: '1 Quay Street', line2: null, postcode: 'BS1 4QA', city: 'Bristol', country: 'GB' },
      language: 'de',
      scope: 'past_and_future',
      channel: 'online',
      // The event does not ask for a postal address, so only the declaration has it.
      donor_address: null,
      is_anonymous: true,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('a donor who unchecks Gift Aid sends no address and no names', async () => {
    const { page } = await open('en-GB');
    await page.locator('[name=giftAid]').check();
    await page.getByLabel('First name').fill('Secret');
    await page.getByLabel('Postcode').fill('nonsense');
    await page.locator('[name=giftAid]').uncheck();
    await page.getByLabel('Card number').fill(CARD.number);
    await page.getByLabel('Expiration date').fill(CARD.expiry);
    await page.getByLabel('Security code').fill(CARD.code);
    const request = page.waitForRequest(/donations\/intent$/);
    await page.locator('#pay').click();
    expect((await request).postData()).not.toMatch(/Secret|nonsense|giftAid|address/);
    await page.waitForURL(/thanks/);
    await page.context().close();
  });

  it('the page works without a script: errors name the field, and a payer of a wallet makes the declaration', async () => {
    const { text } = await app.http.get(`/donate/${event.slug}?lang=en-GB`).expect(200);
    const giftAidText = /name="giftAidText" value="([0-9a-f]{64})"/.exec(text)?.[1];
    const send = (fields: object) =>
      app.http
        .post(`/donate/${event.slug}`)
        .type('form')
        .send({
          key: `k-${Math.random()}`,
          preset: '2500',
          provider: 'paypal',
          giftAid: 'yes',
          giftAidText,
          ...fields,
        });
    const whole = {
      firstName: 'Grace',
      lastName: 'Hopper',
      line1: '2 Quay Street',
      postcode: 'BS1 4QA',
      city: 'Bristol',
      country: 'GB',
    };
    for (const [missing, error] of [
      ['firstName', 'Please enter your first name for Gift Aid.'],
      ['lastName', 'Please enter your surname for Gift Aid.'],
      ['line1', 'Please enter house and street.'],
      ['postcode', 'Please enter your postcode.'],
      ['city', 'Please enter your town or city.'],
      ['country', 'Please choose your country.'],
    ] as const) {
      const { text: page } = await send({ ...whole, [missing]: '' }).expect(400);
      expect(page).toContain(error);
      // The page keeps the other answers.
      if (missing !== 'line1') expect(page).toContain('value="2 Quay Street"');
    }
    const stale = await send({ ...whole, giftAidText: 'f'.repeat(64) }).expect(409);
    expect(stale.text).toContain('The Gift Aid declaration has changed.');
    await send(whole).expect(303);
    expect((await declarations()).at(-1)).toMatchObject({
      first_name: 'Grace',
      address: { line1: '2 Quay Street', postcode: 'BS1 4QA' },
      digest: giftAidText,
    });
  });
});
