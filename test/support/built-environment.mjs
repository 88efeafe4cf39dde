// The Jest environment of the tests in test/. Once per worker, Node itself loads the build of src/ and sandbox/, and
// node_modules/. All test files of the worker use these modules (test/support/built-module.mjs).
import { createRequire } from 'node:module';
import { runInContext } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

const require = createRequire(import.meta.url);

/**
 * Tests and tested code share these classes. So a clock that a test stops also stops in the tested code, and its errors are
 * instances of `Error` in the test.
 */
const SHARED = { Date, Reflect, Error, TypeError, RangeError, SyntaxError, AggregateError, Promise };
/** Makes values of literals in tests, such as `/a/` and `[]`, instances of the classes of the tested code. */
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
