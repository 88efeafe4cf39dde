import { useLayoutEffect, useState } from 'preact/hooks';

/** A value that screens show and that can change. */
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

/** Returns the value for a component. When the value changes, the component is drawn again. */
export function useValue<T>(value: Value<T>): T {
  const [, draw] = useState(0);
  useLayoutEffect(() => {
    const drawn = value.now;
    const again = () => draw((count) => count + 1);
    const stop = value.onChange(again);
    // The value may have changed between the drawing and this effect.
    if (value.now !== drawn) again();
    return stop;
  }, [value]);
  return value.now;
}
