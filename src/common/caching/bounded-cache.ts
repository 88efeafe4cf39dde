import { LRUCache } from 'lru-cache';

type Cacheable = string | number | boolean | object;

type CacheOptions<Key extends string, Value extends Cacheable, Context> = Omit<
  LRUCache.OptionsBase<Key, Value, Context>,
  'max' | 'maxSize' | 'sizeCalculation'
>;

/**
 * At most so many entries; the longest unused goes first. It takes memory as it fills: given `max`, the library makes
 * room for all of them at once, 16 bytes an entry and more with times, which for tens of thousands that seldom come is
 * megabytes in every process.
 */
export const boundedCache = <Value extends Cacheable, Context = unknown, Key extends string = string>(
  most: number,
  options: CacheOptions<Key, Value, Context> = {},
): LRUCache<Key, Value, Context> =>
  new LRUCache<Key, Value, Context>({ ...options, maxSize: most, sizeCalculation: () => 1 });
