import { LRUCache } from 'lru-cache';

type Cacheable = string | number | boolean | object;

type CacheOptions<Key extends string, Value extends Cacheable, Context> = Omit<
  LRUCache.OptionsBase<Key, Value, Context>,
  'max' | 'maxSize' | 'sizeCalculation'
>;

/**
 * A cache with a maximum number of entries; the least recently used is evicted first. Its memory grows with its content. With
 * `max`, the library would allocate for all entries at once: 16 bytes an entry, more with times. For tens of thousands of
 * rarely used entries that is megabytes in every process.
 */
export const boundedCache = <Value extends Cacheable, Context = unknown, Key extends string = string>(
  most: number,
  options: CacheOptions<Key, Value, Context> = {},
): LRUCache<Key, Value, Context> =>
  new LRUCache<Key, Value, Context>({ ...options, maxSize: most, sizeCalculation: () => 1 });
