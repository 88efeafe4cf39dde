import { Value } from './value.js';

let audio: AudioContext | undefined;

/** Plays two short rising tones for success, or one low tone for a problem. */
export function tone(kind: 'success' | 'problem'): void {
  try {
    audio ??= new AudioContext();
    if (audio.state === 'suspended') void audio.resume();
    const notes = kind === 'success' ? [880, 1_318] : [196];
    notes.forEach((frequency, index) => play(audio as AudioContext, frequency, index * 0.09));
  } catch {
    // The till also works without sound.
  }
}

function play(context: AudioContext, frequency: number, delay: number): void {
  const start = context.currentTime + delay;
  const oscillator = new OscillatorNode(context, { frequency, type: 'sine' });
  const gain = new GainNode(context, { gain: 0 });
  gain.gain.linearRampToValueAtTime(0.18, start + 0.01);
  gain.gain.exponentialRampToValueAtTime(0.001, start + 0.16);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(start);
  oscillator.stop(start + 0.18);
}

/** Vibrates if the device can. */
export function vibrate(pattern: number | number[]): void {
  // Before the first touch, browsers refuse to vibrate and write a warning to the console.
  if (navigator.userActivation.hasBeenActive && 'vibrate' in navigator) navigator.vibrate(pattern);
}

/** The next message for screen readers. */
export const announcement = new Value('');

export function announce(text: string): void {
  // An invisible space changes a repeated text, because screen readers announce only changed texts.
  announcement.set(announcement.now === text ? `${text}\u00a0` : text);
}
