/// <reference lib="dom" />
import type { Browser, Page } from 'playwright-core';
import { openPage, type PageOptions, SCREENS } from './browser.js';
import type { TestApp } from './app.js';
import { createEvent, createStaff, type EventFixture, sql, type StaffFixture } from './fixtures.js';
import { withMade } from './setup.js';
import { afterEach, beforeAll, expect } from '@jest/globals';

/** The English labels of the buttons on the terminal. */
export const KIND_NAMES = {
  cash: 'Cash',
  check: 'Cheque',
  card_terminal: 'Card terminal',
  bank_transfer: 'Bank transfer',
  pledge: 'Pledge',
  other: 'Other',
} as const;
export type KindName = keyof typeof KIND_NAMES;

export interface OpenTill {
  readonly page: Page;
  readonly problems: string[];
}

/** Opens a terminal in a new browser context, before the sign-in. */
export async function openTill(browser: Browser, url: string, options: PageOptions = {}): Promise<OpenTill> {
  const till = await openPage(browser, { viewport: SCREENS.phone, ...options });
  await till.page.goto(`${url}/pos`);
  await till.page.waitForSelector('html[data-ready]');
  return till;
}

/** Signs a member in with the keyboard in the PIN field. */
export async function signIn(page: Page, member: Pick<StaffFixture, 'code'>, slug?: string): Promise<void> {
  if (slug !== undefined) {
    await page.waitForSelector(`.sign-in option[value="${slug}"]`, { state: 'attached' });
    await page.selectOption('.sign-in select', slug);
  }
  await page.fill('.pin__input', member.code);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.pos');
}

/**
 * Enters an amount such as `12.50` and a kind, and records. Resolves to the key when the terminal shows the record as saved.
 */
export async function record(page: Page, amount: string, kind: KindName): Promise<string> {
  const before = await lastKey(page);
  for (const key of amount) await page.keyboard.press(key === '.' ? 'Period' : `Digit${key}`);
  await page.click(`.kind:has(input[value="${kind}"])`);
  await page.click('.button--record');
  await page.waitForSelector(`.last:not([data-key="${before ?? ''}"])`);
  return (await lastKey(page)) ?? '';
}

const lastKey = async (page: Page): Promise<string | null> =>
  await page.evaluate<string | null>(`document.querySelector('.last')?.dataset.key ?? null`);

/** Waits until the terminal has sent all records. */
export const allSent = (page: Page, timeout = 30_000) =>
  page.waitForSelector('.pill[data-waiting="0"]', { timeout });

export const goTo = (page: Page, screen: 'Take' | 'History' | 'Paddles' | 'Shift' | 'More') =>
  page.click(`.nav__item:has(span:text-is("${screen}"))`);

/**
 * Messages of the browser about failed requests and connections, and about 404 and 401. The page itself shows these problems.
 */
const NETWORK = /^(Failed to load resource|WebSocket connection to )/;

/** A donation in the database. */
export interface BookedRecord {
  readonly amount: number;
  readonly currency: string;
  readonly type: string;
  readonly status: string;
  readonly staff_name: string;
  readonly donor_name: string | null;
  readonly paddle: string | null;
}

export interface Beginning {
  readonly event?: Record<string, unknown>;
  /** Changed settings of the event. */
  readonly donation?: object;
  readonly options?: PageOptions;
}

/** The terminals of a test and their event. After the test, they are closed and their problems are checked. */
export class Tills {
  private open: OpenTill[] = [];
  private at: { readonly event: EventFixture; readonly maria: StaffFixture } | undefined;

  /** @param url address of the service for the terminals, if it differs from the app's address */
  constructor(
    private readonly app: TestApp,
    private readonly admin: string,
    private readonly browser: Browser,
    private readonly url = app.url,
  ) {}

  get event(): EventFixture {
    return this.now.event;
  }

  get maria(): StaffFixture {
    return this.now.maria;
  }

  /** Opens a terminal before the sign-in. */
  async visit(options: PageOptions = {}): Promise<Page> {
    const till = await openTill(this.browser, this.url, options);
    this.open.push(till);
    return till.page;
  }

  /** Creates an event with the staff member Maria. */
  async prepare({ event: fields = {}, donation }: Beginning = {}): Promise<void> {
    const event = await createEvent(this.app, this.admin, { name: 'Winter Gala', ...fields });
    const maria = await createStaff(this.app, this.admin, event.id, 'Maria Lopez');
    this.at = { event, maria };
    if (donation) await this.patch(`/events/${event.id}/settings`, { donation });
  }

  /** Opens a terminal with Maria at a new event. From now on the page can start without a network. */
  async begin(beginning: Beginning = {}): Promise<Page> {
    await this.prepare(beginning);
    const page = await this.visit(beginning.options);
    await signIn(page, this.maria, this.event.slug);
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    return page;
  }

  colleague(name: string): Promise<StaffFixture> {
    return createStaff(this.app, this.admin, this.event.id, name);
  }

  /** Ends Maria's session. She may sign in again. */
  async endSession(): Promise<void> {
    const assignment = `/events/${this.event.id}/staff/${this.maria.id}`;
    await this.app.http.delete(assignment).auth(this.admin, { type: 'bearer' }).expect(200);
    await this.app.http.post(assignment).auth(this.admin, { type: 'bearer' }).expect(201);
  }

  async patch(path: string, body: object): Promise<void> {
    await this.app.http.patch(path).auth(this.admin, { type: 'bearer' }).send(body).expect(200);
  }

  /** Returns the donations of the event, in the order of recording. */
  async booked(): Promise<BookedRecord[]> {
    const rows = await sql<Omit<BookedRecord, 'amount'> & { amount: string }>(
      this.app,
      `SELECT amount, currency, type::text, status::text, staff_name, donor_name, paddle FROM donation
       WHERE event_id = $1 ORDER BY coalesce(recorded_at, created_at), id`,
      [this.event.id],
    );
    return rows.map((row) => ({ ...row, amount: Number(row.amount) }));
  }

  async amounts(): Promise<number[]> {
    return (await this.booked()).map(({ amount }) => amount);
  }

  /** @returns the problems of the pages, without failed requests */
  async close(): Promise<string[]> {
    const problems = this.open.flatMap((one) => one.problems);
    await Promise.all(this.open.map(({ page }) => page.context().close()));
    this.open = [];
    return problems.filter((problem) => !NETWORK.test(problem));
  }

  private get now() {
    if (!this.at) throw new Error('No event was prepared');
    return this.at;
  }
}

/** Waits until this number of records wait on a terminal. */
export const waits = (page: Page, count: number) => page.waitForSelector(`.pill[data-waiting="${count}"]`);

/**
 * Opens the terminals of each test. After the test, closes and checks them. `address` is the service's address; by default,
 * the app's.
 */
export function withTills(
  app: TestApp,
  admin: { readonly token: string },
  browser: Browser,
  address: () => string = () => app.url,
): Tills {
  const tills = withMade(() => new Tills(app, admin.token, browser, address()), beforeAll);
  afterEach(async () => {
    expect(await tills.close()).toEqual([]);
  });
  return tills;
}
