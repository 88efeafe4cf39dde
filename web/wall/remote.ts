import type { WallControl } from '../../src/gateway/live-messages.js';
import type { Donation } from './live-feed.js';
import { byId } from './model.js';
import type { Scene } from './scene.js';

/** As many as the wall remembers of those it showed. */
const HELD = 200;

/** What the team has the wall do from the desk: another scene, a line for the hall, a pause. */
export class Remote {
  private control: WallControl | undefined;
  private donations: Donation[] = [];

  /** @param onResize the feed has more or less room */
  constructor(
    private readonly scene: Scene,
    private readonly onResize: () => void,
  ) {}

  get paused(): boolean {
    return this.control?.paused ?? false;
  }

  /** Only what is new is done: what somebody at the projector chose since stays. */
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

  /** The donations that wait for the end of the pause, the next first. */
  hold(...donations: readonly Donation[]): void {
    this.donations = [...this.donations, ...donations].slice(-HELD);
  }

  /** Something in place of one that waits; nothing for one that was taken back. @returns whether it waits here */
  replace(id: string, by: readonly Donation[]): boolean {
    const place = this.donations.findIndex((one) => one.id === id);
    if (place >= 0) this.donations.splice(place, 1, ...by);
    return place >= 0;
  }

  /** Those that waited, the next first. */
  release(): Donation[] {
    return this.donations.splice(0);
  }
}
