import { describe, expect, it } from '@jest/globals';
import { DEFAULT_SETTINGS, type Settings } from '../../settings/settings.js';
import { renderWall, type WallModel, wallPolicy } from './wall-page.js';

const model = (settings: Partial<Settings> = {}, name = 'Gala'): WallModel => ({
  event: { id: 'the-id', name, currency: 'eur' },
  settings: { ...DEFAULT_SETTINGS, ...settings },
  donationUrl: 'https://give.example/gala',
  qr: '<svg></svg>',
  nonce: 'abc',
});

describe('the wall page', () => {
  it('shows text as text, wherever it stands', () => {
    const nasty = `"><script>alert('x')</script>{{qr}}&`;
    const html = renderWall(
      '<b title="{{eventName}}">{{organization}}</b>{{qr}}',
      model({ organization: nasty }, nasty),
    );
    const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;{{qr}}&amp;';
    expect(html).toBe(`<b title="${escaped}">${escaped}</b><svg></svg>`);
  });

  it('carries its configuration in an attribute', () => {
    const html = renderWall('{{config}}', model({ live: { ...DEFAULT_SETTINGS.live, celebrateFrom: 5 } }));
    const config = JSON.parse(html.replaceAll('&quot;', '"').replaceAll('&#39;', "'")) as Record<
      string,
      unknown
    >;
    expect(config).toMatchObject({
      event: 'the-id',
      currency: 'eur',
      celebrateFrom: 5,
      exponents: { jpy: 0, kwd: 3 },
    });
    expect(config.exponents).not.toHaveProperty('eur');
  });

  it('dresses in the style variables, under the nonce', () => {
    const theme = {
      assets: {},
      variables: { '--brand-color': '#123456', '--font-family': '"Inter", serif' },
    };
    expect(renderWall('{{style}}', model({ theme }))).toBe(
      '<style nonce="abc">:root{--brand-color:#123456;--font-family:"Inter", serif;}</style>',
    );
  });

  it.each([
    ['ar', 'rtl'],
    ['he-IL', 'rtl'],
    ['de', 'ltr'],
  ])('reads in the direction of %s', (locale, direction) => {
    const locales = { default: locale, supported: [locale] };
    expect(renderWall('{{direction}}', model({ locales }))).toBe(direction);
  });

  it('may stand in a frame of the sites that the settings name', () => {
    const embed = { origins: ['https://www.example.org', 'https://give.example:8443'] };
    expect(wallPolicy(model({ embed }))).toMatch(
      /; frame-ancestors 'self' https:\/\/www\.example\.org https:\/\/give\.example:8443$/,
    );
  });

  it('allows itself nothing but its own files and the pictures of the branding', () => {
    expect(wallPolicy(model())).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-abc'; img-src 'self'; connect-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    );
    const logo = (address: string) =>
      wallPolicy(model({ theme: { assets: { logo: address }, variables: {} } }));
    expect(logo('https://cdn.example/logo.png?a=1')).toContain("img-src 'self' https://cdn.example;");
    expect(logo('/brand/logo.svg')).toContain("img-src 'self';");
  });
});
