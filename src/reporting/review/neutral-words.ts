/**
 * Texts for a review item of an unknown kind, raised by a newer release that runs at the same time. The dashboard
 * shows them in the reader's language.
 */
export const NEUTRAL = {
  title: 'Something needs a person',
  meaning:
    'A newer release of this service found something that needs a person. This release has no words for it.',
  advice:
    'Read the details of the item. Look at it again when all servers run the newer release: then it says what to do.',
} as const;
