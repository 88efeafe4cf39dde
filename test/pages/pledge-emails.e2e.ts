import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { sql } from '../support/fixtures.js';
import { accessibilityProblems, launchBrowser, openPage, SCREENS, takePicture } from '../support/browser.js';
import { lookAt, openDesk, saved } from '../support/desk.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { noon, pledgeSchedule, recordPledge, someAddress } from '../support/pledges.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';

describeWithChromium('e-mails about pledges, in a browser', (executablePath) => {
  const mail = withOpened(() => MailServer.start());
  const { app, admin, event } = withEvent({
    start: () => startPaymentsApp(mail.environment, { corsOrigins: ['*'], mailTimes: FAST_MAIL }),
    fields: { name: 'Winter Gala', slug: 'winter-gala' },
  });
  const browser = withOpened(() => launchBrowser(executablePath));
  const schedule = pledgeSchedule(app);
  const pledge = (fields: object) => recordPledge(admin, { eventId: event.id, ...fields });

  beforeAll(async () => {
    await admin
      .patch('/settings/global', {
        organization: 'Haus am See',
        locales: { default: 'en', supported: ['en', 'de'] },
      })
      .expect(200);
  });

  /** Takes pictures of a page of the donor on a phone and a large screen, light and dark. */
  async function look(page: Page, name: string): Promise<void> {
    const landmarks = name === 'email' ? { landmarks: [] } : {};
    for (const [screen, colorScheme] of [
      ['phone', 'light'],
      ['hd', 'dark'],
    ] as const) {
      await page.setViewportSize(SCREENS[screen]);
      await page.emulateMedia({ colorScheme });
      await takePicture(page, `pledge-${name}-${screen}-${colorScheme}`);
      expect({ name, problems: await accessibilityProblems(page, landmarks) }).toEqual({
        name,
        problems: [],
      });
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
  }
  const linksOf = (to: string) =>
    [...(mail.to(to).at(-1)?.text ?? '').matchAll(/http\S+\/pledge\/\S+/g)].map(
      ([link]) => `${app.url}${new URL(link).pathname}`,
    );
  const statusesOf = async (donorEmail: string) =>
    (
      await sql<{ status: string }>(app, 'SELECT status FROM donation WHERE donor_email = $1 ORDER BY id', [
        donorEmail,
      ])
    ).map(({ status }) => status);

  it('a donor opens the link of an e-mail, and withdraws one of two pledges with two clicks', async () => {
    const to = someAddress();
    await pledge({ donorEmail: to });
    await pledge({ donorEmail: to, amount: 20_000 });
    await schedule.thankAfter();
    await until(() => mail.to(to).length === 1, 'the thanks');
    const [withdraw = '', unsubscribe = ''] = linksOf(to);
    const { page, problems } = await openPage(browser);
    await page.setContent(mail.to(to)[0]?.html ?? '');
    await look(page, 'email');
    await page.goto(withdraw);
    await page.getByRole('heading', { name: 'Withdraw your pledge?' }).waitFor();
    await look(page, 'withdraw');
    await page.getByLabel(/€500/).uncheck();
    await page.getByLabel(/Reason/).selectOption('My situation has changed');
    await page.getByRole('button', { name: 'Withdraw these pledges' }).click();
    await page.getByRole('heading', { name: 'Your pledge is withdrawn' }).waitFor();
    await look(page, 'withdrawn');
    expect(await statusesOf(to)).toEqual(['PENDING', 'CANCELLED']);
    await page.goto(unsubscribe);
    await look(page, 'unsubscribe');
    await page.getByRole('button', { name: 'Stop these e-mails' }).click();
    await page.getByText('sends no more e-mails about pledges to your address').waitFor();
    await page.goto(`${app.url}/pledge/wrong`);
    await look(page, 'unknown');
    expect(problems).toEqual([expect.stringContaining('404')]);
    await page.context().close();
  });

  it('the page of a donor with one pledge is in German, and works without JavaScript', async () => {
    const to = someAddress();
    const id = await pledge({ donorEmail: to });
    await sql(app, "UPDATE donation SET locale = 'de' WHERE id = $1", [id]);
    await schedule.thankAfter();
    await until(() => mail.to(to).length === 1, 'the thanks');
    const { page, problems } = await openPage(browser, { javaScriptEnabled: false });
    await page.goto(linksOf(to)[0] ?? '');
    await page.getByRole('heading', { name: 'Zusage zurückziehen?' }).waitFor();
    await takePicture(page, 'pledge-withdraw-de');
    await page.getByRole('button', { name: 'Zusage zurückziehen' }).click();
    await page.getByRole('heading', { name: 'Ihre Zusage ist zurückgezogen' }).waitFor();
    expect(await statusesOf(to)).toEqual(['CANCELLED']);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('the dashboard shows the last contact of each open pledge, and writes letters', async () => {
    await sql(app, "UPDATE donation SET status = 'CANCELLED' WHERE status = 'PENDING'");
    const [ada, grace] = [someAddress(), someAddress()];
    await pledge({ donorName: 'Ada Lovelace', donorEmail: ada, amount: 90_000 });
    const silent = await pledge({ donorName: 'Grace Hopper', donorEmail: grace, amount: 80_000 });
    await pledge({ donorName: 'Emmy Noether', amount: 70_000, paddle: '117' });
    const paid = await pledge({ donorName: 'Leonhard Euler', amount: 160_000 });
    await admin.post(`/donations/${paid}/fulfil`, { type: 'cash' }).expect(200);
    await schedule.thankAfter();
    await until(() => mail.to(ada).length === 1 && mail.to(grace).length === 1, 'the thanks');
    await sql(app, 'INSERT INTO pledge_opt_out SELECT donor_key FROM donation WHERE id = $1', [silent]);
    const { page, problems } = await openDesk(browser, app, `donations?event=${event.slug}&type=pledge`);
    await page.getByRole('button', { name: 'Collect pledges' }).click();
    const list = page.getByRole('dialog', { name: 'Unpaid pledges' });
    await list.getByText(new RegExp(`${ada} · Thanks for pledge · `)).waitFor();
    await list.getByText('Wants no e-mails about pledges · Thanks for pledge').waitFor();
    await list.getByText('No e-mail address').waitFor();
    await list.getByLabel('Select all').check();
    expect(await lookAt(page, 'pledge-contacts')).toEqual([]);
    const { download, bytes } = await saved(page, () =>
      list.getByRole('button', { name: 'Letters (PDF)' }).click(),
    );
    expect(download.suggestedFilename()).toBe('pledge-letters.pdf');
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    await list.getByText(/No e-mail address · Letter · /).waitFor();

    schedule.set(new Date(noon(1).getTime() + 10 * 3_600_000));
    await list.getByRole('button', { name: 'Send reminders' }).click();
    await page
      .getByRole('dialog', { name: 'Send 3 reminders?' })
      .getByRole('button', { name: 'Send reminders' })
      .click();
    await page
      .getByText(/It is late at the event/)
      .first()
      .waitFor();
    await list.getByText('Wants no e-mails about pledges').waitFor();
    await page.goto(`${app.url}/admin/closing?event=${event.slug}`);
    const money = page.getByRole('region', { name: 'Pledge money received' });
    await money.getByText('€1,600 of €').waitFor();
    await money.getByText('Pledges older than 30 days: not known yet').waitFor();
    expect(await lookAt(page, 'pledge-money')).toEqual([]);
    await page.goto(`${app.url}/admin/tonight?event=${event.slug}`);
    await money.getByText('€1,600 of €').waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('an admin changes the days of the reminders and turns the e-mails of an event off', async () => {
    const { page, problems } = await openDesk(browser, app, `settings/donating?event=${event.slug}`);
    const days = page.getByLabel('Reminders after … days');
    await days.fill('2, 2');
    await page.getByText('At most five different whole numbers from 1 to 120').waitFor();
    await days.fill('14, 3');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').first().waitFor();
    const stored = async () =>
      ((await admin.get(`/events/${event.id}/settings`).expect(200)).body as { pledges: object }).pledges;
    expect(await stored()).toEqual({ emails: true, reminderDays: [3, 14] });
    expect(await lookAt(page, 'pledge-settings')).toEqual([]);
    await page.getByLabel('Send e-mails about unpaid pledges').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await until(async () => JSON.stringify(await stored()).includes('false'), 'the setting');
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
