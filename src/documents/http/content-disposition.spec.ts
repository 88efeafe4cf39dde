import { describe, expect, it } from '@jest/globals';
import { attachment } from './content-disposition.js';

describe('the Content-Disposition file name', () => {
  it('sends the file name in ASCII and in its original letters', () => {
    expect(attachment('Spenden für Zoë.csv')).toBe(
      `attachment; filename="Spenden fur Zoe.csv"; filename*=UTF-8''Spenden%20f%C3%BCr%20Zo%C3%AB.csv`,
    );
  });

  it.each([
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['a"; filename="b.exe', 'a__ filename=_b.exe'.replace('=', '_')],
    ['x\r\nSet-Cookie: a=b', 'x__Set-Cookie_ a_b'],
    ['back\\slash', 'back_slash'],
  ])('cannot be used to add header values: %j', (name, plain) => {
    const header = attachment(name);
    expect(header).toContain(`filename="${plain}"`);
    expect(header).not.toMatch(/[\r\n]/);
    expect(header.match(/"/g)).toHaveLength(2);
  });

  it('shortens a long file name and keeps its extension', () => {
    const name = /filename\*=UTF-8''(\S+)/.exec(attachment(`${'🎉'.repeat(200)}.csv`))?.[1] ?? '';
    expect(Buffer.byteLength(decodeURIComponent(name))).toBeLessThanOrEqual(240);
    expect(decodeURIComponent(name)).toMatch(/🎉….csv$/u);
  });

  it('uses the name "download" for an empty name', () => {
    expect(attachment(' ')).toContain('filename="download"');
  });

  it('encodes a file name with broken characters', () => {
    expect(attachment('a\uD800b')).toContain('filename=');
  });
});
