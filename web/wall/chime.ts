import { byId, overlayPart } from './model.js';

/** Frequencies of a rising major chord in hertz: C5, E5, G5, C6. */
const NOTES = [523.25, 659.25, 783.99, 1046.5];
const NOTE_EVERY_S = 0.14;
const RINGS_S = 1.6;
const VOLUME = 0.16;

/** The sound of a reached goal. Off until the team or the person at the projector switches it on. */
export class Chime {
  private isOn = false;
  private context: AudioContext | undefined;
  private readonly button = byId('sound');

  constructor() {
    // Browsers play no sound before the first click or key. A video mixer has no such limit.
    for (const type of ['pointerdown', 'keydown'])
      addEventListener(type, () => {
        this.wake();
      });
  }

  toggle(): void {
    this.want(!this.isOn);
    if (this.isOn) this.play();
  }

  want(on: boolean): void {
    this.isOn = on;
    this.button.setAttribute('aria-pressed', String(on));
    if (on) this.wake();
  }

  play(): void {
    const { context } = this;
    // A video mixer shows several overlays of one wall. Only the alert has the sound.
    const part = overlayPart();
    if (!this.isOn || context?.state !== 'running' || (part !== undefined && part !== 'alert')) return;
    for (const [index, note] of NOTES.entries()) {
      const start = context.currentTime + index * NOTE_EVERY_S;
      const [tone, volume] = [context.createOscillator(), context.createGain()];
      tone.frequency.value = note;
      volume.gain.setValueAtTime(0, start);
      volume.gain.linearRampToValueAtTime(VOLUME, start + 0.02);
      volume.gain.exponentialRampToValueAtTime(0.0001, start + RINGS_S);
      tone.connect(volume).connect(context.destination);
      tone.start(start);
      tone.stop(start + RINGS_S);
    }
  }

  private wake(): void {
    if (!this.isOn) return;
    this.context ??= new AudioContext();
    // Browsers refuse this before the first click or key press. Each later click or key press tries again.
    this.context.resume().catch(() => undefined);
  }
}
