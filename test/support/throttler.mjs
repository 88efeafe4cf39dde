// Stands for '@nestjs/throttler' in the tests: the same code, loaded another way. The library is CommonJS and
// requires Nest, which is an ES module; Node does that, Jest's module loader only from Node 24.9 on.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as crypto from 'node:crypto';
import * as asyncHooks from 'node:async_hooks';
import * as net from 'node:net';
import * as common from '@nestjs/common';
import * as core from '@nestjs/core';

const outside = new Map([
  ['@nestjs/common', common],
  ['@nestjs/core', core],
  ['async_hooks', asyncHooks],
  ['node:crypto', crypto],
  ['net', net],
]);
const loaded = new Map();

function load(file) {
  let module = loaded.get(file);
  if (!module) {
    module = { exports: {} };
    loaded.set(file, module);
    const folder = dirname(file);
    const require = (name) => {
      if (name.startsWith('.')) return load(`${join(folder, name)}.js`);
      const found = outside.get(name);
      if (!found) throw new Error(`${file} requires ${name}, which test/support/throttler.mjs does not know`);
      return found;
    };
    new Function('require', 'exports', 'module', readFileSync(file, 'utf8'))(require, module.exports, module);
  }
  return module.exports;
}

export const { InjectThrottlerOptions, InjectThrottlerStorage, ThrottlerGuard, ThrottlerModule } = load(
  // Not by resolving the name: in the tests it means this file.
  fileURLToPath(new URL('../../node_modules/@nestjs/throttler/dist/index.js', import.meta.url)),
);
