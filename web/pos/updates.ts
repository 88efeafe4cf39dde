import { model } from './model.js';
import { Value } from './value.js';

const LOOK_EVERY_MS = 15 * 60_000;
const WORKER = '/pos/service-worker.js';
const SCOPE = '/pos';

/** Brings a new version of the page in when nobody is disturbed and nothing waits. */
export class Updates {
  /** Whether a new version lies ready. */
  readonly ready = new Value(false);
  private registration: ServiceWorkerRegistration | undefined;
  private applying = false;

  /**
   * @param mayRestart whether nothing waits and nobody is in the middle of something
   * @param mayRestartAtStart the same when the page has just been opened: what waits is on the disk
   */
  constructor(
    private readonly mayRestart: () => boolean,
    private readonly mayRestartAtStart: () => boolean,
  ) {}

  async start(): Promise<void> {
    if (!('serviceWorker' in navigator)) return;
    const workers = navigator.serviceWorker;
    let controlled = workers.controller !== null;
    workers.addEventListener('controllerchange', () => {
      // The first worker of all takes over the page that brought it: that is no other version.
      if (!controlled) {
        controlled = true;
        return;
      }
      if (this.applying || this.mayRestart()) location.reload();
      else this.ready.set(true);
    });
    const registration = await workers.register(WORKER, { scope: SCOPE, updateViaCache: 'none' });
    this.registration = registration;
    if (registration.waiting && controlled) {
      if (this.mayRestartAtStart()) this.apply();
      else this.ready.set(true);
    }
    registration.addEventListener('updatefound', () => {
      const { installing } = registration;
      installing?.addEventListener('statechange', () => {
        if (installing.state === 'installed' && workers.controller) this.offer();
      });
    });
    setInterval(() => this.look(), LOOK_EVERY_MS);
  }

  look(): void {
    void this.registration?.update().catch(() => undefined);
  }

  private offer(): void {
    this.ready.set(true);
    this.applyIfIdle();
  }

  /** Called whenever the page comes to rest. */
  applyIfIdle(): void {
    if (this.ready.now && this.mayRestart()) this.apply();
  }

  /** The queue is on the disk: a restart loses nothing. */
  apply(): void {
    this.applying = true;
    const waiting = this.registration?.waiting;
    if (waiting) waiting.postMessage('take over');
    else location.reload();
  }

  readonly version = model.version;
}
