import { describe, expect, it } from '@jest/globals';
import {
  applyPatch,
  contradictions,
  layered,
  overlay,
  readStored,
  settingsInForce,
  readSettings,
} from './stored-settings.js';
import { DEFAULT_SETTINGS, SETTINGS } from './settings.js';
import { changedFields, patched } from './settings-patch.js';

describe('the settings in effect', () => {
  it('use the defaults if nothing is stored', () => {
    expect(settingsInForce({})).toEqual(DEFAULT_SETTINGS);
    expect(settingsInForce(undefined, null, 'nonsense', [])).toEqual(DEFAULT_SETTINGS);
  });

  it('apply each layer over the one below', () => {
    const settings = settingsInForce(
      { organization: 'Trust', theme: { assets: { logo: '/a.svg', hero: '/h.jpg' } } },
      { theme: { assets: { logo: '/b.svg' }, variables: { '--brand': '#fff' } } },
    );
    expect(settings.organization).toBe('Trust');
    expect(settings.theme).toEqual({
      assets: { logo: '/b.svg', hero: '/h.jpg' },
      variables: { '--brand': '#fff' },
    });
  });

  it('omit stored values that are no longer valid', () => {
    const stored = JSON.parse(
      '{"organization":7,"secret":"x","__proto__":{"a":1},"payment":{"currency":"zzz"},"timezone":"Asia/Tokyo"}',
    ) as unknown;
    expect(readStored(stored)).toEqual({ payment: {}, timezone: 'Asia/Tokyo' });
    expect(settingsInForce(stored)).toEqual({ ...DEFAULT_SETTINGS, timezone: 'Asia/Tokyo' });
  });

  it('stay usable if a later global change contradicts an event', () => {
    const settings = settingsInForce(
      { donation: { minAmount: 500 }, locales: { default: 'de', supported: ['de', 'en'] } },
      { donation: { maxAmount: 300, presets: [200, 300, 1000] }, locales: { supported: ['fr'] } },
    );
    expect(settings.donation).toMatchObject({ minAmount: 300, maxAmount: 300, presets: [300] });
    expect(settings.locales).toEqual({ default: 'de', supported: ['de', 'fr'] });
  });

  it('report contradictions', () => {
    const settings = layered({ donation: { minAmount: 500, maxAmount: 300 }, locales: { default: 'de' } });
    expect(contradictions(settings)).toEqual([
      {
        field: 'donation.minAmount',
        rule: 'maximum',
        limit: 300,
        message: 'donation.minAmount must not exceed donation.maxAmount',
      },
      {
        field: 'locales.default',
        rule: 'choice',
        message: 'locales.default must be one of locales.supported',
      },
    ]);
  });
});

describe('readPatch()', () => {
  it('normalizes values', () => {
    expect(
      readSettings(
        {
          organization: '  Trust ',
          payment: { currency: ' USD ', acceptedCurrencies: ['EUR', 'usd'] },
          locales: { supported: ['en-us', 'DE'] },
          legal: { taxId: ' ' },
          theme: { variables: { '--a': ' red ' } },
        },
        SETTINGS,
      ),
    ).toEqual({
      problems: [],
      value: {
        organization: 'Trust',
        payment: { currency: 'usd', acceptedCurrencies: ['eur', 'usd'] },
        locales: { supported: ['en-US', 'de'] },
        legal: { taxId: null },
        theme: { variables: { '--a': 'red' } },
      },
    });
  });

  it('reports every error with its field', () => {
    const raw = JSON.parse(
      '{"colour":1,"payment":{"currency":"zzz","constructor":{}},"theme":{"assets":{"__proto__":"/x"}},"live":[]}',
    ) as unknown;
    const { problems } = readSettings(raw, SETTINGS);
    expect(problems.map(({ field, rule, message }) => [field, rule, message])).toEqual([
      ['colour', 'unknown', 'colour is not a known field'],
      ['payment.currency', 'choice', 'payment.currency must be an ISO 4217 currency code'],
      ['payment.constructor', 'unknown', 'payment.constructor is not a known field'],
      ['theme.assets.__proto__', 'pattern', 'theme.assets.__proto__ is not an asset name such as logo'],
      ['live', 'type', 'live must be an object'],
    ]);
  });

  it('limits the size of the stored settings', () => {
    const assets = (from: number) =>
      Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`a${from + index}`, '/x.png']));
    const stored = patched({}, { theme: { assets: assets(0) } });
    expect(() => patched(stored, { theme: { assets: assets(100) } })).toThrow(
      'theme.assets must have at most 50 entries',
    );
  });

  it('lists the fields that a patch changes', () => {
    expect(
      changedFields({ organization: 'x', theme: { assets: { logo: null } }, locales: { supported: ['en'] } }),
    ).toEqual(['organization', 'theme.assets.logo', 'locales.supported']);
  });
});

describe('applyPatch()', () => {
  it('merges objects and keeps other fields', () => {
    expect(applyPatch({ a: { b: 1, c: 2 }, d: 3 }, { a: { b: 9 } })).toEqual({ a: { b: 9, c: 2 }, d: 3 });
  });

  it('replaces arrays', () => {
    expect(applyPatch({ a: [1, 2, 3] }, { a: [4] })).toEqual({ a: [4] });
  });

  it('deletes with null at any depth and removes empty objects', () => {
    expect(applyPatch({ a: { b: { c: 1 } }, d: 2 }, { a: { b: { c: null } } })).toEqual({ d: 2 });
    expect(applyPatch({ a: { b: 1 } }, { a: null })).toEqual({});
    expect(applyPatch({}, { a: { b: null } })).toEqual({});
  });

  it('replaces a value by an object', () => {
    expect(applyPatch({ a: 1 }, { a: { b: 2 } })).toEqual({ a: { b: 2 } });
  });

  it('does not change its arguments or a prototype', () => {
    const stored = { a: { b: 1 } };
    const patch = JSON.parse('{"__proto__":{"polluted":true},"a":{"c":2}}') as Record<string, unknown>;
    const merged = applyPatch(stored, patch);
    expect(stored).toEqual({ a: { b: 1 } });
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('overlay()', () => {
  it('prefers the upper layer and merges objects', () => {
    expect(overlay({ a: { b: 1, c: [1] }, d: null }, { a: { c: [2] }, d: 5 })).toEqual({
      a: { b: 1, c: [2] },
      d: 5,
    });
  });
});
