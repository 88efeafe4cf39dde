import { expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { launchBrowser } from '../support/browser.js';
import { lookAt, openDesk } from '../support/desk.js';
import { withOpened, withService } from '../support/setup.js';
import { describeWithChromium } from '../support/tools.js';

describeWithChromium('the currency of a new event', (executablePath) => {
  const browser = withOpened(() => launchBrowser(executablePath));
  const app = withService(() => startApp({}, { corsOrigins: ['*'] }));

  it('a currency is found by name, code and symbol, with the keyboard alone', async () => {
    const { page, problems } = await openDesk(browser, app, 'events?new=1');
    const dialog = page.getByRole('dialog');
    const currency = dialog.getByLabel('Currency', { exact: true });
    const search = dialog.getByLabel('Search currency');
    const offered = () => currency.locator('option').allInnerTexts();
    await search.fill('swiss');
    await dialog.getByText('In the list: Swiss Franc (CHF)').waitFor();
    // The chosen currency stays in the list.
    expect(await offered()).toEqual(['Euro (EUR)', 'Swiss Franc (CHF)']);
    expect(await lookAt(page, 'currency-search')).toEqual([]);
    await search.press('Enter');
    expect(await currency.inputValue()).toBe('chf');
    await search.fill('sek');
    expect(await currency.inputValue()).toBe('sek');
    await search.fill('£');
    await dialog.getByText(/In the list: .*British Pound \(GBP\)/).waitFor();
    await search.fill('no such currency');
    await dialog.getByText('In the list: No matches').waitFor();
    await search.press('Enter');
    expect(await currency.inputValue()).toBe('sek');
    // Enter in the search did not send the form.
    expect(await dialog.isVisible()).toBe(true);
    expect(problems).toEqual([]);
  });
});
