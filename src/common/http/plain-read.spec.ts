import { describe, expect, it } from '@jest/globals';
import { plainRead } from './plain-read.js';

const read = (rawHeaders: string[], httpVersionMinor = 1) =>
  plainRead({ httpVersionMajor: 1, httpVersionMinor, rawHeaders });
const HOST = ['Host', 'give.example.org'];
const NOTHING = {
  origin: undefined,
  acceptEncoding: undefined,
  ifNoneMatch: undefined,
  requestId: undefined,
};

describe('a plain read', () => {
  it('says what its answer depends on, however its names are written', () => {
    expect(read(HOST)).toEqual(NOTHING);
    expect(
      read([
        ...['host', 'a', 'User-Agent', 'x', 'ORIGIN', 'https://a.example', 'Accept-Encoding', 'gzip, br'],
        ...['if-none-match', '"1"', 'X-Request-Id', 'r1', 'Content-Length', '0', 'Cookie', 'a=b'],
      ]),
    ).toEqual({
      origin: 'https://a.example',
      acceptEncoding: 'gzip, br',
      ifNoneMatch: '"1"',
      requestId: 'r1',
    });
  });

  it.each([
    ['Authorization', 'Bearer x'],
    ['X-Device-Token', 'x'],
    ['Transfer-Encoding', 'chunked'],
    ['Content-Length', '1'],
    ['Range', 'bytes=0-1'],
    ['Expect', '100-continue'],
    ['If-Match', '"1"'],
  ])('is none with %s: %s', (name, value) => {
    expect(read([...HOST, name, value])).toBeUndefined();
    expect(read([...HOST, name.toUpperCase(), value])).toBeUndefined();
  });

  it.each(['Origin', 'Accept-Encoding', 'If-None-Match', 'X-Request-Id'])('is none with %s twice', (name) => {
    expect(read([...HOST, name, 'a'])).toBeDefined();
    expect(read([...HOST, name, 'a', name.toLowerCase(), 'a'])).toBeUndefined();
  });

  it('is none without a host, and of another version', () => {
    expect(read([])).toBeUndefined();
    expect(read(HOST, 0)).toBeUndefined();
  });
});
