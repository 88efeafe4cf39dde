import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { printable } from '../images/image-encoder.js';
import { ImagesService } from '../images/images.service.js';

const LARGEST_BYTES = 1024 * 1024;
/** A file directly in the folder; nothing that climbs out of it. */
const LOCAL = /^\/assets\/([A-Za-z0-9_-][A-Za-z0-9._-]*\.(?:png|jpe?g))$/i;

interface KeptLogo {
  readonly version: number;
  readonly image: Buffer | undefined;
}

/**
 * The logo on receipts. Only a picture of this host is used: an uploaded one, which is in the database, or the
 * older form, a file: the asset address `/assets/<name>.png` (or `.jpg`) is
 * `<DATA_DIR>/assets/<name>.png`. An address elsewhere is for browsers; the server never fetches it.
 */
@Injectable()
export class ReceiptLogo {
  private readonly logger = new Logger(ReceiptLogo.name);
  private readonly kept = new Map<string, KeptLogo>();

  constructor(
    private readonly config: AppConfig,
    private readonly images: ImagesService,
  ) {}

  /** A picture that PDFs can hold; undefined where there is none. Never throws. */
  async read(address: string | undefined): Promise<Buffer | undefined> {
    const prefix = `${this.config.publicUrl}/`;
    const path = address?.startsWith(prefix) ? address.slice(prefix.length - 1) : address;
    const uploaded = path?.startsWith('/images/') === true ? await this.uploaded(path) : undefined;
    if (uploaded) return uploaded;
    const name = LOCAL.exec(path ?? '')?.[1];
    return name === undefined ? undefined : await this.readFile(name);
  }

  private async uploaded(path: string): Promise<Buffer | undefined> {
    try {
      return await this.images.printable(path);
    } catch (error) {
      this.logger.warn({ msg: 'an uploaded logo cannot be read', err: error });
      return undefined;
    }
  }

  private async readFile(name: string): Promise<Buffer | undefined> {
    const file = await open(join(this.config.dataDir, 'assets', name)).catch(() => undefined);
    if (!file) return undefined;
    try {
      const { size, mtimeMs } = await file.stat();
      const kept = this.kept.get(name);
      if (kept?.version === mtimeMs) return kept.image;
      const picture = size <= LARGEST_BYTES ? await file.readFile() : undefined;
      const image = picture && (await printable(picture).catch(() => undefined));
      if (!image)
        this.logger.warn(
          `assets/${name} is not printed: it must be a PNG or JPEG of at most 1 MB and 25 million pixels`,
        );
      this.kept.set(name, { version: mtimeMs, image });
      return image;
    } catch (error) {
      this.logger.warn(
        `assets/${name} cannot be read: ${error instanceof Error ? error.message : 'unknown'}`,
      );
      return undefined;
    } finally {
      await file.close();
    }
  }
}
