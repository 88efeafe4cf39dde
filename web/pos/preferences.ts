import type { Database } from './database.js';
import { isLanguage, type Language, ownLanguage, speak } from './texts.js';
import { Value } from './value.js';

export interface Preferences {
  readonly language: Language;
  readonly sound: boolean;
  readonly leftHanded: boolean;
  /** Event of the last sign-in: the first choice of the next one. */
  readonly eventRef?: string;
}

const META = 'preferences';

/** Settings of this terminal for its users. */
export class PreferenceStore {
  readonly value = new Value<Preferences>({ language: ownLanguage, sound: true, leftHanded: false });

  constructor(private readonly database: Database) {}

  async load(): Promise<void> {
    const kept = await this.database
      .read(['meta'], (tx) => tx.get<Partial<Preferences>>('meta', META))
      .catch(() => undefined);
    const language = isLanguage(kept?.language) ? kept.language : ownLanguage;
    // A language file that was not stored must not stop the terminal.
    await speak(language).catch(() => speak(ownLanguage));
    this.value.set({ ...this.value.now, ...kept, language });
  }

  async change(changed: Partial<Preferences>): Promise<void> {
    const next = { ...this.value.now, ...changed };
    if (changed.language) await speak(changed.language);
    this.value.set(next);
    // These settings are not essential. A full disk is reported elsewhere.
    await this.database.write(['meta'], (tx) => tx.put('meta', next, META)).catch(() => undefined);
  }
}
