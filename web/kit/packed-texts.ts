/** Unpacks the texts of a page. `scripts/text-modules.mjs` packs them: `a{b,c}`, then a line for each text. */
export function unpackTexts(packed: string): Record<string, string> {
  const [keys = '', ...texts] = packed.split('\n');
  const table: Record<string, string> = {};
  const path: string[] = [];
  let next = 0;
  for (const [, name = '', mark] of keys.matchAll(/([^{},]*)([{},]|$)/g)) {
    if (mark === '{') path.push(name);
    else if (name !== '') table[[...path, name].join('.')] = texts[next++] ?? '';
    if (mark === '}') path.pop();
  }
  return table;
}
