// What the bundler does otherwise than by itself, so that a start takes less time and what runs less memory.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, relative } from 'node:path';

/** Parts of packages that nothing of ours uses, but that are loaded with the rest: left for whoever calls them first. */
const UNUSED = ['libphonenumber-js/max', 'multer', 'brotli/decompress.js'];

export const unusedParts = {
  name: 'unused-parts',
  setup(bundle) {
    bundle.onResolve({ filter: new RegExp(`^(${UNUSED.join('|')})$`) }, ({ path }) => ({
      path,
      namespace: 'unused',
    }));
    // `(0, require)` is that of the banner: a plain one would be followed by the bundler.
    bundle.onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: `let part;
const loaded = () => (part ??= (0, require)(${JSON.stringify(path)}));
module.exports = new Proxy(function () {}, {
  get: (_, name) => Reflect.get(loaded(), name),
  apply: (_, self, values) => Reflect.apply(loaded(), self, values),
});`,
      loader: 'js',
    }));
  },
};

/**
 * What libraries tell who looks for their faults: each of them asks a hundred times a request and a connection whether anybody
 * listens. Nobody does unless `DEBUG` was set at the start.
 */
export const silentDebug = {
  name: 'silent-debug',
  setup(bundle) {
    bundle.onResolve({ filter: /^debug$/ }, ({ path }) => ({ path, namespace: 'silent' }));
    bundle.onLoad({ filter: /.*/, namespace: 'silent' }, () => ({
      contents: `function silent() {}
Object.assign(silent, { enabled: false, extend: () => silent });
const make = () => silent;
Object.assign(make, { default: make, debug: make, enable() {}, disable: () => '', enabled: () => false });
module.exports = process.env.DEBUG ? (0, require)('debug') : make;`,
      loader: 'js',
    }));
  },
};

/**
 * An `import` of Node's own module for HTTP makes Node look at each of its exports, and one of them is the WebSocket of
 * `fetch`: all of that is loaded, which takes 14 MB (Node 24). `require` does not look.
 */
export const httpByRequire = {
  name: 'http-by-require',
  setup(bundle) {
    bundle.onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'node:http', namespace: 'required' } : undefined,
    );
    bundle.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = (0, require)(${JSON.stringify(path)});`,
      loader: 'js',
    }));
  },
};

/** Lists that come with packages. */
export const packageData = (root) => ({
  name: 'package-data',
  setup(bundle) {
    const { resolve } = createRequire(`${root}/package.json`);
    // Of the list of media types three versions are installed, 2,500 types each: the newest is enough for all.
    bundle.onResolve({ filter: /^mime-db$/ }, () => ({ path: resolve('mime-db') }));
    // Half a megabyte for letters of other alphabets in a request: read with the first of them.
    bundle.onResolve({ filter: /^\.\/tables\/.*\.json$/ }, ({ path, importer }) =>
      /[\\/]node_modules[\\/]iconv-lite[\\/]/.test(importer)
        ? { path: `iconv-lite/encodings/${path.slice(2)}`, external: true }
        : undefined,
    );
    // As an expression, V8 keeps a pattern beside each object, and most objects as tables of their own.
    bundle.onLoad({ filter: /[\\/]node_modules[\\/].*\.json$/ }, async ({ path }) => {
      const text = JSON.stringify(JSON.parse(await readFile(path, 'utf8')));
      return { contents: `module.exports = JSON.parse(${JSON.stringify(text)});`, loader: 'js' };
    });
  },
});

/** What the compiler of TypeScript puts into each file that needs it. */
const HELPER = /^function (_ts_(?:decorate|metadata|param))\([^]*?^}$/gm;

/**
 * Where a parameter has a type of Express, the compiler writes down what has the same name in Node: to look at that loads
 * the whole of `fetch`, 16 MB that a server with nothing to fetch does not need. Nobody asks for the type of these.
 */
const TYPES_OF_FETCH = /typeof (Request|Response) === "undefined" \? Object : \1\b/g;

/**
 * `import.meta.url` of our own files stays what it was: fonts, pages and migrations are found from there. The compiler's
 * helpers, which each file has for itself, are in the bundle once.
 */
export const ourFiles = ({ dist, out }) => ({
  name: 'our-files',
  setup(bundle) {
    const helpers = new Map();
    bundle.onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!path.startsWith(dist)) return undefined;
      const source = await readFile(path, 'utf8');
      const from = relative(out, path).split('\\').join('/');
      const address = `new URL(${JSON.stringify(from)}, import.meta.url).href`;
      const contents = source
        .replaceAll('import.meta.url', address)
        .replace(TYPES_OF_FETCH, 'Object')
        .replace(HELPER, (text, name) => {
          helpers.set(name, text);
          return `import { ${name} } from "helper:${name}";`;
        });
      return { contents, loader: 'js', resolveDir: dirname(path) };
    });
    bundle.onResolve({ filter: /^helper:/ }, ({ path }) => ({
      path: path.slice('helper:'.length),
      namespace: 'helper',
    }));
    bundle.onLoad({ filter: /.*/, namespace: 'helper' }, ({ path }) => ({
      contents: `export ${helpers.get(path)}`,
      loader: 'js',
    }));
  },
});
