import { describe, expect, it } from '@jest/globals';
import { clientLabel } from './client-label.js';

describe('the label of a client', () => {
  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0',
      'Firefox on Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/141.0 Mobile/15E148 Safari/604.1',
      'Chrome on iPhone',
    ],
    ['curl/8.5.0', 'curl'],
    ['Mozilla/5.0', 'Other'],
    ['<script>alert(1)</script>', 'Other'],
    ['=HYPERLINK("http://x")/1', 'Other'],
    [`${'x'.repeat(100_000)}/1`, 'Other'],
  ])('of %s is %s', (userAgent, label) => {
    expect(clientLabel(userAgent)).toBe(label);
  });

  it('is absent if the client sends no User-Agent', () => {
    expect([clientLabel(undefined), clientLabel('')]).toEqual([undefined, undefined]);
  });
});
