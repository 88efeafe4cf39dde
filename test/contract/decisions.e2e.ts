import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const FOLDER = 'docs/decisions';
const files = readdirSync(FOLDER)
  .filter((file) => file !== 'README.md')
  .sort();

describe('the decision records', () => {
  it('each decision record has the standard file name and title and its own number', () => {
    expect(files.length).toBeGreaterThan(30);
    const numbers = files.map((file) => /^(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1] ?? file);
    expect(new Set(numbers).size).toBe(files.length);
    for (const file of files) {
      const [title] = readFileSync(`${FOLDER}/${file}`, 'utf8').split('\n');
      expect(title).toMatch(new RegExp(`^# ${Number(file.slice(0, 4))}\\. \\S`));
    }
  });

  it('a decision record is at most half a page long, or one page with a table', () => {
    const words = (file: string) => readFileSync(`${FOLDER}/${file}`, 'utf8').split(/\s+/).length;
    expect(files.map((file) => [file, words(file)] as const).filter(([, count]) => count > 500)).toEqual([]);
  });

  it('the code refers only to decision records that exist', () => {
    const sources = execFileSync(
      'git',
      ['ls-files', 'src', 'web', 'test', 'bench', 'scripts', 'sandbox', 'eslint'],
      {
        encoding: 'utf8',
      },
    )
      .split('\n')
      .filter((file) => /\.(?:ts|tsx|mjs|mts|css|md)$/.test(file));
    const named = sources.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\b[Dd]ecision \[?(\d+)/g)].map(([, number]) => ({
        file,
        number: Number(number),
      })),
    );
    const known = new Set(files.map((file) => Number(file.slice(0, 4))));
    expect(named.filter(({ number }) => !known.has(number))).toEqual([]);
  });

  it('links to decision records use the number of the record', () => {
    const texts = [
      ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((file) => `docs/${file}`),
    ];
    const links = ['README.md', 'CHANGELOG.md', ...texts.filter((file) => file.endsWith('.md'))].flatMap(
      (file) =>
        [
          ...readFileSync(file, 'utf8').matchAll(
            /\[(?:decision\s+)?(\d+)\]\((?:[\w./]*decisions\/)?((\d{4})-[^)]*)\)/g,
          ),
        ].map(([link, text, target, number]) => ({
          file,
          link,
          text,
          target,
          number: String(Number(number)),
        })),
    );
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter(({ text, number }) => text !== number)).toEqual([]);
    expect(links.filter(({ target = '' }) => !files.includes(target))).toEqual([]);
  });

  it('the index lists every decision record under its title', () => {
    const index = readFileSync(`${FOLDER}/README.md`, 'utf8');
    for (const file of files) {
      const title = readFileSync(`${FOLDER}/${file}`, 'utf8')
        .split('\n')[0]
        ?.replace(/^# \d+\. /, '');
      expect(index).toContain(`[${title ?? ''}](${file})`);
    }
  });
});
