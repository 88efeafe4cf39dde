// The environment of the tests in test/. Node itself loads the build of src/, sandbox/ and node_modules/ for them once
// per worker, and keeps it compiled from file to file (test/support/built-module.mjs).
import { createRequire } from 'node:module';
import { runInContext } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

const require = createRequire(import.meta.url);

/** Shared with the tested code, so that a stopped clock stops there too, and its errors are `Error` in the test. */
const SHARED = { Date, Reflect, Error, TypeError, RangeError, SyntaxError, AggregateError, Promise };
/** Makes values of test literals such as `/a/` and `[]` instances of the same classes in the tested code. */
const KINDS = { RegExp, Array, Map, Set, Error, TypeError, RangeError, SyntaxError, Promise };

export default class BuiltEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    for (const [name, outer] of Object.entries(KINDS)) {
      const inner = runInContext(name, this.context);
      Object.setPrototypeOf(inner.prototype, outer.prototype);
    }
    Object.assign(this.global, SHARED, { loadOutside: require });
  }
}
