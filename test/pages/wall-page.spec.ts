import { describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { DEFAULT_SETTINGS, type Settings } from '../../src/settings/settings.js';
import { sendPage } from '../../src/pages/page.js';
import { absentPage, wallPage, type WallModel } from '../../src/pages/wall/wall-page.js';

const model = (settings: Partial<Settings> = {}, name = 'Gala'): WallModel => ({
  event: { id: 'the-id', name, currency: 'eur', status: 'active' },
  settings: { ...DEFAULT_SETTINGS, ...settings },
  donationUrl: 'https://give.example/gala',
  qr: '<svg></svg>',
  view: { locale: settings.locales?.default ?? 'en', overlay: undefined },
});

/** Returns the page and its policy as the service sends them. */
function sent(page: ReturnType<typeof wallPage>): { html: string; policy: string } {
  let html = '';
  const headers = new Map<string, string>();
  const response = {
    status: () => response,
    setHeader: (name: string, value: string) => headers.set(name, value),
    send: (page: Buffer | string) => (html = page.toString()),
  };
  sendPage(response as unknown as Response, page);
  return { html, policy: headers.get('Content-Security-Policy') ?? '' };
}

const DIGEST = /'sha256-[^']+'/g;

describe('wall page', () => {
  it('the wall page escapes all text', () => {
    const nasty = `"><script>alert('x')</script>{{qr}}&`;
    const { html } = sent(wallPage(model({ organization: nasty }, nasty)));
    const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;{{qr}}&amp;';
    expect(html).toContain(`<title>${escaped} · ${escaped}</title>`);
    expect(html).not.toContain('<script>alert');
    expect(html).toMatch(/<div class="qr"><svg(?: [^>]*)?><\/svg><\/div>/);
  });

  it('the wall page contains its configuration in an attribute', () => {
    const { html } = sent(wallPage(model({ live: { ...DEFAULT_SETTINGS.live, celebrateFrom: 5 } })));
    const attribute = /data-model="([^"]*)"/.exec(html)?.[1] ?? '';
    const config = JSON.parse(
      attribute.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
    ) as Record<string, unknown>;
    expect(config).toMatchObject({
      event: 'the-id',
      currency: 'eur',
      celebrateFrom: 5,
      exponents: { jpy: 0, kwd: 3 },
    });
    expect(config.exponents).not.toHaveProperty('eur');
  });

  it('the wall page contains the style variables of the theme in a style element', () => {
    const theme = {
      assets: {},
      variables: { '--brand-color': '#123456', '--font-family': '"Inter", serif' },
    };
    expect(sent(wallPage(model({ theme }))).html).toMatch(
      /<style>\s*:root\{--brand-color:#123456;--font-family:"Inter", serif;\}:root\{color-scheme:dark;(?:--[a-z-]+:[^;{}<]+;)+\}\s*<\/style>/,
    );
  });

  it.each([
    ['fa', 'en'],
    ['he-IL', 'en'],
    ['de', 'de'],
    ['de-CH', 'de-CH'],
  ])('in the locale %s the page declares its texts as %s, with their direction', (locale, language) => {
    const locales = { default: locale, supported: [locale] };
    for (const page of [
      wallPage(model({ locales })),
      absentPage({ ...DEFAULT_SETTINGS, locales }, locale, true),
    ])
      expect(sent(page).html).toContain(`<html lang="${language}" dir="ltr"`);
  });

  it.each(['dark', 'light', 'gala'] as const)('the wall page uses the theme %s', (theme) => {
    const live = { ...DEFAULT_SETTINGS.live, theme };
    expect(sent(wallPage(model({ live }))).html).toContain(` data-theme="${theme}"`);
  });

  it.each([
    ['ja', 'ja'],
    ['ko', 'en'],
    ['pt-BR', 'en'],
  ])('the wall page counts donors in %s by the plural rules of its texts, %s', (locale, language) => {
    const locales = { default: locale, supported: [locale] };
    expect(wallPage(model({ locales })).data).toMatchObject({ language });
  });

  it('only the websites in the settings may frame the wall', () => {
    const embed = { origins: ['https://www.example.org', 'https://give.example:8443'] };
    expect(sent(wallPage(model({ embed }))).policy).toMatch(
      /; frame-ancestors 'self' https:\/\/www\.example\.org https:\/\/give\.example:8443$/,
    );
  });

  it('the policy of the wall page allows only its own files and the branding images', () => {
    expect(sent(wallPage(model())).policy.replaceAll(DIGEST, "'sha256-abc'")).toBe(
      "default-src 'none'; script-src 'self' 'sha256-abc'; style-src 'self' 'sha256-abc'; font-src 'self'; " +
        "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'",
    );
    const logo = (address: string) =>
      sent(wallPage(model({ theme: { assets: { logo: address }, variables: {} } }))).policy;
    expect(logo('https://cdn.example/logo.png?a=1')).toContain("img-src 'self' data: https://cdn.example;");
    expect(logo('/brand/logo.svg')).toContain("img-src 'self' data:;");
  });

  it('the wall page of an event that is not public reveals only that no wall exists, or that it ended', () => {
    const settings = { ...DEFAULT_SETTINGS, organization: 'Friends' };
    expect(sent(absentPage(settings, 'en', true)).html).toContain('This event has ended.');
    expect(sent(absentPage(settings, 'en', false)).html).toContain('Wall not found');
    expect(sent(absentPage(settings, 'en', true)).html).not.toContain('data-model');
  });
});
