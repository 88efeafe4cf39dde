import { Value } from './value.js';

let audio: AudioContext | undefined;

/** Two short tones upwards, or one low one. Without a loudspeaker, nothing. */
export function tone(kind: 'success' | 'problem'): void {
  try {
    audio ??= new AudioContext();
    if (audio.state === 'suspended') void audio.resume();
    const notes = kind === 'success' ? [880, 1_318] : [196];
    notes.forEach((frequency, index) => play(audio as AudioContext, frequency, index * 0.09));
  } catch {
    // No sound is no reason to stop.
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

/** Only devices in a hand do it. */
export function vibrate(pattern: number | number[]): void {
  // Browsers refuse, and say so in the console, before the first touch.
  if (navigator.userActivation.hasBeenActive && 'vibrate' in navigator) navigator.vibrate(pattern);
}

/** What a screen reader is to say next. */
export const announcement = new Value('');

export function announce(text: string): void {
  // The same words twice are two messages.
  announcement.set(announcement.now === text ? `${text}\u00a0` : text);
}
