import { byId } from './model.js';

/** The QR code on the whole screen, for the far end of a hall. Shown only while the event accepts donations. */
export class Scene {
  private wanted = false;
  private leads: boolean;
  private readonly root = byId('scene');

  constructor(status: string) {
    this.leads = status === 'active';
  }

  get isShown(): boolean {
    return !this.root.hidden;
  }

  want(wanted: boolean): void {
    this.wanted = wanted;
    this.apply();
  }

  toggle(): void {
    this.want(this.leads && !this.isShown);
  }

  /** Call it when the event was opened, paused or closed. */
  status(status: string): void {
    this.leads = status === 'active';
    this.apply();
  }

  private apply(): void {
    const code = document.querySelector('.qr svg');
    const place = byId('scene-code');
    if (code && !place.firstChild) place.append(code.cloneNode(true));
    this.root.hidden = !(this.wanted && this.leads && code);
    document.body.classList.toggle('is-scene', this.isShown);
  }
}
