import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { strongTag } from '../common/http/kept-answers.js';
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
  /** The script of `/embed.js`. */
  readonly embed: string;
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
    const { content, encoding } = await this.formFor(name, request);
    if (!content) {
      next();
      return;
    }
    response.setHeader('Content-Type', type);
    response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    response.setHeader('Vary', 'Accept-Encoding');
    if (encoding) response.setHeader('Content-Encoding', encoding);
    response.setHeader('Content-Length', content.length);
    response.end(request.method === 'HEAD' ? undefined : content);
  }

  /**
   * Sends `/embed.js`. The address never changes, because charities paste it into their websites. So browsers keep the script
   * for an hour, and ask for a newer one in the background for another week.
   */
  async sendEmbedScript(request: Request, response: Response): Promise<void> {
    const { content, encoding } = await this.formFor(this.manifest.embed, request);
    if (!content) throw new Error('web/embed was not built');
    response.setHeader('Cache-Control', 'public, max-age=3600, stale-while-revalidate=604800');
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('ETag', strongTag(content));
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    response.setHeader('Content-Type', TYPES['.js'] ?? '');
    if (encoding) response.setHeader('Content-Encoding', encoding);
    response.end(content);
  }

  /** Returns the best form of a file for the browser: compressed if the build compressed the file. */
  private async formFor(
    name: string,
    request: Request,
  ): Promise<{ content: Buffer | undefined; encoding?: string }> {
    const accepted = request.acceptsEncodings(['br', 'gzip', 'identity']);
    const choice = ENCODINGS.find(([encoding]) => encoding === accepted);
    const compressed = choice && (await this.read(name + choice[1]));
    return compressed ? { content: compressed, encoding: choice[0] } : { content: await this.read(name) };
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
