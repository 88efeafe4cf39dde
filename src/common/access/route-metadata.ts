import type { ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';

/**
 * What a decorator says of a route, or of its controller where the route says nothing. Decorators do not change while
 * the process runs: each route is looked at once, and not at every request.
 */
// Only the caller knows what the decorator of this key wrote.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function routeMetadata<Value>(
  reflector: Reflector,
  key: symbol,
): (context: ExecutionContext) => Value | undefined {
  const known = new WeakMap<object, WeakMap<object, { readonly value: Value | undefined }>>();
  return (context) => {
    const controller = context.getClass();
    const handler = context.getHandler();
    let ofController = known.get(controller);
    if (!ofController) known.set(controller, (ofController = new WeakMap()));
    let found = ofController.get(handler);
    if (!found) {
      found = { value: reflector.getAllAndOverride<Value | undefined>(key, [handler, controller]) };
      ofController.set(handler, found);
    }
    return found.value;
  };
}
