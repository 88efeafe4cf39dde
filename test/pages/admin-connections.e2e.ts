import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { launchBrowser, openPage, SCREENS } from '../support/browser.js';
import { lookAt, openDesk, signIn } from '../support/desk.js';
import { adminToken, createAdmin, createEvent, type EventFixture, sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { type PaymentsApp, startPaymentsApp } from '../support/payments.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

/** Allows only few attempts, so that the server stops sending an e-mail during the test. */
const ATTEMPTS = 3;
const NEXT_PASSWORD = 'violet harbour teaspoon';

describeWithChromium('e-mails, logos and slow answers in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const mail = withOpened(() => MailServer.start());
  const app = withService(() =>
    startPaymentsApp(mail.environment, {
      corsOrigins: ['*'],
      mailTimes: { ...FAST_MAIL, attempts: ATTEMPTS },
    }),
  );
  const admin = withAdmin(app);
  let event: EventFixture;

  beforeAll(async () => {
    await admin.patch('/settings/global', { organization: 'Harbour Lights Foundation' }).expect(200);
    event = await createEvent(app, admin.token, { name: 'Winter Gala', slug: 'winter-gala' });
  });
  afterEach(() => {
    mail.mode = 'accept';
  });

  /** Creates a donation with a requested receipt. Waits until the receipt e-mail is in this state. */
  const receiptIn = async (state: string, donorName: string, donorEmail: string): Promise<string> => {
    const { body } = await admin
      .post('/donations', { eventId: event.id, type: 'cash', amount: 2_500, donorName, donorEmail })
      .expect(201);
    const { id } = body as { id: string };
    await admin.post(`/donations/${id}/email-receipt`).expect(202);
    await until(async () => {
      const [row] = await sql<{ state: string }>(app, 'SELECT state FROM email WHERE donation_id = $1', [id]);
      return row?.state === state;
    }, `the e-mail ${state}`);
    return id;
  };

  it('a person who forgot the password gets a link by e-mail, chooses a new one, and signs out everywhere else', async () => {
    const { email } = await createAdmin(app);
    const other = await openDesk(browser, app, 'account', { account: email });
    const { page } = await openPage(browser, { viewport: SCREENS.hd });
    await page.goto(`${app.url}/admin`);
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Forgot your password?' }).click();
    expect(await lookAt(page, 'password-reset')).toEqual([]);
    await page.getByRole('button', { name: 'Send a link' }).click();
    await page.getByText('If an account has this address').waitFor();
    const link = () => /http\S+#reset=\S+/.exec(mail.to(email)[0]?.text ?? '')?.[0] ?? '';
    await until(() => link() !== '', 'the link');
    await page.goto('about:blank');
    await page.goto(link().replace(/^.*(?=\/admin#)/, app.url));
    await page.getByRole('heading', { name: 'New password' }).waitFor();
    expect(await page.evaluate('location.hash')).toBe('');
    for (const field of await page.locator('input[type=password]').all()) await field.fill(NEXT_PASSWORD);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('The new password is set').waitFor();
    await signIn(page, email, NEXT_PASSWORD);
    await other.page.reload();
    await other.page.getByRole('heading', { name: 'Sign in to the dashboard' }).waitFor();
    await signIn(other.page, email, NEXT_PASSWORD);
    await page.goto(`${app.url}/admin/account`);
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await page.getByRole('dialog').getByLabel('Password').fill(NEXT_PASSWORD);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('You are signed out everywhere else.').first().waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere else' }).waitFor({ state: 'detached' });
    await other.page.reload();
    await other.page.getByRole('heading', { name: 'Sign in to the dashboard' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Your sign-ins' }).waitFor();
    await Promise.all([page.context().close(), other.page.context().close()]);
  });

  it('failed and bounced e-mails show their error, can be sent again, and appear in the history of their donation', async () => {
    // The list shows only the e-mails of this test.
    await sql(app, 'DELETE FROM email');
    mail.mode = 550;
    const bounced = await receiptIn('bounced', 'Ada Lovelace', 'ada@example.org');
    mail.mode = 451;
    await receiptIn('failed', 'Grace Hopper', 'grace@example.org');
    mail.mode = 'accept';
    await receiptIn('sent', 'Émilie du Châtelet', 'emilie@example.org');

    const { page, problems } = await openDesk(browser, app, 'emails');
    const rows = page.locator('tbody .table__row');
    await until(async () => (await rows.count()) === 3, 'three e-mails');
    await page.getByRole('table').getByText('Bounced').waitFor();
    await page.getByText('is not wanted here now').first().waitFor();
    expect(await lookAt(page, 'emails-list')).toEqual([]);
    // The dashboard offers to send again only e-mails that were not sent.
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(2);

    // The review page lists each problem with the button that solves it.
    await page.goto(`${app.url}/admin/review`);
    await page.getByRole('heading', { name: 'An e-mail could not be delivered' }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(2);
    expect(await page.getByRole('button', { name: 'Mark as resolved' }).count()).toBe(2);
    expect(await lookAt(page, 'review-emails')).toEqual([]);

    await page.goto(`${app.url}/admin/emails`);
    await page.getByLabel('Status').selectOption('bounced');
    await until(async () => (await rows.count()) === 1, 'only what came back');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Will be sent again.').first().waitFor();
    await until(() => mail.to('ada@example.org').length === 1, 'the e-mail');
    await page.getByLabel('Status').selectOption('sent');
    await until(async () => (await rows.count()) === 2, 'what was sent');

    await page.goto(`${app.url}/admin/donations/${bounced}`);
    const story = page.getByRole('region', { name: 'E-mails' });
    await story.getByText('Receipt').waitFor();
    await story.getByText('Sent').waitFor();
    expect(await lookAt(page, 'donation-emails')).toEqual([]);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('a test e-mail arrives, or the dashboard shows the error of the mail server', async () => {
    const { page } = await openDesk(browser, app, 'settings/connections');
    await page.getByLabel('To', { exact: true }).fill('treasurer@example.org');
    await page.getByRole('button', { name: 'Send a test e-mail' }).click();
    await page.getByText('Sent to treasurer@example.org. Check that mailbox.').waitFor();
    expect(mail.to('treasurer@example.org')).toHaveLength(1);
    mail.mode = 550;
    await page.getByRole('button', { name: 'Send a test e-mail' }).click();
    await page.getByText('is not wanted here now').waitFor();
    expect(await lookAt(page, 'connections-mail')).toEqual([]);
    await page.context().close();
  });

  it('an uploaded logo appears at once and after saving; the dashboard explains why a file is refused', async () => {
    const { page, problems } = await openDesk(browser, app, 'settings/branding');
    const choose = (name: string, mimeType: string, buffer: Buffer) =>
      page.locator('input[type=file]').first().setInputFiles({ name, mimeType, buffer });
    const picture = sharp({
      create: { width: 400, height: 160, channels: 3, background: { r: 20, g: 90, b: 120 } },
    });
    const png = await picture.png().toBuffer();

    await choose('notes.pdf', 'application/pdf', Buffer.from('%PDF-1.7'));
    await page.getByText('The file is not a PNG, JPEG or WebP picture.').waitFor();
    await choose('large.png', 'image/png', Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)]));
    await page.getByText('That picture is larger than 5 MB.').waitFor();
    expect(await lookAt(page, 'logo-too-large')).toEqual([]);
    await choose('broken.png', 'image/png', Buffer.from('89504e470d0a1a0a00', 'hex'));
    await page.getByText('This file is damaged or is not a picture.').waitFor();
    const refusals = problems.splice(0);
    expect(refusals.every((problem) => problem.includes('400'))).toBe(true);

    await choose('logo.png', 'image/png', png);
    const stored = async () => (await page.locator('.image__box img').getAttribute('src')) ?? '';
    await page.locator('.image__box img').waitFor();
    const first = await stored();
    expect(first).toMatch(/^\/images\//);
    await choose('logo.jpg', 'image/jpeg', await picture.jpeg().toBuffer());
    await until(async () => (await stored()) !== first, 'the other picture');
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').first().waitFor();
    await page.reload();
    await page.locator('.image__box img').waitFor();
    expect(await stored()).toMatch(/^\/images\/[0-9a-f]{64}\.webp$/);
    expect(await page.getByText('/images/').count()).toBe(0);
    expect(
      await page.evaluate<number>(
        "document.querySelector('.image__box img').decode().then(() => document.querySelector('.image__box img').naturalWidth)",
      ),
    ).toBe(400);
    expect(await lookAt(page, 'logo-saved')).toEqual([]);
    await page.getByRole('button', { name: 'Remove the picture' }).click();
    expect(await page.getByLabel('Logo', { exact: true }).inputValue()).toBe('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').first().waitFor();
    const { body } = await admin.get('/settings/global').expect(200);
    expect(body.theme.assets.logo).toBeUndefined();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('a read without an answer shows an error after a while and can be repeated', async () => {
    const { page } = await openDesk(browser, app, 'tonight');
    let silent = true;
    await page.route(/\/emails\b/, async (route) => {
      if (!silent) await route.continue();
    });
    await page.getByRole('link', { name: 'E-mails' }).click();
    await page.getByText('The server did not answer. Check the connection.').waitFor({ timeout: 40_000 });
    silent = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('tbody .table__row').first().waitFor();
    await page.context().close();
  }, 90_000);

  /** The test removes these providers at its end, so that a second attempt starts without their files. */
  describe('own providers', () => {
    let own: PaymentsApp;
    let evening: EventFixture;

    beforeEach(async () => {
      own = await startPaymentsApp();
      evening = await createEvent(own, await adminToken(own));
    });
    afterEach(() => own.close());

    it('a provider check makes and cancels a payment, and explains a failure', async () => {
      const { page } = await openDesk(browser, own, 'settings/connections');
      const stripe = page.getByRole('listitem').filter({ hasText: 'Cards (Stripe)' });
      await stripe.getByRole('button', { name: 'Check now' }).click();
      await stripe.getByText('Working').waitFor();
      await page
        .getByRole('listitem')
        .filter({ hasText: 'PayPal' })
        .getByRole('button', { name: 'Check now' })
        .click();
      await page.getByRole('listitem').filter({ hasText: 'PayPal' }).getByText('Working').waitFor();
      expect(await lookAt(page, 'connections-ok')).toEqual([]);
      // From here, the signature of all webhook events uses another secret.
      own.sandbox.setDeliveryMode('manual');
      await sql(own, "UPDATE provider_health SET last_webhook_at = now() - interval '1 hour'");
      await own.http
        .post('/donations/cardprocessor/webhook')
        .set('stripe-signature', `t=${String(Math.round(Date.now() / 1000))},v1=${'0'.repeat(64)}`)
        .send('{}')
        .expect(400);
      await until(async () => {
        const refused = await sql(own, 'SELECT 1 FROM provider_health WHERE last_refused_at IS NOT NULL');
        return refused.length > 0;
      }, 'the refusal is written down');
      await stripe.getByRole('button', { name: 'Check now' }).click();
      await stripe.getByText('Webhook events are refused: the configured webhook secret or id').waitFor();
      expect(await lookAt(page, 'connections-refused')).toEqual([]);
      const tonight = await openDesk(browser, own, `tonight?event=${evening.slug}`);
      await tonight.page
        .getByText('Webhook events are refused: the configured webhook secret or id')
        .waitFor();
      expect(await lookAt(tonight.page, 'tonight-webhooks-refused')).toEqual([]);
      await tonight.page.context().close();
      await own.sandbox.close();
      await stripe.getByRole('button', { name: 'Check now' }).click();
      await stripe.getByText('Failing').waitFor();
      expect(await lookAt(page, 'connections-failing')).toEqual([]);
      await page.context().close();
    }, 180_000);
  });
});
