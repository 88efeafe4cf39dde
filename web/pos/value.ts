import { useLayoutEffect, useState } from 'preact/hooks';

/** A changing value that screens show. */
export class Value<T> {
  private readonly listeners = new Set<() => void>();

  constructor(private current: T) {}

  get now(): T {
    return this.current;
  }

  set(next: T): void {
    if (Object.is(next, this.current)) return;
    this.current = next;
    for (const listener of this.listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** The value in a component, which is drawn again when it changes. */
export function useValue<T>(value: Value<T>): T {
  const [, draw] = useState(0);
  useLayoutEffect(() => {
    const drawn = value.now;
    const again = () => draw((count) => count + 1);
    const stop = value.onChange(again);
    // It may have changed between drawing and this effect.
    if (value.now !== drawn) again();
    return stop;
  }, [value]);
  return value.now;
}
