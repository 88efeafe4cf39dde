import type { WallControl } from '../../src/gateway/live-messages.js';
import type { Board } from './board.js';
import type { Chime } from './chime.js';
import type { Donation } from './live-feed.js';
import { byId } from './model.js';
import type { Scene } from './scene.js';

/** Maximum number of donations that wait during a pause, the same as `KEPT` of the feed. */
const HELD = 200;

/** Applies what the team sets in the dashboard: another scene, a message, a pause. */
export class Remote {
  private control: WallControl | undefined;
  private donations: Donation[] = [];

  /** @param onResize called when the space of the feed has changed */
  constructor(
    private readonly scene: Scene,
    private readonly board: Board,
    private readonly chime: Chime,
    private readonly onResize: () => void,
  ) {}

  get paused(): boolean {
    return this.control?.paused ?? false;
  }

  /** Applies only the settings that changed. So a choice made at the projector stays until the team changes this setting. */
  follow(control: WallControl): void {
    const before = this.control;
    this.control = control;
    if (control.scene !== (before?.scene ?? 'wall')) {
      this.scene.want(control.scene === 'qr');
      this.board.want(control.scene === 'board');
    }
    if (control.sound !== before?.sound) this.chime.want(control.sound ?? false);
    if (control.notice === before?.notice) return;
    for (const id of ['notice', 'scene-notice']) {
      byId(id).textContent = control.notice;
      byId(id).hidden = control.notice === '';
    }
    this.onResize();
  }

  /** Keeps donations until the end of the pause. The first is shown next. */
  hold(...donations: readonly Donation[]): void {
    this.donations = [...this.donations, ...donations].slice(-HELD);
  }

  /**
   * Replaces or removes a waiting donation.
   * @returns true if the donation was waiting here
   */
  replace(id: string, by: readonly Donation[]): boolean {
    const place = this.donations.findIndex((one) => one.id === id);
    if (place >= 0) this.donations.splice(place, 1, ...by);
    return place >= 0;
  }

  /** Removes and returns the waiting donations, in the order in which they are shown. */
  release(): Donation[] {
    return this.donations.splice(0);
  }
}
