import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

/** A browser with a profile on the disk. A test can kill and restart it, like a tablet with an empty battery. */
export class OwnBrowser {
  private readonly profile = mkdtempSync(join(tmpdir(), 'pos-profile-'));
  private child: ChildProcess | undefined;
  private browser: Browser | undefined;

  constructor(private readonly executablePath: string) {}

  get isRunning(): boolean {
    return this.child !== undefined;
  }

  async start(): Promise<BrowserContext> {
    const child = spawn(
      this.executablePath,
      [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--remote-debugging-port=0',
        `--user-data-dir=${this.profile}`,
        'about:blank',
      ],
      // The browser has its own process group, so that a kill ends all its processes.
      { detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.child = child;
    this.browser = await chromium.connectOverCDP(await debuggingAddress(child));
    const [context] = this.browser.contexts();
    if (!context) throw new Error('The browser has no context');
    return context;
  }

  /** Kills all processes of the browser at once. */
  async kill(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child?.pid === undefined || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await exited;
    await this.browser?.close().catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function debuggingAddress(child: ChildProcess): Promise<string> {
  let printed = '';
  for await (const part of child.stderr as AsyncIterable<Buffer>) {
    printed += part.toString();
    const [, address] = /DevTools listening on (ws:\S+)/.exec(printed) ?? [];
    if (address !== undefined) {
      // Reads and ignores the later output, because a full pipe would stop the browser.
      child.stderr?.resume();
      return address;
    }
  }
  throw new Error(`The browser did not start:\n${printed}`);
}
