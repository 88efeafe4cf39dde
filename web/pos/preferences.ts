import type { Database } from './database.js';
import { isLanguage, type Language, ownLanguage, speak } from './texts.js';
import { Value } from './value.js';

export interface Preferences {
  readonly language: Language;
  readonly sound: boolean;
  readonly leftHanded: boolean;
  /** Event of the last sign-in. It is preselected at the next sign-in. */
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
    // If the file of the language is missing, use the language of the page instead of stopping the terminal.
    await speak(language).catch(() => speak(ownLanguage));
    this.value.set({ ...this.value.now, ...kept, language });
  }

  async change(changed: Partial<Preferences>): Promise<void> {
    const next = { ...this.value.now, ...changed };
    if (changed.language) await speak(changed.language);
    this.value.set(next);
    // Ignores errors, because these settings are not essential. `checkStorage` reports a full disk.
    await this.database.write(['meta'], (tx) => tx.put('meta', next, META)).catch(() => undefined);
  }
}
