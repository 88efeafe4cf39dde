/**
 * A pasted name, and whether it can be added. `known`: a member has this name. `twice`: the name appears
 * earlier in the list.
 */
export interface PastedName {
  readonly name: string;
  readonly fate: 'new' | 'known' | 'twice' | 'long';
}

const LONGEST = 200;
const comparable = (name: string): string => name.toLocaleLowerCase().normalize('NFC');

/**
 * Reads one name per line. A member has only a name, so the columns after `;` or a tab (such as a role) are
 * left out.
 * @param team names of the present members
 */
export function pastedNames(
  text: string,
  team: readonly string[],
): { readonly names: readonly PastedName[]; readonly hasColumns: boolean } {
  const known = new Set(team.map(comparable));
  const seen = new Set<string>();
  const lines = text.split(/\r\n?|\n/).filter((line) => line.trim() !== '');
  const names = lines.flatMap((line): PastedName[] => {
    const name = (/^[^;\t]*/.exec(line)?.[0] ?? '').trim().replace(/\s+/g, ' ');
    if (name === '') return [];
    const key = comparable(name);
    const fate = name.length > LONGEST ? 'long' : seen.has(key) ? 'twice' : known.has(key) ? 'known' : 'new';
    seen.add(key);
    return [{ name, fate }];
  });
  return { names, hasColumns: lines.some((line) => /[;\t]\s*\S/.test(line)) };
}
