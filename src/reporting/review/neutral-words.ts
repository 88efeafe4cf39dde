/**
 * Texts for a review item of an unknown kind. A server with a newer release created the item while both releases run. The
 * dashboard shows the texts in the reader's language.
 */
export const NEUTRAL = {
  title: 'An item from a newer release',
  meaning: 'A server with a newer release found a problem. This release does not know this kind of problem.',
  advice:
    'Read the details of the item. Open it again when all servers run the newer release: it then shows what to do.',
} as const;
