// The environment of the tests in test/: what they import from src/, sandbox/ and node_modules/ is loaded by Node
// itself, from the build, once per worker, and stays compiled from file to file (test/support/built-module.mjs).
import { createRequire } from 'node:module';
import { runInContext } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

const require = createRequire(import.meta.url);

/** A clock that a test stops stops for what it tests, and what it catches is an `Error` to it. */
const SHARED = { Date, Reflect, Error, TypeError, RangeError, SyntaxError, AggregateError, Promise };
/** What a test makes with its own words, such as `/a/` and `[]`, is `instanceof` these for the code that it is given to. */
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
