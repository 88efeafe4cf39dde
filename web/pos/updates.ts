import { Value } from './value.js';

const LOOK_EVERY_MS = 15 * 60_000;
const WORKER = '/pos/service-worker.js';
const SCOPE = '/pos';
const TOUCHES = ['pointerdown', 'keydown'] as const;

/**
 * Starts a new version of the page when this interrupts no input: before the first touch, or when no record waits and
 * nothing is typed. No record is lost, because waiting records are on the disk and the new version sends them.
 */
export class Updates {
  /** True if a new version is ready. */
  readonly ready = new Value(false);
  private registration: ServiceWorkerRegistration | undefined;
  private isAsked = false;
  private isUntouched = true;

  /**
   * @param isAtRest true if a restart would interrupt no input
   * @param waits true if a record waits
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
      // The first worker takes over the page that installed it. This is not an update.
      if (!controlled) {
        controlled = true;
        return;
      }
      // Checks again, because the volunteer may have started to type after the check that caused this update.
      if (this.isAsked || this.mayRestart()) location.reload();
      else this.ready.set(true);
    });
    const registration = await workers.register(WORKER, { scope: SCOPE, updateViaCache: 'none' });
    this.registration = registration;
    if (registration.waiting && controlled) this.offer();
    // A version whose installation started before the listener below was added, for example by another tab.
    this.watch(registration.installing);
    registration.addEventListener('updatefound', () => this.watch(registration.installing));
    setInterval(() => this.look(), LOOK_EVERY_MS);
  }

  look(): void {
    void this.registration?.update().catch(() => undefined);
  }

  /** Starts a ready version if this interrupts no input. Called whenever an input has ended. */
  applyIfIdle(): void {
    if (this.ready.now && this.mayRestart()) this.apply();
  }

  /** Starts the ready version at the request of the user. */
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
}
