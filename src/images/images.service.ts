import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { ConflictError, NotFoundError } from '../common/errors/domain-errors.js';
import { PrismaService } from '../data/prisma.service.js';
import type { ImageDto } from './dto/image.dto.js';
import type { EdgeTones } from '../settings/logo-plate.js';
import { encodeImage, printable, readEdgeTones } from './image-encoder.js';

/** The address of an image contains a digest of its content. So the content behind an address never changes. */
const ADDRESS = /^\/images\/([0-9a-f]{64})\.webp$/;
const FILE = /^([0-9a-f]{64})\.webp$/;
const KEPT_BYTES = 32 * 1024 * 1024;
/** Maximum number of images; enough logos and covers for several hundred events. */
const MOST_KEPT = 1_000;

/** Stores and reads images uploaded by admins. */
@Injectable()
export class ImagesService {
  private readonly kept = new LRUCache<string, Buffer>({
    maxSize: KEPT_BYTES,
    sizeCalculation: (content) => content.length,
  });

  constructor(
    private readonly prisma: PrismaService,
    private readonly audit: Audit,
  ) {}

  /**
   * Stores an image. If the same image is stored again, the address is the same.
   * @throws like `encodeImage`; ConflictError `IMAGES_FULL`
   */
  async add(caller: Principal, bytes: Buffer, contentType: string): Promise<ImageDto> {
    const { content, width, height, edgeTones } = await encodeImage(bytes, contentType);
    const digest = createHash('sha256').update(content).digest('hex');
    await this.prisma.transaction(async (tx) => {
      if (await tx.image.findUnique({ where: { digest }, select: { digest: true } })) return;
      if ((await tx.image.count()) >= MOST_KEPT)
        throw new ConflictError('IMAGES_FULL', `At most ${MOST_KEPT} images can be stored`);
      await tx.image.createMany({
        data: [
          { digest, content: new Uint8Array(content), width, height, edgeTones: Uint8Array.from(edgeTones) },
        ],
        skipDuplicates: true,
      });
      await this.audit.record(actorOf(caller), 'image.upload', digest, { width, height }, tx);
    });
    return { path: `/images/${digest}.webp`, width, height };
  }

  /** @throws NotFoundError `IMAGE_NOT_FOUND` */
  async read(file: string): Promise<{ readonly digest: string; readonly content: Buffer }> {
    const digest = FILE.exec(file)?.[1];
    const content = digest === undefined ? undefined : await this.content(digest);
    if (digest === undefined || !content)
      throw new NotFoundError('IMAGE_NOT_FOUND', 'There is no such image');
    return { digest, content };
  }

  /** Returns the image at an address of this server, converted for a PDF. Returns undefined for any other address. */
  async printable(address: string): Promise<Buffer | undefined> {
    const digest = ADDRESS.exec(address)?.[1];
    if (digest === undefined) return undefined;
    const known = this.kept.get(`print:${digest}`);
    if (known) return known;
    const content = await this.content(digest);
    const picture = content && (await printable(content));
    if (picture) this.kept.set(`print:${digest}`, picture);
    return picture;
  }

  /**
   * Returns the lightness of an image at its edges; undefined for an address that is not of this server. Images of earlier
   * releases are read at the first use.
   */
  async edgeTones(address: string): Promise<EdgeTones | undefined> {
    const digest = ADDRESS.exec(address)?.[1];
    if (digest === undefined) return undefined;
    const { image } = await this.prisma.client();
    const row = await image.findUnique({ where: { digest }, select: { edgeTones: true } });
    if (!row) return undefined;
    if (row.edgeTones) return [...row.edgeTones];
    const content = await this.content(digest);
    if (!content) return undefined;
    const edgeTones = await readEdgeTones(content);
    await image.updateMany({
      where: { digest, edgeTones: null },
      data: { edgeTones: Uint8Array.from(edgeTones) },
    });
    return edgeTones;
  }

  private async content(digest: string): Promise<Buffer | undefined> {
    const known = this.kept.get(digest);
    if (known) return known;
    const row = await (
      await this.prisma.client()
    ).image.findUnique({ where: { digest }, select: { content: true } });
    if (!row) return undefined;
    const content = Buffer.from(row.content);
    this.kept.set(digest, content);
    return content;
  }
}
