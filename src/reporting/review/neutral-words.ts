/**
 * For a kind of review item that a newer release raised while this one still runs. The desk shows them in the reader's
 * language.
 */
export const NEUTRAL = {
  title: 'Something needs a person',
  meaning:
    'A newer release of this service found something that needs a person. This release has no words for it.',
  advice:
    'Read the details of the item. Look at it again when all servers run the newer release: then it says what to do.',
} as const;
