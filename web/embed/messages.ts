/**
 * Messages between the charity's website and the donate page in its frame. The website sends `hello` after each load of the
 * frame; the page answers with its height. Both sides check the origin and the window of each message.
 */
export interface EmbedMessage {
  readonly donate: 'hello' | 'height' | 'close';
  /** Height of the page in pixels. */
  readonly height?: number;
}
