import { model } from './model.js';
import { Value } from './value.js';

const LOOK_EVERY_MS = 15 * 60_000;
const WORKER = '/pos/service-worker.js';
const SCOPE = '/pos';
const TOUCHES = ['pointerdown', 'keydown'] as const;

/**
 * Brings a new version of the page in when nobody is disturbed: as long as the page was opened and nobody has touched
 * it yet, and later whenever nothing waits and nothing is typed. What waits is on the disk, and the new version sends it.
 */
export class Updates {
  /** Whether a new version lies ready. */
  readonly ready = new Value(false);
  private registration: ServiceWorkerRegistration | undefined;
  private isAsked = false;
  private isUntouched = true;

  /**
   * @param isAtRest whether nobody is in the middle of something that a restart would take away
   * @param waits whether a record waits
   */
  constructor(
    private readonly isAtRest: () => boolean,
    private readonly waits: () => boolean,
  ) {
    const touched = () => {
      this.isUntouched = false;
      for (const touch of TOUCHES) removeEventListener(touch, touched, true);
    };
    for (const touch of TOUCHES) addEventListener(touch, touched, true);
  }

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
      // Asked for a moment ago, by this tab or another one: somebody may have begun to type since.
      if (this.isAsked || this.mayRestart()) location.reload();
      else this.ready.set(true);
    });
    const registration = await workers.register(WORKER, { scope: SCOPE, updateViaCache: 'none' });
    this.registration = registration;
    if (registration.waiting && controlled) this.offer();
    // One that another tab has found, or that was found before anybody listened.
    this.watch(registration.installing);
    registration.addEventListener('updatefound', () => this.watch(registration.installing));
    setInterval(() => this.look(), LOOK_EVERY_MS);
  }

  look(): void {
    void this.registration?.update().catch(() => undefined);
  }

  /** Called whenever the page comes to rest. */
  applyIfIdle(): void {
    if (this.ready.now && this.mayRestart()) this.apply();
  }

  /** Somebody wants it now. */
  restart(): void {
    this.isAsked = true;
    this.apply();
  }

  private watch(worker: ServiceWorker | null): void {
    worker?.addEventListener('statechange', () => {
      if (worker.state === 'installed' && navigator.serviceWorker.controller) this.offer();
    });
  }

  private offer(): void {
    this.ready.set(true);
    this.applyIfIdle();
  }

  private mayRestart(): boolean {
    return this.isAtRest() && (this.isUntouched || !this.waits());
  }

  private apply(): void {
    const waiting = this.registration?.waiting;
    if (waiting) waiting.postMessage('take over');
    else location.reload();
  }

  readonly version = model.version;
}
