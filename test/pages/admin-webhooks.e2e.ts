import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { WebhookEndpointList } from '../../src/webhooks/dto/webhook-endpoint.dto.js';
import { startApp } from '../support/app.js';
import { launchBrowser, takePicture } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { withEvent, withOpened, withStaff } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';
import { until } from '../support/until.js';
import { accepts, answers, Webhook, WebhookReceiver, withTimes } from '../support/webhook-receiver.js';

describeWithChromium('webhooks in the dashboard', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const receiver = withOpened(() => WebhookReceiver.start());
  const evening = withEvent({ start: () => startApp({}, withTimes()) });
  const { app, admin, event } = evening;
  const staff = withStaff(evening);
  const give = (amount: number) =>
    staff.post('/donations', { type: 'cash', amount }).set('Idempotency-Key', randomUUID()).expect(201);

  it('an admin adds an endpoint, tests it, sends a failed message again, makes a new secret and deletes it', async () => {
    const { page, problems } = await openDesk(browser, app, 'settings/connections');
    await page.getByText('Other systems can get a signed message').waitFor();
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    const add = page.getByRole('dialog', { name: 'Add endpoint' });
    await add.getByLabel('URL').fill(receiver.url);
    await add.getByLabel('Description').fill('Accounting');
    await add.getByLabel('donation.completed').check();
    await add.getByLabel('Event', { exact: true }).selectOption(event.id);
    await takePicture(page, 'admin-webhooks-add');
    expect(await lookAt(page, 'webhooks-add')).toEqual([]);
    await add.getByRole('button', { name: 'Save' }).click();
    page.setDefaultTimeout(8_000);
    const shown = page.getByRole('dialog', { name: 'New secret' });
    const secret = await shown.getByRole('textbox').inputValue();
    await page.keyboard.press('Escape');
    await shown.waitFor({ state: 'detached' });

    const list = (await admin.get('/webhook-endpoints').expect(200)).body as WebhookEndpointList;
    expect(list.data).toMatchObject([{ topics: ['donation.completed'], eventIds: [event.id] }]);
    receiver.behaviour = answers(500, {}, 'out of order');
    await give(2_500);
    await until(() => receiver.received.length >= 5, 'the attempts');
    const [first] = receiver.received;
    expect(new Webhook(secret).verify(first?.text ?? '', first?.headers ?? {})).toMatchObject({
      type: 'donation.completed',
    });
    await takePicture(page, 'admin-webhooks-list');
    await page.getByRole('listitem').filter({ hasText: 'Accounting' }).getByRole('button').click();
    const sheet = page.getByRole('dialog', { name: 'Accounting' });
    await sheet.getByText('Status 500: out of order').first().waitFor();
    expect(await lookAt(page, 'webhooks-failed')).toEqual([]);
    receiver.behaviour = accepts;
    await sheet.getByRole('button', { name: 'Send test' }).click();
    await page
      .getByText(/Answer 204 after \d+ ms/)
      .first()
      .waitFor();
    await sheet.getByRole('button', { name: 'Send again' }).click();
    await until(() => receiver.ofType('donation.completed').length === 6, 'the repeated message');
    await sheet.getByRole('button', { name: 'Pause' }).click();
    await sheet.getByRole('button', { name: 'Enable from now on' }).click();
    await sheet.getByRole('button', { name: 'New secret' }).click();
    const next = page.getByRole('dialog', { name: 'New secret' });
    expect(await next.getByRole('textbox').inputValue()).not.toBe(secret);
    await page.keyboard.press('Escape');
    await next.waitFor({ state: 'detached' });
    await sheet.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Other systems can get a signed message').waitFor();
    expect(problems).toEqual([]);
  });
});
