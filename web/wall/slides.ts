import type { Settings } from '../../src/settings/settings.js';
import { byId, overlayPart, type WallModel } from './model.js';

const MINUTE_MS = 60_000;
/**
 * Milliseconds until the next attempt to show the pictures, if donations or a celebration need the place of
 * the feed.
 */
const RETRY_MS = 5_000;

/**
 * Shows pictures, such as sponsors, in the place of the feed: from time to time a round of all pictures. Donations and
 * celebrations come first. The total and the QR code are elsewhere, so a picture never covers them.
 */
export class Slides {
  private slides: WallModel['slides'];
  private place = 0;
  private readonly root = byId('slides');

  /**
   * @param isFree true if no donation waits and nothing else covers the feed
   * @param onChange receives true while a picture covers the feed
   */
  constructor(
    private readonly model: Pick<WallModel, 'event' | 'slides'>,
    private readonly isFree: () => boolean,
    private readonly onChange: (covered: boolean) => void,
  ) {
    this.slides = model.slides;
    if (overlayPart() === undefined) this.later();
  }

  private later(): void {
    this.place = 0;
    setTimeout(() => void this.begin(), this.slides.everyMinutes * MINUTE_MS);
  }

  private async begin(): Promise<void> {
    // The team may have changed the pictures since the wall was opened.
    try {
      const answer = await fetch(`/events/${encodeURIComponent(this.model.event)}/settings`);
      if (answer.ok) this.slides = ((await answer.json()) as Settings).live.slides;
    } catch {
      // Without a network, the wall shows the pictures that it knows.
    }
    await this.next();
  }

  private async next(): Promise<void> {
    const address = this.slides.images[this.place];
    if (address === undefined) {
      this.show(undefined);
      this.later();
      return;
    }
    const picture = new Image();
    picture.alt = '';
    picture.src = address;
    const isLoaded = await picture.decode().then(
      () => true,
      () => false,
    );
    const isFree = this.isFree();
    this.show(isLoaded && isFree ? picture : undefined);
    // Leaves out a picture that does not load. A picture that gave way to donations is shown later.
    if (isFree) this.place += 1;
    const wait = isLoaded ? this.slides.showSeconds * 1_000 : 0;
    setTimeout(() => void this.next(), isFree ? wait : RETRY_MS);
  }

  private show(picture: HTMLImageElement | undefined): void {
    this.root.replaceChildren(...(picture ? [picture] : []));
    this.root.hidden = !picture;
    this.onChange(picture !== undefined);
  }
}
