import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { PayPalSandbox } from '../paypal/sandbox.js';
import type { StripeSandbox } from '../stripe/sandbox.js';

interface Saved {
  version: 1;
  stripe: ReturnType<StripeSandbox['snapshot']>;
  paypal: ReturnType<PayPalSandbox['snapshot']>;
}

/** Saves both accounts in a file, so that a restarted sandbox still knows its payments. */
export class Storage {
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: string,
    private readonly stripe: StripeSandbox,
    private readonly paypal: PayPalSandbox,
  ) {}

  /** Loads the file. A missing file is ignored; an unreadable file is an error. */
  async load(): Promise<void> {
    let text: string;
    try {
      text = await readFile(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    const saved = JSON.parse(text) as Saved;
    this.stripe.restore(saved.stripe);
    this.paypal.restore(saved.paypal);
  }

  /** Saves the state after 200 ms, and only once for several calls in this time. */
  touch(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.save();
    }, 200);
  }

  async save(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.write());
    await this.writing;
  }

  private async write(): Promise<void> {
    const saved: Saved = { version: 1, stripe: this.stripe.snapshot(), paypal: this.paypal.snapshot() };
    await mkdir(dirname(this.file), { recursive: true });
    await writeFile(`${this.file}.new`, JSON.stringify(saved), { mode: 0o600 });
    await rename(`${this.file}.new`, this.file);
  }
}
