import { crc32, deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { as, errorBody } from '../support/bearer.js';
import { onFile } from '../export/tools.js';
import { adminToken, createEvent, createStaff, sql } from '../support/fixtures.js';
import { stripedLogo } from '../support/logos.js';
import { withService } from '../support/setup.js';
import { itWithTool } from '../support/tools.js';

const app = withService();
let token: string;

beforeAll(async () => {
  token = await adminToken(app);
});

const upload = (bytes: Buffer, type = 'image/png', who = token) =>
  as(app, who).post('/images').set('Content-Type', type).send(bytes);
const picture = (width = 40, height = 20) =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 30, b: 90, alpha: 0.5 } } });
const pathOf = (body: unknown) => (body as { path: string }).path;

/** Returns a PNG of a few kilobytes with this many black pixels. */
function bomb(width: number, height: number): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, check]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.writeUInt8(1, 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('an uploaded image', () => {
  it.each(['png', 'jpeg', 'webp'] as const)(
    'an uploaded %s image is stored as WebP and served with an unlimited cache time',
    async (format) => {
      const { body } = await upload(await picture().toFormat(format).toBuffer(), `image/${format}`).expect(
        201,
      );
      expect(body).toEqual({
        path: expect.stringMatching(/^\/images\/[0-9a-f]{64}\.webp$/),
        width: 40,
        height: 20,
      });
      const served = await app.http.get(pathOf(body)).buffer(true).expect(200);
      expect(served.headers).toMatchObject({
        'content-type': 'image/webp',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      });
      expect(await sharp(served.body as Buffer).metadata()).toMatchObject({
        format: 'webp',
        width: 40,
        height: 20,
      });
      const { etag = '' } = served.headers as { etag?: string };
      const again = await app.http.get(pathOf(body)).set('If-None-Match', etag).expect(304);
      expect(again.text).toBeFalsy();
    },
  );

  it('an uploaded image loses location, camera and trailing data, and is rotated as its metadata says', async () => {
    const jpeg = await picture()
      .withExif({ IFD0: { Copyright: 'SECRET-OWNER' }, IFD3: { GPSLatitude: '52/1 31/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const { body } = await upload(
      Buffer.concat([jpeg, Buffer.from('PK\u0003\u0004<script>hidden</script>')]),
      'image/jpeg',
    ).expect(201);
    expect(body).toMatchObject({ width: 20, height: 40 });
    const content = (await app.http.get(pathOf(body)).buffer(true).expect(200)).body as Buffer;
    const { exif, icc, xmp, orientation } = await sharp(content).metadata();
    expect([exif, icc, xmp, orientation]).toEqual([undefined, undefined, undefined, undefined]);
    for (const word of ['SECRET-OWNER', 'script', 'PK\u0003\u0004', 'Exif'])
      expect(content.toString('latin1')).not.toContain(word);
  });

  it('a large image is made smaller, and the same image is stored once', async () => {
    const large = await picture(3000, 1000).png().toBuffer();
    const first = (await upload(large).expect(201)).body as object;
    expect(first).toMatchObject({ width: 2000, height: 667 });
    expect((await upload(large).expect(201)).body).toEqual(first);
    const rows = await sql(
      app,
      "SELECT 1 FROM audit_entry WHERE action = 'image.upload' AND subject_id = $1",
      [pathOf(first).slice(8, 72)],
    );
    expect(rows).toHaveLength(1);
  });

  itWithTool(
    'pdfimages',
    'an uploaded image can be the logo of the pages and is printed on receipts',
    async () => {
      const { body } = await upload(await picture(400, 160).png().toBuffer()).expect(201);
      const admin = as(app, token);
      await admin.patch('/settings/global', { theme: { assets: { logo: pathOf(body) } } }).expect(200);
      const event = await createEvent(app, token);
      const { body: donation } = await admin
        .post('/donations', { amount: 100, type: 'cash', eventId: event.id })
        .expect(201);
      const receipt = await admin
        .get(`/export/receipts/${(donation as { id: string }).id}`)
        .buffer(true)
        .expect(200);
      expect(await onFile('pdfimages', ['-list', '{}'], receipt.body as Buffer)).toMatch(/\b400\s+160\b/);
      const page = await app.http.get(`/donate/${event.slug}`).expect(200);
      expect(page.text).toContain(pathOf(body));
    },
  );
});

describe('refused images', () => {
  it('a file that is not an image, or not of its declared type, is refused', async () => {
    const png = await picture().png().toBuffer();
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    const cases: [Buffer, string, number, string][] = [
      [svg, 'image/svg+xml', 415, 'UNSUPPORTED_MEDIA_TYPE'],
      [svg, 'image/png', 400, 'IMAGE_UNREADABLE'],
      [png, 'image/jpeg', 400, 'IMAGE_UNREADABLE'],
      [png, 'image/gif', 415, 'UNSUPPORTED_MEDIA_TYPE'],
      [png, 'multipart/form-data; boundary=x', 415, 'UNSUPPORTED_MEDIA_TYPE'],
      [png.subarray(0, png.length - 30), 'image/png', 400, 'IMAGE_UNREADABLE'],
      [png.subarray(0, 8), 'image/png', 400, 'IMAGE_UNREADABLE'],
      [Buffer.from('RIFF\u0000\u0000\u0000\u0000WEBP%PDF-1.7'), 'image/webp', 400, 'IMAGE_UNREADABLE'],
      [Buffer.from('GIF89a/*<html>*/'), 'image/webp', 400, 'IMAGE_UNREADABLE'],
    ];
    for (const [bytes, type, status, code] of cases) {
      const { body } = await upload(bytes, type);
      expect([type, (body as { statusCode: number }).statusCode, (body as { code: string }).code]).toEqual([
        type,
        status,
        code,
      ]);
    }
    await upload(Buffer.alloc(0)).expect(400);
  });

  it('an animated image is refused', async () => {
    const frames = await Promise.all(
      [10, 250].map((r) =>
        sharp({ create: { width: 10, height: 10, channels: 3, background: { r, g: 0, b: 0 } } })
          .png()
          .toBuffer(),
      ),
    );
    const animated = await sharp(frames, { join: { animated: true } })
      .webp()
      .toBuffer();
    const { body } = await upload(animated, 'image/webp').expect(400);
    expect(body).toEqual(errorBody(400, 'Bad Request', 'IMAGE_ANIMATED'));
    const still = await picture().png().toBuffer();
    const moving = Buffer.concat([
      still.subarray(0, 33),
      Buffer.from('\u0000\u0000\u0000\u0008acTL'),
      still.subarray(33),
    ]);
    await upload(moving).expect(400);
  });

  it('an image is refused if it has too many bytes, or too many pixels before decoding', async () => {
    const { body } = await upload(Buffer.alloc(5 * 1024 * 1024 + 1)).expect(413);
    expect(body).toEqual(errorBody(413, 'Payload Too Large', 'BODY_TOO_LARGE'));
    const small = bomb(20_000, 20_000);
    expect(small.length).toBeLessThan(100_000);
    const before = process.memoryUsage().rss;
    const refused = await upload(small).expect(413);
    expect(refused.body).toEqual(errorBody(413, 'Payload Too Large', 'IMAGE_TOO_LARGE'));
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  it('an upload without admin rights is refused before the file is read', async () => {
    const png = await picture().png().toBuffer();
    await app.http.post('/images').set('Content-Type', 'image/png').send(png).expect(401);
    const event = await createEvent(app, token);
    const staff = await createStaff(app, token, event.id);
    await upload(png, 'image/png', staff.token).expect(403);
  });

  it('a dark logo of an earlier release gets a plate on dark pages, and the file keeps what was read', async () => {
    const { body } = await upload(await stripedLogo([16, 24, 42])).expect(201);
    const digest = pathOf(body).slice('/images/'.length, -'.webp'.length);
    const stored = async () => {
      const [row] = await sql<{ edge_tones: Buffer | null }>(
        app,
        'SELECT edge_tones FROM image WHERE digest = $1',
        [digest],
      );
      return row?.edge_tones;
    };
    const uploaded = await stored();
    expect(uploaded).toHaveLength(16);
    await sql(app, 'UPDATE image SET edge_tones = NULL WHERE digest = $1', [digest]);
    const event = await createEvent(app, token);
    await as(app, token)
      .patch(`/events/${event.id}/branding`, { assets: { logo: pathOf(body) } })
      .expect(200);
    const { text } = await app.http.get(`/donate/${event.slug}`).set('Accept', 'text/html').expect(200);
    const [light, dark] = text.split('prefers-color-scheme:dark');
    expect(light).toContain('--logo-plated:0');
    expect(dark).toContain('--logo-plate:#ffffff;--logo-plated:1');
    expect(await stored()).toEqual(uploaded);
  });

  it('an unknown image address answers 404', async () => {
    for (const file of [`${'0'.repeat(64)}.webp`, 'logo.png', '..%2f..%2fetc%2fpasswd', 'x'])
      expect((await app.http.get(`/images/${file}`).expect(404)).body).toMatchObject({ statusCode: 404 });
  });
});
