import type { GlobalSettings } from '../settings/settings.service.js';

/** What is the same for everybody, such as a page in one language: made once until the settings change. */
export class MadeOnce<Made> {
  private readonly made = new Map<string, Made>();
  private settings = '';

  /** @param variant one of few: never what a client can make up */
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
