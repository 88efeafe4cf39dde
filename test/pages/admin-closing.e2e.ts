import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newId } from '../../src/common/crypto/ids.js';
import { PaymentProviders } from '../../src/payments/providers/payment-providers.js';
import { World } from '../money/world.js';
import { as } from '../support/bearer.js';
import { launchBrowser, SCREENS } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

/** Returns the rows of the first ledger in `place`: name and amount. */
const ledgerIn = async (page: Page, place: string): Promise<string[][]> => {
  const ledger = page.locator(place).locator('.ledger').first();
  await ledger.waitFor();
  const [names, amounts] = [
    await ledger.locator('dt').allInnerTexts(),
    await ledger.locator('dd').allInnerTexts(),
  ];
  return names.map((name, index) => [name.split(' · ')[0]!.trim(), amounts[index]!.trim()]);
};

describeWithChromium('closing the event in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const app = withService(() => startPaymentsApp({}, { corsOrigins: ['*'] }));
  const admin = withAdmin(app);

  it('the closing statement, the explanation and the donation add up with the same words in the same order', async () => {
    const world = await World.create(app, admin.token);
    const { event } = world;
    const { donationId, paymentId } = await world.intent('card', 5_000);
    app.sandbox.stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    await world.cancel(donationId, { shouldRefund: true, amount: 2_000 });
    await world.deliverAll(Math.random);
    await admin.post('/donations', { eventId: event.id, type: 'cash', amount: 10_000 }).expect(201);
    await admin.post('/donations', { eventId: event.id, type: 'pledge', amount: 7_000 }).expect(201);
    await sql(app, "UPDATE donation SET fee = 100, fee_currency = 'eur' WHERE id = $1", [donationId]);

    const { page, problems } = await openDesk(browser, app, `closing?event=${event.slug}`);
    const rows = [
      ['Received', '€150.00'],
      ['Refunded', '−€20.00'],
      ['Total', '€130.00'],
      ['Provider fees', '−€1.00'],
      ['Net at the bank', '€129.00'],
    ];
    expect(await ledgerIn(page, 'section[aria-label="EUR"]')).toEqual(rows);
    const pledged = page.locator('section[aria-label="EUR"] .ledger--apart').first();
    expect(await pledged.innerText()).toMatch(/Pledged, not paid yet[^]*not in the total[^]*€70\.00/);
    expect(await lookAt(page, 'closing-ledger')).toEqual([]);

    await page.getByRole('button', { name: 'Explain this total' }).click();
    expect(await ledgerIn(page, 'dialog')).toEqual(rows);
    expect(await lookAt(page, 'explain-ledger')).toEqual([]);
    await page.keyboard.press('Escape');

    await page.goto(`${app.url}/admin/donations/${donationId}`);
    await page.getByText('Net at the bank').waitFor();
    expect(await ledgerIn(page, 'dialog')).toEqual([
      ['Received', '€50.00'],
      ['Refunded', '−€20.00'],
      ['Total', '€30.00'],
      ['Provider fees', '−€1.00'],
      ['Net at the bank', '€29.00'],
    ]);
    expect(await lookAt(page, 'donation-ledger')).toEqual([]);
    // The history shows money and words in the language of the reader, also for rows of version 1.0, which have only a text.
    const steps = async () => {
      await page.locator('.timeline__step').nth(3).waitFor();
      return (await page.locator('.timeline__what').allInnerTexts()).slice(2).map((text) => text.trim());
    };
    expect(await steps()).toEqual(['Refund of €20.00 requested', 'Refund completed · €20.00']);
    await sql(app, 'UPDATE donation_history SET cause = NULL WHERE donation_id = $1', [donationId]);
    await page.goto(`${app.url}/admin/donations/${donationId}?lang=de`);
    expect(await steps()).toEqual(['Erstattung von 20,00\u00a0€ beantragt', 'Erstattung abgeschlossen']);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the closing statement shows no unknown fee, no unknown amount at the bank, and no negative zero', async () => {
    const world = await World.create(app, admin.token);
    const { donationId, paymentId } = await world.intent('card', 5_000);
    app.sandbox.stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    await sql(app, 'UPDATE donation SET fee = NULL, fee_currency = NULL WHERE id = $1', [donationId]);
    const { page, problems } = await openDesk(browser, app, `closing?event=${world.event.slug}`);
    expect(await ledgerIn(page, 'section[aria-label="EUR"]')).toEqual([
      ['Received', '€50.00'],
      ['Refunded', '€0.00'],
      ['Total', '€50.00'],
      ['Provider fees', 'not known yet'],
      ['Net at the bank', 'at most €50.00'],
    ]);
    await page.goto(`${app.url}/admin/donations/${donationId}`);
    await page.getByText('Net at the bank').waitFor();
    const rows = await ledgerIn(page, 'dialog');
    expect(rows.slice(-2).map(([, amount]) => amount)).toEqual(['not known yet', 'not known yet']);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the closing statement counts cash that was recorded in the dashboard as on site, not as online money', async () => {
    const { event } = await World.create(app, admin.token);
    await admin
      .post('/donations', { eventId: event.id, type: 'cash', amount: 4_000 })
      .set('Idempotency-Key', newId())
      .expect(201);
    const { page } = await openDesk(browser, app, `closing?event=${event.slug}`);
    const statement = page.getByRole('region', { name: 'EUR' });
    await statement.getByText('At the tills and in the dashboard').waitFor();
    expect(await statement.getByText('Online', { exact: true }).count()).toBe(0);
    await statement.getByText('Without a member (online or in the dashboard)').waitFor();
    await page.context().close();
  });

  it('the closing checklist shows "Checking" or "Could not check", and never "OK", while a result is unknown', async () => {
    const { event } = await World.create(app, admin.token);
    const { page } = await openDesk(browser, app, 'account');
    let fails = false;
    const held: (() => void)[] = [];
    await page.route(
      /\/(donations\?|donations\/messages|review-items\/open|shifts|emails\?|events\/[^/]+\/tonight)/,
      async (route) => {
        if (!fails) await new Promise<void>((resolve) => held.push(resolve));
        await (fails
          ? route.fulfill({ status: 503, json: { message: 'Busy', code: 'BUSY' } })
          : route.continue());
      },
    );
    await page.evaluate((slug) => history.pushState(null, '', `/admin/closing?event=${slug}`), event.slug);
    await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
    const results = async () =>
      new Set(
        await page
          .locator('[data-check]')
          .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset.result)),
      );
    const list = page.getByRole('region', { name: 'Before you close' });
    await list.getByText('Checking …').first().waitFor();
    expect(await results()).toEqual(new Set(['checking']));
    expect(await list.getByText('OK', { exact: true }).count()).toBe(0);

    fails = true;
    for (const release of held) release();
    await until(async () => [...(await results())].join() === 'unknown', 'every check failed');
    expect(await list.getByText('OK', { exact: true }).count()).toBe(0);
    expect(await list.getByText('Could not check').count()).toBe(9);
    expect(await lookAt(page, 'closing-not-checked')).toEqual([]);

    await page.unrouteAll();
    // One request can answer several checks. So a button may be gone before the test clicks it.
    const retries = list.getByRole('button', { name: /^Try again: / });
    await until(async () => {
      if ((await retries.count()) === 0) return true;
      await retries
        .first()
        .click({ timeout: 1_000 })
        .catch(() => undefined);
      return false;
    }, 'every check was repeated');
    await until(async () => [...(await results())].join() === 'result', 'every check succeeded');
    await page.context().close();
  });

  it.each([
    ['draft', 'The event is still a draft', 'To do'],
    ['active', 'The event still accepts donations', 'To do'],
    ['paused', 'The event is paused, not closed', 'To do'],
    ['closed', 'The event is closed', 'OK'],
    ['archived', 'The event is archived', 'OK'],
  ])('the closing checklist names the state of an event that is %s', async (status, text, result) => {
    const event = await createEvent(app, admin.token);
    await sql(app, 'UPDATE event SET status = $2 WHERE id = $1', [event.id, status]);
    const { page, problems } = await openDesk(browser, app, `closing?event=${event.slug}`);
    const row = page.locator('section[aria-labelledby=checklist] .lines__row').first();
    await row.waitFor();
    expect((await row.innerText()).split(/\s*\n\s*/)).toEqual([text, result]);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the closing checklist lists disputes, review items, open shifts, cash differences and failed e-mails', async () => {
    const world = await World.create(app, admin.token);
    const { event } = world;
    const { donationId, paymentId } = await world.intent('card', 5_000);
    app.sandbox.stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    app.sandbox.stripe.openDispute(paymentId);
    await world.deliverAll(Math.random);
    const [maria, jonas] = [
      await createStaff(app, admin.token, event.id),
      await createStaff(app, admin.token, event.id, 'Jonas'),
    ];
    await as(app, maria.token).post('/shifts', { openingFloat: 1_000 }).expect(201);
    const shift = await as(app, jonas.token).post('/shifts', { openingFloat: 1_000 }).expect(201);
    await as(app, jonas.token)
      .post(`/shifts/${shift.body.id}/count`, { counts: [{ denomination: 500, quantity: 1 }] })
      .expect(200);
    await sql(
      app,
      `INSERT INTO email (id, kind, subject, donation_id, state) VALUES ($1, 'receipt', $2::uuid::text, $2, 'failed')`,
      [newId(), donationId],
    );
    const { page, problems } = await openDesk(browser, app, `closing?event=${event.slug}`);
    const list = page.getByRole('region', { name: 'Before you close' });
    for (const text of [
      '1 donation is disputed',
      /items? to review/,
      '2 shifts are not closed',
      '1 cash count differs',
      '1 e-mail failed',
    ])
      await list.getByRole('link', { name: text }).waitFor();
    const cash = page.getByRole('region', { name: 'Cash by shift' });
    const rows = (await cash.locator('[data-shift]').allInnerTexts()).map((row) => row.split('\t').slice(1));
    expect(rows).toEqual([['not counted yet'], ['€10.00', '€5.00', '−€5.00']]);
    expect(await lookAt(page, 'closing-checklist')).toEqual([]);
    await list.getByRole('link', { name: '1 donation is disputed' }).click();
    await page.locator('tbody .table__row').first().waitFor();
    expect(await page.locator('tbody .table__row').count()).toBe(1);
    await page.locator('tbody .table__row').getByText('Disputed', { exact: true }).waitFor();
    expect(await lookAt(page, 'disputed-list')).toEqual([]);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the closing page shows what the providers hold, and an unknown balance neither as zero nor as known', async () => {
    const world = await World.create(app, admin.token);
    const { paymentId } = await world.intent('card', 5_000);
    app.sandbox.stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    const { page } = await openDesk(browser, app, `closing?event=${world.event.slug}`);
    const panel = page.getByRole('region', { name: 'On the way to your bank' });
    await panel.getByText('not yet released').waitFor();
    await panel
      .getByText('Nothing is on the way.')
      .or(panel.getByText('ready for the next payout'))
      .first()
      .waitFor();
    expect(await lookAt(page, 'closing-held')).toEqual([]);
    await page.route('**/payouts/balance', (route) => route.abort());
    await page.reload();
    await panel.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await panel.getByText('€').count()).toBe(0);
  });

  it('the comparison shows no amount for an hour that the other event has not reached', async () => {
    const at = async (name: string, hours: readonly number[]) => {
      const event = await createEvent(app, admin.token, { name });
      for (const hour of hours) {
        const body = { eventId: event.id, type: 'cash', amount: 1_000 * (hour + 1) };
        const { id } = (await admin.post('/donations', body).expect(201)).body as { id: string };
        const time = `2026-03-01T${String(18 + hour)}:10:00Z`;
        await sql(
          app,
          'UPDATE donation SET completed_at = $2, recorded_at = $2, created_at = $2 WHERE id = $1',
          [id, time],
        );
      }
      return event;
    };
    const long = await at('Long Evening', [0, 1, 2, 3]);
    await at('Short Evening', [0, 2]);
    const { page } = await openDesk(browser, app, `closing?event=${long.slug}`);
    const course = page.getByRole('region', { name: 'Donations over the evening' });
    await course.getByRole('combobox').selectOption({ label: 'Short Evening' });
    await course.getByRole('columnheader', { name: 'Short Evening' }).waitFor();
    // In the second hour, the short evening received nothing. It has no fourth hour.
    expect(await course.locator('.hours tbody td:last-child').allInnerTexts()).toEqual([
      '€10',
      '€0',
      '€30',
      '–',
    ]);
    expect(await course.locator('.hours tbody td:nth-child(2)').allInnerTexts()).toEqual([
      '€10',
      '€20',
      '€30',
      '€40',
    ]);
    await page.context().close();
  });

  it('a dispute names its donor, amount, event, deadline and place, and the dialog of the refund explains the refusal', async () => {
    const world = await World.create(app, admin.token);
    const { event } = world;
    const { donationId, paymentId } = await world.intent('card', 5_000);
    app.sandbox.stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    app.sandbox.stripe.openDispute(paymentId, { dueInDays: 6 });
    await world.deliverAll(Math.random);
    await as(app, admin.token).patch(`/donations/${donationId}`, { donorName: 'Ada Lovelace' }).expect(200);
    // The sandbox of the provider has no dashboard, so this test sets an address.
    const address = `https://dashboard.example.org/payments/${paymentId}`;
    const provider = app.app.get(PaymentProviders).ofDonation('stripe');
    Object.defineProperty(provider, 'dashboardUrl', { value: () => address, configurable: true });
    const { page, problems } = await openDesk(browser, app, 'review');
    const card = page.locator('.review', { hasText: 'Ada Lovelace' });
    await card.getByRole('heading', { name: 'A payment is disputed' }).waitFor();
    const facts = await card.locator('.facts').first().innerText();
    const due = new Date(Date.now() + 6 * 86_400_000).toLocaleDateString('en-GB', { dateStyle: 'medium' });
    for (const text of ['€50.00', 'not authorized', `Answer by\n${due}`, paymentId])
      expect(facts.replace(/\s*\n\s*/g, '\n')).toContain(text);
    expect(await card.locator(`a[href="/admin/events/${event.slug}"]`).innerText()).not.toBe('');
    await card.getByText('Details').click();
    expect(await card.locator('details dt').allInnerTexts()).toEqual(['About', 'State', 'Amount']);
    expect(await card.locator('details dd').allInnerTexts()).toEqual([
      expect.stringContaining('stripe:'),
      'Disputed',
      '€50.00',
    ]);
    const there = card.getByRole('link', { name: "Open in the provider's dashboard" });
    expect(await there.getAttribute('href')).toBe(address);
    expect(await lookAt(page, 'disputed-review')).toEqual([]);

    await card.getByRole('link', { name: 'Ada Lovelace' }).click();
    const sheet = page.getByRole('dialog', { name: '€50.00' });
    await sheet.getByText('Disputed', { exact: true }).first().waitFor();
    expect(await lookAt(page, 'disputed-sheet')).toEqual([]);
    await sheet.getByRole('button', { name: 'Refund …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Refund donation' });
    await dialog.getByText('A refund is not possible until the dispute is decided').waitFor();
    await dialog.getByText(due).waitFor();
    expect(await dialog.getByRole('link').getAttribute('href')).toBe(address);
    expect(await dialog.getByRole('button').allInnerTexts()).not.toContain('Refund €50.00');
    expect(await lookAt(page, 'disputed-refund')).toEqual([]);
    Reflect.deleteProperty(provider, 'dashboardUrl');

    // On a phone, the states stand below the name, which is complete.
    await page.setViewportSize(SCREENS.phone);
    await page.goto(`${app.url}/admin/tonight?event=${event.slug}`);
    const row = page.locator('.feed__row', { hasText: 'Ada Lovelace' });
    const [name, state] = [row.locator('.feed__name'), row.locator('.feed__state')];
    await state.waitFor();
    const [nameBox, stateBox] = [await name.boundingBox(), await state.boundingBox()];
    expect(stateBox?.x).toBe(nameBox?.x);
    expect(stateBox?.y).toBeGreaterThan((nameBox?.y ?? 0) + (nameBox?.height ?? 0) - 1);
    expect(await name.evaluate((link) => link.scrollWidth <= link.clientWidth)).toBe(true);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it.each([
    [
      'en',
      'Reason',
      'The bank account is closed',
      'The bank refused for another reason',
      'The card was stolen',
    ],
    [
      'de',
      'Grund',
      'Das Konto ist aufgelöst',
      'Die Bank hat aus einem anderen Grund',
      'Die Karte war gestohlen',
    ],
  ])(
    'in %s, the review list explains a refused debit and a fraud warning in words',
    async (locale, ...words) => {
      const [label, closed, other, stolen] = words;
      const world = await World.create(app, admin.token);
      const debited = async (donorName: string, code: string) => {
        const { donationId, paymentId } = await world.intent('card', 2_000);
        app.sandbox.stripe.process(paymentId, { method: 'sepa_debit' });
        await world.deliverAll(Math.random);
        app.sandbox.stripe.decline(paymentId, { declineCode: code });
        await world.deliverAll(Math.random);
        await as(app, admin.token).patch(`/donations/${donationId}`, { donorName }).expect(200);
      };
      await debited(`Closed ${locale}`, 'account_closed');
      await debited(`Newer ${locale}`, 'a_newer_code');
      const { donationId, paymentId } = await world.intent('card', 3_000);
      app.sandbox.stripe.pay(paymentId);
      await world.deliverAll(Math.random);
      app.sandbox.stripe.warnOfFraud(paymentId, { fraudType: 'made_with_stolen_card' });
      await world.deliverAll(Math.random);
      await as(app, admin.token)
        .patch(`/donations/${donationId}`, { donorName: `Stolen ${locale}` })
        .expect(200);
      const { page, problems } = await openDesk(browser, app, 'review');
      await page.evaluate(`localStorage.setItem('desk.language', '${locale}')`);
      await page.reload();
      const reasonOf = async (name: string) => {
        const card = page.locator('.review', { hasText: name });
        await card.waitFor();
        const [names, facts] = [
          await card.locator('.facts').first().locator('dt').allInnerTexts(),
          await card.locator('.facts').first().locator('dd').allInnerTexts(),
        ];
        await card.locator('summary').click();
        expect(await card.locator('details dt').allInnerTexts()).not.toContain(label);
        return facts[names.indexOf(label)];
      };
      expect(await reasonOf(`Closed ${locale}`)).toMatch(new RegExp(`^${closed}.* account_closed$`));
      expect(await reasonOf(`Newer ${locale}`)).toMatch(new RegExp(`^${other}.* a_newer_code$`));
      expect(await reasonOf(`Stolen ${locale}`)).toMatch(new RegExp(`^${stolen}.* made_with_stolen_card$`));
      expect(await lookAt(page, `refused-debit-${locale}`)).toEqual([]);
      expect(problems).toEqual([]);
      await page.context().close();
    },
  );
});
