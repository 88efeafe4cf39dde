import { LRUCache } from 'lru-cache';

type Cacheable = string | number | boolean | object;

type CacheOptions<Key extends string, Value extends Cacheable, Context> = Omit<
  LRUCache.OptionsBase<Key, Value, Context>,
  'max' | 'maxSize' | 'sizeCalculation'
>;

/**
 * A cache with a maximum number of entries. If the cache is full, it removes the least recently used entry. The memory of the
 * cache grows with its content. With the option `max`, the library would allocate memory for all entries at once: 16 bytes or
 * more for each. For tens of thousands of rarely used entries, that would be megabytes in every process.
 */
export const boundedCache = <Value extends Cacheable, Context = unknown, Key extends string = string>(
  most: number,
  options: CacheOptions<Key, Value, Context> = {},
): LRUCache<Key, Value, Context> =>
  new LRUCache<Key, Value, Context>({ ...options, maxSize: most, sizeCalculation: () => 1 });
