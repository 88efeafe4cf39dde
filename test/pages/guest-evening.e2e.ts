import { beforeAll, expect, it } from '@jest/globals';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../support/browser.js';
import { openDesk } from '../support/desk.js';
import { createStaff, sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { providerEnvironment, startPaymentsApp } from '../support/payments.js';
import { noon, pledgeSchedule } from '../support/pledges.js';
import { allSent, goTo, openTill, signIn } from '../support/pos.js';
import { startServerProcess } from '../support/process.js';
import { CARDS, cardEvening, type CardGuest } from '../support/saved-cards.js';
import { withAdmin, withEvent, withMade, withOpened } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

const GUESTS = 500;
const PADDLES = 40;
/** Guests with a saved card, by their paddles. The banks of the first ones ask for the owner, or decline. */
const WITH_CARD = 25;
const STEP_UPS = 3;
const DECLINED = 1;
const CHECKED_IN_BY_EACH = 10;
const AMOUNT = 50_000;

const nameOf = (number: number) => `Guest ${String(number).padStart(3, '0')}`;
const addressOf = (number: number) => `guest-${number}@example.org`;
const numberOf = (number: number): string =>
  number <= STEP_UPS ? CARDS.asksOwner : number <= STEP_UPS + DECLINED ? CARDS.declines : CARDS.pays;
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describeWithChromium('an evening with a guest list', (executablePath) => {
  const mail = withOpened(() => MailServer.start());
  const { app, admin, event } = withEvent({
    start: () => startPaymentsApp(mail.environment, { corsOrigins: ['*'], mailTimes: FAST_MAIL }),
    fields: { name: 'Winter Gala', slug: 'winter-gala', date: new Date().toISOString() },
  });
  const second = withAdmin(app);
  const browser = withOpened(() => launchBrowser(executablePath));
  const schedule = pledgeSchedule(app);
  const cards = withMade(() => cardEvening(app, admin, { id: event.id, slug: event.slug }), beforeAll);

  const guests = () =>
    sql<{ id: string; name: string; paddle: string; checked_in_at: Date | null }>(
      app,
      'SELECT id, name, paddle, checked_in_at FROM guest WHERE event_id = $1 ORDER BY name',
      [event.id],
    );

  async function importGuests(): Promise<void> {
    const { page } = await openDesk(browser, app, `guests/import?event=${event.slug}`);
    const rows = upTo(GUESTS).map(
      (number) => `${nameOf(number)},${addressOf(number)},${number % 50},${number}`,
    );
    await page.locator('input[type=file]').setInputFiles({
      name: 'guests.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`Name,E-mail,Table,Paddle\n${rows.join('\n')}\n`),
    });
    await page.getByRole('button', { name: `Import ${GUESTS} guests` }).click();
    await page.getByRole('link', { name: 'To the guest list' }).waitFor();
    await page.context().close();
  }

  async function openPhone(index: number): Promise<Page> {
    const member = await createStaff(app, admin.token, event.id, `Member ${index}`);
    const { page } = await openTill(browser, app.url);
    await signIn(page, member, event.slug);
    await page.click('.nav__item:has(span:text-is("Guests"))');
    await page.getByText(`of ${GUESTS} are here`).waitFor();
    return page;
  }

  async function checkIn(page: Page, number: number): Promise<void> {
    await page.getByLabel('Search by name, table or paddle').fill(nameOf(number));
    await page
      .locator('.guests__row', { hasText: nameOf(number) })
      .first()
      .click();
    const dialog = page.getByRole('dialog', { name: nameOf(number) });
    await dialog.getByRole('button', { name: 'Check in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  /** Two of four phones have no network while they check in, and each first guest goes to two phones. */
  async function checkInAll(phones: readonly Page[]): Promise<void> {
    await Promise.all(phones.slice(2).map((phone) => phone.context().setOffline(true)));
    await Promise.all(
      phones.map(async (phone, index) => {
        const first = index * CHECKED_IN_BY_EACH + 1;
        if (index > 0) await checkIn(phone, first - CHECKED_IN_BY_EACH);
        for (const number of upTo(CHECKED_IN_BY_EACH)) {
          const isThere = number === 1 && index < phones.length - 1 && (await isIn(first));
          if (!isThere) await checkIn(phone, first + number - 1);
        }
      }),
    );
  }
  const isIn = async (number: number) => (await guests())[number - 1]?.checked_in_at !== null;

  async function typePaddles(page: Page): Promise<void> {
    await goTo(page, 'Paddles');
    await page.fill('.paddles input', String(AMOUNT / 100));
    await page.click('button:text-is("Start this level")');
    await page.waitForSelector('.raise__number');
    const begin = performance.now();
    for (const number of upTo(PADDLES)) {
      await page.keyboard.type(String(number));
      await page.keyboard.press('Enter');
      await page.waitForSelector(`[data-paddle="${number}"]`);
    }
    expect(performance.now() - begin).toBeLessThan(60_000);
    await allSent(page);
  }

  const pledges = () =>
    sql<{ id: string; paddle: string; status: string; donor_email: string }>(
      app,
      "SELECT id, paddle, status::text, donor_email FROM donation WHERE event_id = $1 AND type = 'pledge' ORDER BY paddle::int",
      [event.id],
    );

  async function cardGuest({ id, paddle }: { id: string; paddle: string }): Promise<CardGuest> {
    const { body } = await admin.get(`/guests/${id}/card`).expect(200);
    const { url } = body as { url: string };
    return {
      id,
      paddle,
      email: addressOf(Number(paddle)),
      url,
      token: new URL(url).searchParams.get('guest') ?? '',
    };
  }

  /** Ends the schedule of the charges in this process, so that only the second server charges. */
  function stopCharging(): void {
    const jobs = [...app.app.get(SchedulerRegistry, { strict: false }).getCronJobs().values()];
    for (const job of jobs) if (job.cronTime.source === '*/10 * * * * *') void job.stop();
  }

  /** Starts a second server that charges the cards, and kills it while the provider works on a charge. */
  async function killWhileCharging(): Promise<void> {
    const { stripe } = app.sandbox;
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'payment_intents.create',
      kind: 'hang',
      after: true,
      skip: 5,
    });
    const server = await startServerProcess({
      ...providerEnvironment(app.sandbox),
      ...mail.environment,
      DATABASE_URL: app.databaseUrl,
    });
    try {
      await until(() => stripe.payments().length >= 6, 'the charge that gets no answer', {
        timeoutMs: 30_000,
      });
    } finally {
      await server.kill('SIGKILL');
    }
    expect(stripe.payments()).toHaveLength(6);
    app.sandbox.faults.clear();
    await sql(app, "UPDATE card_charge SET next_try_at = now() WHERE state = 'charging'");
  }

  async function payByLink(pledgeId: string): Promise<void> {
    const { body: link } = await admin.post(`/donations/${pledgeId}/payment-link`).expect(201);
    const { url } = link as { url: string };
    const pledgeToken = new URL(url).searchParams.get('pledge');
    const metadata = { eventId: event.id, pledgeToken };
    const { body } = await app.http.post('/donations/intent').send({ amount: AMOUNT, metadata }).expect(201);
    app.sandbox.stripe.pay((body as { clientSecret: string }).clientSecret);
    await app.sandbox.settled();
  }

  it('checks in all guests once, charges each card once through a kill, and keeps 95 % of the pledge money after 30 days', async () => {
    schedule.set(noon(0));
    await importGuests();
    const phones = await Promise.all([1, 2, 3, 4].map(openPhone));
    await checkInAll(phones);
    await Promise.all(
      phones.map(async (phone) => {
        await phone.context().setOffline(false);
        await phone.evaluate('dispatchEvent(new Event("online"))');
        await phone.waitForSelector('.guests__count[data-waiting="0"]');
      }),
    );
    const list = await guests();
    expect(list.map(({ name }) => name)).toEqual(upTo(GUESTS).map(nameOf));
    const arrived = list.filter(({ checked_in_at: at }) => at !== null);
    expect(arrived.map(({ paddle }) => Number(paddle))).toEqual(upTo(4 * CHECKED_IN_BY_EACH));

    for (const guest of list.slice(0, WITH_CARD))
      expect(await cards.save(await cardGuest(guest), numberOf(Number(guest.paddle)))).toBe(true);
    await typePaddles(phones[0] as Page);
    expect((await pledges()).map(({ paddle, donor_email: to }) => [paddle, to])).toEqual(
      upTo(PADDLES).map((number) => [String(number), addressOf(number)]),
    );
    await Promise.all(phones.map((phone) => phone.context().close()));

    stopCharging();
    // The sum is above the limit, so another admin confirms it.
    const batch = await cards.start();
    expect(batch).toMatchObject({ state: 'waiting', pledges: WITH_CARD, total: WITH_CARD * AMOUNT });
    await second.post(`/card-charges/${batch.id}/confirm`).expect(200);
    await cards.noticed();
    await killWhileCharging();
    await cards.charge();
    await app.sandbox.settled();
    const charged = app.sandbox.stripe.payments().filter(({ paid }) => paid > 0);
    expect(charged).toHaveLength(WITH_CARD - STEP_UPS - DECLINED);
    expect(app.sandbox.stripe.payments()).toHaveLength(WITH_CARD);

    // The guests without a saved card, and those whose bank asked, pay after a reminder. One guest never pays.
    await schedule.remindOn(2);
    const open = (await pledges()).filter(({ status }) => status === 'PENDING');
    expect(open).toHaveLength(PADDLES - charged.length);
    await until(() => open.every(({ donor_email: to }) => mail.to(to).length > 0), 'the reminders');
    const late = open.filter(({ paddle }) => ![STEP_UPS + DECLINED, PADDLES].includes(Number(paddle)));
    for (const { id } of late.slice(0, STEP_UPS)) await payByLink(id);
    for (const { id } of late.slice(STEP_UPS))
      await admin.post(`/donations/${id}/fulfil`, { type: 'bank_transfer' }).expect(200);
    await sql(
      app,
      `UPDATE donation SET created_at = created_at - interval '31 days', recorded_at = recorded_at - interval '31 days',
        completed_at = completed_at - interval '31 days' WHERE event_id = $1`,
      [event.id],
    );
    const { body } = await admin.get(`/pledges/received?eventId=${event.id}`).expect(200);
    const [share] = (body as { data: { old: { pledged: { sum: number }; received: { sum: number } } }[] })
      .data;
    expect(share?.old.pledged.sum).toBe(PADDLES * AMOUNT);
    expect(Number(share?.old.received.sum)).toBeGreaterThanOrEqual(0.95 * PADDLES * AMOUNT);
    expect(app.sandbox.stripe.netHeld('eur')).toBe((WITH_CARD - DECLINED) * AMOUNT);
  }, 180_000);
});
