import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { printable } from '../images/image-encoder.js';
import { ImagesService } from '../images/images.service.js';

const LARGEST_BYTES = 1024 * 1024;
/** A file directly in the assets folder. A path to another folder does not match. */
const LOCAL = /^\/assets\/([A-Za-z0-9_-][A-Za-z0-9._-]*\.(?:png|jpe?g))$/i;

interface KeptLogo {
  readonly version: number;
  readonly image: Buffer | undefined;
}

/**
 * The logo on receipts. The server uses only its own images. This is an uploaded image in the database or, in the older form,
 * the file `<DATA_DIR>/assets/<name>.png` (or `.jpg`) with the address `/assets/<name>.png`. The server never requests another
 * address; only browsers do.
 */
@Injectable()
export class ReceiptLogo {
  private readonly logger = new Logger(ReceiptLogo.name);
  private readonly kept = new Map<string, KeptLogo>();

  constructor(
    private readonly config: AppConfig,
    private readonly images: ImagesService,
  ) {}

  /** The logo in a format for PDFs; undefined without a logo. Never throws. */
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
      this.logger.warn({ msg: 'Uploaded logo could not be read', err: error });
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
          `assets/${name} is not printed on receipts; it must be a PNG or JPEG of at most 1 MB and 25 million pixels`,
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
