import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chromium, type Browser, type Page } from 'playwright-core';
import { describeWithChromium } from '../../test/support/tools.js';
import type { Sandbox } from '../server/sandbox.js';
import { startTestSandbox } from '../testing/clients.js';

/**
 * A donation page with Stripe's official loader and a strict content security policy. The test replaces the script of
 * `js.stripe.com` with the sandbox's script.
 */
const PAGE = `<!doctype html><html lang="en"><title>Donate</title>
<div id="payment"></div><button id="give">Give</button><p id="result"></p>
<script type="module" src="/page.js"></script></html>`;

const SCRIPT = `
import { loadStripe } from '/loader.js';
const secret = new URLSearchParams(location.search).get('secret');
const result = document.querySelector('#result');
const stripe = await loadStripe('pk_test_sandbox');
const elements = stripe.elements({ clientSecret: secret });
const payment = elements.create('payment');
payment.on('ready', () => { document.body.dataset.ready = 'yes'; });
payment.mount('#payment');
document.querySelector('#give').addEventListener('click', async () => {
  const confirmParams = { return_url: location.origin + '/thanks' };
  const { error, paymentIntent } = await stripe.confirmPayment({ elements, confirmParams, redirect: 'if_required' });
  result.textContent = error ? error.message : paymentIntent.status;
});`;

describeWithChromium('the stand-in for Stripe.js, in a browser', (executablePath) => {
  let sandbox: Sandbox;
  let server: Server;
  let browser: Browser;
  let origin: string;
  const problems: string[] = [];

  beforeAll(async () => {
    sandbox = await startTestSandbox();
    const loader = readFileSync('node_modules/@stripe/stripe-js/dist/index.mjs', 'utf8');
    const policy = `default-src 'none'; script-src 'self' https://js.stripe.com; connect-src ${sandbox.url}`;
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://page');
      const text = pathname === '/page.js' ? SCRIPT : pathname === '/loader.js' ? loader : PAGE;
      const type = pathname.endsWith('.js') ? 'text/javascript' : 'text/html';
      response.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  }, 60_000);

  afterAll(async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
    await sandbox.close();
  });

  const open = async (): Promise<{ page: Page; id: string }> => {
    const { id, client_secret: secret } = sandbox.stripe.createIntent({ amount: 2500, currency: 'eur' });
    const page = await browser.newPage();
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.route('https://js.stripe.com/**', async (route) => {
      const body = await (await fetch(`${sandbox.url}/stripe.js`)).text();
      await route.fulfill({ contentType: 'text/javascript', body });
    });
    await page.goto(`${origin}/?secret=${secret}`);
    await page.waitForSelector('body[data-ready=yes]');
    return { page, id };
  };
  const pay = async (page: Page, number: string) => {
    await page.getByLabel('Card number').fill(number);
    await page.getByLabel('Expiration date').fill('12 / 34');
    await page.getByLabel('Security code').fill('123');
    await page.getByRole('button', { name: 'Give' }).click();
  };
  const result = (page: Page, text: string) => page.locator('#result', { hasText: text }).waitFor();

  it('pays without violating the content security policy', async () => {
    const { page, id } = await open();
    await pay(page, '4242 4242 4242 4242');
    await result(page, 'succeeded');
    expect(sandbox.stripe.intent(id).amount_received).toBe(2500);
    expect(problems).toEqual([]);
    await page.close();
  });

  it('reports missing fields, declines, keeps the input, and pays with another card', async () => {
    const { page, id } = await open();
    await page.getByRole('button', { name: 'Give' }).click();
    await result(page, 'incomplete');
    await pay(page, '4000 0000 0000 0002');
    await result(page, 'declined');
    expect(await page.getByLabel('Security code').inputValue()).toBe('123');
    await pay(page, '4000 0000 0000 1000');
    await result(page, 'processing');
    expect(sandbox.stripe.intent(id).status).toBe('processing');
    await page.close();
  });

  it('confirms an intent again with another card while the bank waits for the donor', async () => {
    const { page, id } = await open();
    await pay(page, '4000 0027 6000 3184');
    await page.getByRole('button', { name: 'Authorize the payment' }).waitFor();
    expect(sandbox.stripe.intent(id).status).toBe('requires_action');
    await page.goBack();
    await page.waitForSelector('body[data-ready=yes]');
    await pay(page, '4242 4242 4242 4242');
    await result(page, 'succeeded');
    await page.goto(`${sandbox.url}/3ds/${id}`);
    await page.getByText('This payment is succeeded').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    await page.close();
  });

  it('redirects to 3-D Secure and back', async () => {
    const { page, id } = await open();
    await pay(page, '4000 0027 6000 3184');
    await page.getByRole('button', { name: 'Authorize the payment' }).click();
    await page.waitForURL('**/thanks?*');
    expect(new URL(page.url()).searchParams.get('redirect_status')).toBe('succeeded');
    expect(sandbox.stripe.intent(id).status).toBe('succeeded');
    await page.close();
  });
});
