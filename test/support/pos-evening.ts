/// <reference lib="dom" />
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import supertest from 'supertest';
import type { TestApp } from './app.js';
import { type CuttableProxy, startCuttableProxy } from './cuttable-proxy.js';
import { createTestDatabase } from './database.js';
import {
  adminToken,
  createEvent,
  createStaff,
  type EventFixture,
  sql,
  type StaffFixture,
} from './fixtures.js';
import { OwnBrowser } from './own-browser.js';
import { allSent, type KindName, record, signIn } from './pos.js';
import { type ServerProcess, startServerProcess } from './process.js';
import { freePort } from './redis.js';

/** A record that the terminal showed to a volunteer, or that the database contains. */
export interface Noted {
  readonly amount: number;
  readonly type: string;
}

export interface EveningPlan {
  readonly records: number;
  readonly seed: number;
  readonly executablePath: string;
}

export interface EveningResult {
  /** The records that the terminal showed, by idempotency key. */
  readonly shown: ReadonlyMap<string, Noted>;
  /** The records in the database, by idempotency key; a donation without a terminal key has `*` and a number. */
  readonly booked: ReadonlyMap<string, Noted>;
  readonly cuts: number;
  readonly hangs: number;
  readonly serverKills: number;
  readonly browserKills: number;
  readonly reloads: number;
  readonly seconds: number;
}

const KINDS: readonly KindName[] = ['cash', 'card_terminal', 'check', 'bank_transfer', 'pledge', 'other'];

/**
 * A volunteer records donations while the network, server and browser fail at random moments. After a restart, the volunteer
 * looks at the last shown record, and enters a missing record again.
 */
export class Evening {
  private readonly shown = new Map<string, Noted>();
  private readonly counts = { cuts: 0, hangs: 0, serverKills: 0, browserKills: 0, reloads: 0 };
  private readonly random: () => number;
  private readonly browser: OwnBrowser;
  private page: Page | undefined;
  private chaosEnds = false;

  private constructor(
    private readonly plan: EveningPlan,
    private readonly database: Awaited<ReturnType<typeof createTestDatabase>>,
    private readonly port: string,
    private server: ServerProcess,
    private readonly proxy: CuttableProxy,
    private readonly event: EventFixture,
    private readonly volunteer: StaffFixture,
  ) {
    this.random = seeded(plan.seed);
    this.browser = new OwnBrowser(plan.executablePath);
  }

  static async play(plan: EveningPlan): Promise<EveningResult> {
    const database = await createTestDatabase();
    const port = String(await freePort());
    const server = await startServerProcess({ DATABASE_URL: database.url, PORT: port });
    const proxy = await startCuttableProxy(server.url);
    const http = supertest.agent(server.url);
    const app = { url: server.url, databaseUrl: database.url, http } as unknown as TestApp;
    const admin = await adminToken(app);
    const event = await createEvent(app, admin);
    const volunteer = await createStaff(app, admin, event.id);
    const evening = new Evening(plan, database, port, server, proxy, event, volunteer);
    try {
      return await evening.run();
    } finally {
      await evening.end();
    }
  }

  private async run(): Promise<EveningResult> {
    const begin = Date.now();
    await this.openPage();
    await signIn(this.ready, this.volunteer, this.event.slug);
    // From this point, the page can start without a network.
    await this.ready.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    const chaos = this.chaos();
    for (let index = 0; index < this.plan.records; index += 1) {
      await this.recordOne(this.between(1, 99_999), this.pick(KINDS));
      await sleep(this.between(0, 120));
    }
    this.chaosEnds = true;
    await chaos;
    if (!this.browser.isRunning) await this.openPage();
    await allSent(this.ready, 240_000);
    const seconds = Math.round((Date.now() - begin) / 1_000);
    return { shown: this.shown, booked: await this.booked(), ...this.counts, seconds };
  }

  private async end(): Promise<void> {
    this.chaosEnds = true;
    await this.browser.close();
    await this.proxy.close();
    await this.server.stop();
    await this.database.drop();
  }

  private async recordOne(amount: number, type: KindName): Promise<void> {
    const typed = `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
    for (let attempt = 0; attempt < 20; attempt += 1) {
      try {
        if (!this.browser.isRunning) await this.openPage();
        const key = await record(this.ready, typed, type);
        // A reload may remove digits while the volunteer types. So the test uses the amount that the terminal shows.
        const shown = await this.ready.getAttribute(`.last[data-key="${key}"]`, 'data-amount');
        this.shown.set(key, { amount: Number(shown), type });
        return;
      } catch (error) {
        // The volunteer waits for the page, and checks whether the page shows the last entry.
        let last = await this.lastAfterTrouble(error);
        for (let look = 0; last === 'not visible' && look < 10; look += 1)
          last = await this.lastAfterTrouble(error);
        if (typeof last === 'object' && !this.shown.has(last.key)) {
          this.shown.set(last.key, { amount: last.amount, type });
          return;
        }
      }
    }
    throw new Error('The terminal did not come back');
  }

  /** Opens the page again. Returns its last record, or undefined if there is none. */
  private async lastAfterTrouble(
    error: unknown,
  ): Promise<{ key: string; amount: number } | 'not visible' | undefined> {
    try {
      if (!this.browser.isRunning) await this.openPage();
      await this.ready.waitForSelector('html[data-ready] .pos', { timeout: 20_000 });
      // Deletes a half-typed entry, as after a restart.
      await this.ready.keyboard.press('Escape');
      const [key, amount] = await this.ready.evaluate<[string, number]>(
        `(({ dataset }) => [dataset.key, Number(dataset.amount)])(document.querySelector('.last'))`,
      );
      return { key, amount };
    } catch (again) {
      if (String(again).includes('of null')) return undefined;
      // These errors mean that the browser was killed again or that the page is still loading.
      if (this.browser.isRunning && !/closed|destroyed|ERR_ABORTED|Timeout/.test(String(again)))
        throw new Error(String(error), { cause: again });
      return 'not visible';
    }
  }

  private async openPage(): Promise<void> {
    const context = await this.browser.start();
    const page = context.pages()[0] ?? (await context.newPage());
    page.setDefaultTimeout(20_000);
    this.page = page;
    await page.goto(new URL('/pos', this.proxy.url).href);
    await page.waitForSelector('html[data-ready]');
  }

  private get ready(): Page {
    if (!this.page) throw new Error('No page is open');
    return this.page;
  }

  /** Causes failures at random moments until the evening ends, and then ends all failures. */
  private async chaos(): Promise<void> {
    const acts = [
      ...Array.from({ length: 5 }, () => () => this.cut()),
      ...Array.from({ length: 2 }, () => () => this.hang()),
      ...Array.from({ length: 2 }, () => () => this.killServer()),
      ...Array.from({ length: 2 }, () => () => this.killBrowser()),
      () => this.reload(),
    ];
    while (!this.chaosEnds) {
      await sleep(this.between(100, 1_200));
      await this.pick(acts)();
    }
  }

  private async cut(): Promise<void> {
    this.counts.cuts += 1;
    await this.proxy.cut();
    await sleep(this.between(50, 2_500));
    await this.proxy.mend();
  }

  private async hang(): Promise<void> {
    this.counts.hangs += 1;
    this.proxy.hang();
    await sleep(this.between(50, 2_500));
    await this.proxy.mend();
  }

  private async killServer(): Promise<void> {
    this.counts.serverKills += 1;
    await this.server.kill('SIGKILL');
    this.server = await startServerProcess({ DATABASE_URL: this.database.url, PORT: this.port });
  }

  private async killBrowser(): Promise<void> {
    if (!this.browser.isRunning) return;
    this.counts.browserKills += 1;
    await this.browser.kill();
  }

  private async reload(): Promise<void> {
    this.counts.reloads += 1;
    await this.page?.reload().catch(() => undefined);
  }

  private async booked(): Promise<Map<string, Noted>> {
    const rows = await sql<{ key: string | null; amount: string; type: string }>(
      { databaseUrl: this.database.url },
      `SELECT k.key, d.amount, d.type::text AS type FROM donation d
       LEFT JOIN idempotency_key k ON k.donation_id = d.id AND k.scope = 'record'
       WHERE d.event_id = $1`,
      [this.event.id],
    );
    return new Map(
      rows.map(({ key, amount, type }, index) => [key ?? `*${index}`, { amount: Number(amount), type }]),
    );
  }

  private between(least: number, most: number): number {
    return Math.floor(least + this.random() * (most - least + 1));
  }

  private pick<T>(choices: readonly T[]): T {
    return choices[this.between(0, choices.length - 1)] as T;
  }
}

/** Mulberry32: returns the same random numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
