import { describe, expect, it } from '@jest/globals';
import { overlayOf } from './overlay.js';

describe('overlay of the wall', () => {
  it.each([
    [{}, undefined],
    [{ show: 'alert' }, undefined],
    [{ mode: 'overlay' }, { part: 'gauge', position: undefined, scale: 1 }],
    [
      { mode: 'overlay', show: 'alert', position: 'top-left', size: '150' },
      { part: 'alert', position: 'top-left', scale: 1.5 },
    ],
    [
      { mode: 'overlay', show: 'code', size: '0' },
      { part: 'code', position: undefined, scale: 0.25 },
    ],
    [
      { mode: 'overlay', show: 'feed', size: '999' },
      { part: 'feed', position: undefined, scale: 3 },
    ],
    [
      { mode: 'overlay', show: ['feed'], position: '"><script>', size: '1e9' },
      { part: 'gauge', position: undefined, scale: 1 },
    ],
  ])('the address %j shows %j', (query, overlay) => {
    expect(overlayOf(query)).toEqual(overlay);
  });
});
