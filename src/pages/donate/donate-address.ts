/** Below it are the donate pages. */
export const DONATE_PATH = '/donate';
