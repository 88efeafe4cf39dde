import type { GlobalSettings } from '../settings/settings.service.js';

/** Caches output until the settings change. The output must be the same for all users, such as a page in one language. */
export class MadeOnce<Made> {
  private readonly made = new Map<string, Made>();
  private settings = '';

  /** @param variant key of the output. Must be one of a few known values and not input of a client. */
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
