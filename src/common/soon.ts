/** What is mostly known at once: a promise for each would make every request wait in a queue, and costs more than the answer. */
export type Soon<Value> = Value | Promise<Value>;

/** Goes on with a value, at once where it is known. */
export function soon<Value, Next>(value: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}
