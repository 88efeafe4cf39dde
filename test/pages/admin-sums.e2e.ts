import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newId } from '../../src/common/crypto/ids.js';
import { World } from '../money/world.js';
import { launchBrowser } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { createEvent } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

/** Converts a text such as `−€1,234.50` to minor units. */
const minor = (text: string): number =>
  Number(text.replace(/[^\d]/g, '')) * (/^[-−]/u.test(text.trim()) ? -1 : 1);

describeWithChromium('sums, refunds and branding in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const app = withService(() => startPaymentsApp({}, { corsOrigins: ['*'] }));
  const admin = withAdmin(app);

  it('the dashboard explains a total line by line, to the cent, with a link from each line to its rows', async () => {
    const event = await createEvent(app, admin.token, { name: 'Winter Gala' });
    const record = async (type: string, amount: number) => {
      const { body } = await admin.post('/donations', { eventId: event.id, type, amount }).expect(201);
      return (body as { id: string }).id;
    };
    await record('cash', 2_500);
    const partly = await record('cash', 4_000);
    await admin
      .post(`/donations/${partly}/cancel`, { shouldRefund: true, amount: 1_000 })
      .set('Idempotency-Key', newId())
      .expect(200);
    await record('check', 3_000);
    await record('pledge', 1_234);

    const { page, problems } = await openDesk(browser, app, `tonight?event=${event.slug}`);
    await page.getByRole('button', { name: 'Explain this total' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'How this total is calculated' });
    const lines = dialog.locator('table').first().locator('tbody tr');
    await until(async () => (await lines.count()) === 3, 'three lines');
    const amounts = (await lines.locator('td.number').allTextContents()).map(minor);
    const total = minor(await dialog.locator('tfoot td.number').innerText());
    expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBe(total);
    expect(total).toBe(8_500);
    await dialog.getByRole('heading', { name: 'Not in the total' }).waitFor();
    expect(minor(await dialog.locator('.sum--others td.number').first().innerText())).toBe(1_234);
    expect(await lookAt(page, 'explain-total')).toEqual([]);

    const cash = lines.filter({ hasText: 'Received' }).filter({ hasText: 'Cash' });
    const [count, amount] = [
      await cash.locator('td').first().innerText(),
      await cash.locator('td.number').innerText(),
    ];
    expect([count, minor(amount)]).toEqual(['2', 6_500]);
    await cash.getByRole('link').click();
    const rows = page.locator('tbody .table__row');
    await until(async () => (await rows.count()) === 2, 'the rows of the line');
    for (const text of await rows.allInnerTexts()) expect(text).toContain('Cash');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the header of the donation list adds up only received money, and shows no figure before the server answers', async () => {
    const event = await createEvent(app, admin.token, { name: 'Spring Fair', goalAmount: 500_000 });
    const record = async (type: string, amount: number) => {
      const { body } = await admin.post('/donations', { eventId: event.id, type, amount }).expect(201);
      return (body as { id: string }).id;
    };
    const cancel = (id: string, body: object) =>
      admin.post(`/donations/${id}/cancel`, body).set('Idempotency-Key', newId()).expect(200);
    await record('cash', 7_900);
    await cancel(await record('cash', 4_000), { shouldRefund: true, amount: 2_000 });
    await cancel(await record('cash', 60_000), { shouldRefund: false });
    await record('pledge', 1_234);
    const { page } = await openDesk(browser, app, `donations?event=${event.slug}`);
    const header = page.locator('.totals');
    await header.getByText('in the totals').waitFor();
    expect(await header.innerText()).toMatch(
      /4 donations\s+€99\.00 in the totals · €119\.00 less €20\.00 refunded · €12\.34 not paid yet/,
    );
    expect(await lookAt(page, 'list-header')).toEqual([]);

    await page.route(/\/donations(\/totals)?\?[^#]*type=check/, (route) =>
      route.fulfill({ status: 503, json: { message: 'Busy', code: 'BUSY' } }),
    );
    await page.goto(`${app.url}/admin/donations?event=${event.slug}`);
    await page.locator('tbody .table__row').first().waitFor();
    await page.evaluate(() => history.pushState(null, '', `${location.href}&type=check`));
    await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
    await header.getByText('The totals could not be loaded.').waitFor();
    await page.locator('.failed').waitFor();
    // Neither the rows nor the number of the earlier filter are shown as the result.
    expect(await page.locator('tbody .table__row').count()).toBe(0);
    expect(await header.innerText()).not.toMatch(/\d/);

    await page.goto(`${app.url}/admin/tonight?event=${event.slug}`);
    // €99 of €5,000 is 1.98 %. The wall and the donate page round it down too.
    await page.getByText('1% of €5,000').waitFor();
    await page.context().close();
  });

  it('the page Tonight shows "Checking" or "Could not check" for steps, people and providers with an unknown state', async () => {
    const event = await createEvent(app, admin.token, { name: 'Summer Fair' });
    const { page } = await openDesk(browser, app, 'account');
    let fails = false;
    const held: (() => void)[] = [];
    await page.route(/\/(staff\?|settings$|tonight$)/, async (route) => {
      if (!fails) await new Promise<void>((resolve) => held.push(resolve));
      await (fails
        ? route.fulfill({ status: 503, json: { message: 'Busy', code: 'BUSY' } })
        : route.continue());
    });
    await page.evaluate((slug) => history.pushState(null, '', `/admin/tonight?event=${slug}`), event.slug);
    await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
    const steps = page.locator('.first__step');
    const READ_HERE = /^(Set the logo|Add volunteers|Choose the amount|Check the limit)/;
    const states = () =>
      steps
        .filter({ has: page.getByText(READ_HERE) })
        .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.state ?? ''));
    await steps.first().waitFor();
    expect(await states()).toEqual(['checking', 'checking', 'checking']);
    const people = page.getByRole('region', { name: 'At the tills' });
    expect(await people.getByText('No member is signed in at a till').count()).toBe(0);
    const health = page.getByRole('region', { name: 'Connections' });
    await health.getByText('Checking …').waitFor();

    fails = true;
    for (const release of held) release();
    await until(async () => (await states()).join() === 'unknown,unknown,unknown', 'the steps failed');
    await people.getByText('Busy').waitFor();
    expect(await people.getByText('No member is signed in at a till').count()).toBe(0);
    await health.getByText('Could not check').waitFor();
    expect(await lookAt(page, 'tonight-not-checked')).toEqual([]);

    await page.unrouteAll();
    await page.getByRole('button', { name: /^Try again: Add volunteers/ }).click();
    await until(async () => (await states()).join() === 'todo,todo,todo', 'the steps are known');
    await people.getByRole('button', { name: 'Try again' }).click();
    await people.getByText('No member is signed in at a till').waitFor();
    await page.context().close();
  });

  it('the dashboard warns before and after a cancellation without refund that the donor gets no money', async () => {
    const world = await World.create(app, admin.token);
    const { donationId, paymentId } = await world.intent('card', 1_000);
    app.sandbox.stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    const { page, problems } = await openDesk(browser, app, `donations/${donationId}`);
    await page.getByRole('button', { name: 'Refund …' }).click();
    await page.getByLabel('Remove it from the books without a refund').check();
    await page.getByText('the payment stays in your provider account').first().waitFor();
    await page.getByRole('button', { name: 'Remove €10.00 from the books' }).click();
    const warning = page.locator('.toast--bad');
    await warning.waitFor();
    expect(await warning.innerText()).toContain('gets no refund');
    expect(app.sandbox.stripe.refundsOf(paymentId)).toEqual([]);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the dashboard shows a pending refund, and adds a failed refund to the total and to Review again', async () => {
    const world = await World.create(app, admin.token);
    const { donationId, paymentId } = await world.intent('card', 1_000);
    app.sandbox.stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    app.sandbox.faults.add({ provider: 'stripe', operation: 'refunds.create', kind: 'pending' });

    const { page, problems } = await openDesk(browser, app, `donations/${donationId}`);
    await page.getByRole('button', { name: 'Refund …' }).click();
    await page.getByLabel('Partial refund').check();
    const refund = page.getByRole('dialog', { name: 'Refund donation' });
    await page.getByLabel('Amount to refund').fill('15');
    await refund.getByText('More than the remaining €10.00.').waitFor();
    expect(await refund.locator('.note--warn').innerText()).toBe('Enter the amount to refund.');
    expect(await refund.innerText()).not.toMatch(/[-−]€/);
    expect(await refund.locator('button[type=submit]').isDisabled()).toBe(true);
    expect(await lookAt(page, 'refund-too-much')).toEqual([]);
    await page.getByLabel('Amount to refund').fill('3');
    await page.getByRole('button', { name: 'Refund €3.00' }).click();
    await page
      .getByText('The refund of €3.00 is pending; the provider has not confirmed it yet.')
      .first()
      .waitFor();
    const facts = page.getByRole('dialog').first();
    await facts.getByText('Refund pending').first().waitFor();
    expect(await lookAt(page, 'refund-pending')).toEqual([]);
    // An amount whose refund is pending cannot be refunded again.
    await page.getByRole('button', { name: 'Refund …' }).click();
    await page.getByLabel('Partial refund').check();
    await page.getByText('At most €7.00').waitFor();
    await page.keyboard.press('Escape');

    app.sandbox.stripe.failRefund(app.sandbox.stripe.refundsOf(paymentId)[0]!.id);
    await world.deliverAll(Math.random);
    await page.reload();
    await page.getByText('Failed').first().waitFor();
    expect(await page.getByText('Refund pending').count()).toBe(0);
    expect(await lookAt(page, 'refund-failed')).toEqual([]);
    await page.goto(`${app.url}/admin/review`);
    await page.getByRole('heading', { name: 'A refund failed' }).first().waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the dashboard previews branding before it is saved, and warns about low contrast', async () => {
    const event = await createEvent(app, admin.token, {
      name: 'Harbour Run',
      slug: 'harbour-run',
      currency: 'gbp',
    });
    await admin.patch('/events/harbour-run', { status: 'active' });
    const { page, problems } = await openDesk(browser, app, `settings/branding?event=${event.slug}`);
    const brandIn = (title: string) =>
      page
        .frameLocator(`iframe[title="${title}"]`)
        .locator('html')
        .evaluate((root) => getComputedStyle(root).getPropertyValue('--brand-color').trim());
    const seen = (title: string, colour: string) =>
      until(async () => (await brandIn(title)) === colour, `${title} in ${colour}`);
    const field = page.getByLabel('Brand colour', { exact: true });
    await field.fill('#ffee00');
    await seen('Donate page', '#ffee00');
    await page.getByText('Hard to read (1.1 : 1, needs 4.5)').waitFor();
    await page.getByText('Unsaved changes').waitFor();
    expect(await lookAt(page, 'branding-faint')).toEqual([]);
    await page.getByRole('button', { name: 'Wall', exact: true }).click();
    await seen('Wall', '#ffee00');
    await page.getByRole('button', { name: 'Receipt', exact: true }).click();
    await page.locator('.paper').getByText('£50.00').waitFor();
    await page.getByRole('button', { name: 'Wall', exact: true }).click();
    await field.fill('no colour at all');
    await page.getByText('Enter a colour').first().waitFor();
    await page.getByRole('button', { name: 'Undo changes' }).click();
    await until(async () => (await field.inputValue()) === '', 'the field as it was');
    expect(await page.getByText('Hard to read').count()).toBe(0);
    expect(await stored(page, event.slug)).toBeUndefined();

    await field.fill('#0a5c2f');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').first().waitFor();
    expect(await stored(page, event.slug)).toBe('#0a5c2f');
    const donate = await app.http.get(`/donate/${event.slug}`).set('accept', 'text/html').expect(200);
    expect(donate.text).toContain('--brand-color:#0a5c2f');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  /** Returns the brand colour that the public pages use. */
  const stored = async (page: Page, slug: string): Promise<string | undefined> => {
    const answer = await page.request.get(`${app.url}/events/${slug}/settings`);
    const { theme } = (await answer.json()) as { theme: { variables: Record<string, string> } };
    return theme.variables['--brand-color'];
  };
});
