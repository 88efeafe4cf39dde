import type { WallControl } from '../../src/gateway/live-messages.js';
import type { FormatModel } from '../wall/formats.js';

/** Data that the server writes into the page for its script; see src/pages/stage/stage-page.ts. */
export interface StageModel extends FormatModel {
  /** Id of the event. */
  readonly event: string;
  readonly name: string;
  readonly status: string;
  /** Levels of the paddle raise, in minor units of the event's currency. */
  readonly levels: readonly number[];
  /** True if the large total contains the money of match pools, as on the walls. */
  readonly isMatchWith: boolean;
  readonly control: WallControl;
}
