import type { WallControl } from '../../src/gateway/live-messages.js';
import type { Donation } from './live-feed.js';
import { byId } from './model.js';
import type { Scene } from './scene.js';

/** As many as the wall remembers. */
const HELD = 200;

/** Content that the team sets from the dashboard: another scene, a message, a pause. */
export class Remote {
  private control: WallControl | undefined;
  private donations: Donation[] = [];

  /** @param onResize called when the space of the feed has changed */
  constructor(
    private readonly scene: Scene,
    private readonly onResize: () => void,
  ) {}

  get paused(): boolean {
    return this.control?.paused ?? false;
  }

  /** Applies only changes: choices made at the projector since then stay. */
  follow(control: WallControl): void {
    const before = this.control;
    this.control = control;
    if (control.scene !== (before?.scene ?? 'wall')) this.scene.want(control.scene === 'qr');
    if (control.notice === before?.notice) return;
    for (const id of ['notice', 'scene-notice']) {
      byId(id).textContent = control.notice;
      byId(id).hidden = control.notice === '';
    }
    this.onResize();
  }

  /** Donations that wait for the end of the pause, next first. */
  hold(...donations: readonly Donation[]): void {
    this.donations = [...this.donations, ...donations].slice(-HELD);
  }

  /**
   * Replaces or removes a waiting donation.
   * @returns true if it waits here
   */
  replace(id: string, by: readonly Donation[]): boolean {
    const place = this.donations.findIndex((one) => one.id === id);
    if (place >= 0) this.donations.splice(place, 1, ...by);
    return place >= 0;
  }

  /** The donations that waited, next first. */
  release(): Donation[] {
    return this.donations.splice(0);
  }
}
