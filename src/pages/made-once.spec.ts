import { describe, expect, it } from '@jest/globals';
import { MadeOnce } from './made-once.js';

const settings = (organization: string) => ({ text: JSON.stringify({ organization }) });

describe('MadeOnce', () => {
  it('renders a page once for each language and version of the settings', () => {
    const shells = new MadeOnce<string>();
    const made: string[] = [];
    const read = (organization: string, language: string) =>
      shells.of(settings(organization), language, () => {
        made.push(`${organization} in ${language}`);
        return made.at(-1) ?? '';
      });
    for (const organization of ['Roof', 'Tower'])
      for (let reads = 0; reads < 3; reads++)
        for (const language of ['en', 'de'])
          expect(read(organization, language)).toBe(`${organization} in ${language}`);
    expect(made).toEqual(['Roof in en', 'Roof in de', 'Tower in en', 'Tower in de']);
  });
});
