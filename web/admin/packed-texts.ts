/** The texts of a language by their keys. The build packs them; see `scripts/build-web.mjs`. */
export function unpackTexts(packed: string): Readonly<Record<string, string>> {
  const lines = packed.split('\n');
  const count = lines.length / 2;
  let key = '';
  return Object.fromEntries(
    lines.slice(0, count).map((line, index) => {
      key = key.slice(0, parseInt(line.charAt(0), 36)) + line.slice(1);
      return [key, lines[count + index] ?? ''];
    }),
  );
}
