/*
 * Standard features that the oldest supported browsers lack (web/README.md lists them): Safari 15.0 to 15.3, Chrome 87,
 * Firefox 90. Each page imports this file first. `eslint-plugin-compat` and `eslint-plugin-es-x` refuse other newer
 * features. Code that runs while a file loads must not use these features: a file that several pages share can run before
 * this one.
 */
// The check of the page (src/pages/old-browser.ts) already shows a note. Without this exception, the script would fail later
// with a misleading error.
if (document.documentElement.dataset['browser'] === 'old')
  throw new Error('This browser is too old for this page');

const define = (target: object, name: string, value: unknown): void => {
  if (!(name in target)) Object.defineProperty(target, name, { value, writable: true, configurable: true });
};

function at<Item>(this: ArrayLike<Item>, index: number): Item | undefined {
  const place = Math.trunc(index) || 0;
  return this[place < 0 ? this.length + place : place];
}
define(Array.prototype, 'at', at);
define(String.prototype, 'at', at);
define(Array.prototype, 'findLastIndex', function <
  Item,
>(this: Item[], test: (item: Item, index: number, list: Item[]) => unknown): number {
  for (let index = this.length - 1; index >= 0; index -= 1)
    if (test(this[index] as Item, index, this)) return index;
  return -1;
});
define(Array.prototype, 'findLast', function <
  Item,
>(this: Item[], test: (item: Item, index: number, list: Item[]) => unknown): Item | undefined {
  return this[this.findLastIndex(test)];
});
define(Array.prototype, 'toReversed', function <Item>(this: Item[]): Item[] {
  return [...this].reverse();
});
define(Object, 'hasOwn', (target: object, name: PropertyKey) =>
  Object.prototype.hasOwnProperty.call(target, name),
);
define(AbortSignal, 'timeout', (milliseconds: number): AbortSignal => {
  const controller = new AbortController();
  setTimeout(() => {
    controller.abort(new DOMException('The operation timed out.', 'TimeoutError'));
  }, milliseconds);
  return controller.signal;
});
// Pages without https also have no `randomUUID`, in any browser. They have `getRandomValues`.
define(crypto, 'randomUUID', (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
});
