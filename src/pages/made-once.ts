import type { GlobalSettings } from '../settings/settings.service.js';

/** Caches output that is the same for everyone, such as a page in one language, until the settings change. */
export class MadeOnce<Made> {
  private readonly made = new Map<string, Made>();
  private settings = '';

  /** @param variant one of a few known values, never client input */
  of({ text }: Pick<GlobalSettings, 'text'>, variant: string, make: () => Made): Made {
    if (text !== this.settings) {
      this.made.clear();
      this.settings = text;
    }
    const known = this.made.get(variant);
    if (known !== undefined) return known;
    const made = make();
    this.made.set(variant, made);
    return made;
  }
}
