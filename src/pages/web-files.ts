import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ROOT_FOLDER } from '../common/root-folder.js';

/** Output folder of `npm run build` for the files of `web/`. */
const BUILT = new URL('dist/web/', ROOT_FOLDER);
export const FILES_PATH = '/assets';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Addresses of a page's script and style sheets. */
export interface PageFiles {
  readonly script: string | undefined;
  readonly styles: readonly string[];
  /** Files that the script and style sheets load: chunks and fonts. */
  readonly parts: readonly string[];
  /** Files in the `icons` folder of the page, by name. */
  readonly icons: Readonly<Record<string, string>>;
}

interface BuiltPage {
  readonly script?: string;
  readonly styles: readonly string[];
  readonly parts?: readonly string[];
  readonly icons?: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly icon: string;
  readonly pages: Readonly<Record<string, BuiltPage>>;
}

/**
 * Files that pages load. Each name contains a digest of the content, so browsers can cache the file forever. The files were
 * compressed by the build and are cached in memory.
 */
class WebFiles {
  private readonly manifest = JSON.parse(readFileSync(new URL('manifest.json', BUILT), 'utf8')) as Manifest;
  private readonly kept = new Map<string, Promise<Buffer | undefined>>();

  /** @throws Error for a page that was not built */
  of(page: string): PageFiles {
    const files = this.manifest.pages[page];
    if (!files) throw new Error(`web/${page} was not built`);
    return {
      script: files.script && `${FILES_PATH}/${files.script}`,
      styles: files.styles.map((name) => `${FILES_PATH}/${name}`),
      parts: (files.parts ?? []).map((name) => `${FILES_PATH}/${name}`),
      icons: Object.fromEntries(
        Object.entries(files.icons ?? {}).map(([name, file]) => [name, `${FILES_PATH}/${file}`]),
      ),
    };
  }

  /** Returns the built script of a service worker. The service worker has a path of its own. */
  textOf(script: string): string {
    return readFileSync(new URL(`files/${script.slice(FILES_PATH.length + 1)}`, BUILT), 'utf8');
  }

  readonly icon = `${FILES_PATH}/${this.manifest.icon}`;

  readonly handler: RequestHandler = (request, response, next) => {
    this.send(request, response, next).catch(next);
  };

  private async send(request: Request, response: Response, next: NextFunction): Promise<void> {
    const name = request.path.slice(1);
    const type = TYPES[extname(name)];
    if (!type || !/^[\w.-]+$/.test(name) || !/^(GET|HEAD)$/.test(request.method)) {
      next();
      return;
    }
    const accepted = request.acceptsEncodings(['br', 'gzip', 'identity']);
    const choice = ENCODINGS.find(([encoding]) => encoding === accepted);
    const compressed = choice && (await this.read(name + choice[1]));
    const content = compressed ?? (await this.read(name));
    if (!content) {
      next();
      return;
    }
    response.setHeader('Content-Type', type);
    response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    response.setHeader('Vary', 'Accept-Encoding');
    if (compressed) response.setHeader('Content-Encoding', choice[0]);
    response.setHeader('Content-Length', content.length);
    response.end(request.method === 'HEAD' ? undefined : content);
  }

  private read(name: string): Promise<Buffer | undefined> {
    let content = this.kept.get(name);
    if (!content) {
      content = readFile(new URL(`files/${name}`, BUILT)).catch(() => undefined);
      // Only existing files stay in the cache. Otherwise requests with invented names could fill the memory.
      void content.then((found) => found ?? this.kept.delete(name));
      this.kept.set(name, content);
    }
    return content;
  }
}

let files: WebFiles | undefined;

/** All applications in the process share one instance, because the files are the same. */
export const webFiles = (): WebFiles => (files ??= new WebFiles());
