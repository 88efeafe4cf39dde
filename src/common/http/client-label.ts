const LONGEST = 512;

/** The first match is the browser, because some browsers also send the names of other browsers that come later in this list. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrome\/|\bCriOS\/|\bChromium\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/**
 * Returns a short label of a browser or program, such as `Firefox on Windows`. Users recognize their sessions by the label, but
 * the label cannot identify a person. Returns undefined without a User-Agent.
 */
export function clientLabel(userAgent: string | undefined): string | undefined {
  if (!userAgent) return undefined;
  const text = userAgent.slice(0, LONGEST);
  const of = (table: typeof BROWSERS) => table.find(([pattern]) => pattern.test(text))?.[1];
  const [browser, system] = [of(BROWSERS), of(SYSTEMS)];
  if (browser) return system ? `${browser} on ${system}` : browser;
  // Programs send their name before a slash, for example `curl/8.5.0`.
  return /^([A-Za-z][\w.-]{0,29})\//.exec(text)?.[1]?.replace(/^Mozilla$/, 'Other') ?? 'Other';
}
