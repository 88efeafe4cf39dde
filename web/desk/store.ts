import { useEffect, useState } from 'preact/hooks';

/** A value that several components show. */
export class Store<Value> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: Value) {}

  get(): Value {
    return this.value;
  }

  set(next: Value): void {
    if (Object.is(next, this.value)) return;
    this.value = next;
    for (const listener of [...this.listeners]) listener();
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}

/** Returns the value of a store. When the value changes, the component is drawn again. */
export function useStore<Value>(store: Store<Value>): Value {
  const [value, setValue] = useState(() => store.get());
  useEffect(() => {
    const read = () => setValue(() => store.get());
    read();
    return store.subscribe(read);
  }, [store]);
  return value;
}
