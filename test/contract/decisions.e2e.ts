import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const FOLDER = 'docs/decisions';
const files = readdirSync(FOLDER)
  .filter((file) => file !== 'README.md')
  .sort();

describe('the decision records', () => {
  it('are numbered without holes, in one form of name and title', () => {
    files.forEach((file, index) => {
      expect(file).toMatch(new RegExp(`^${String(index + 1).padStart(4, '0')}-[a-z0-9-]+\\.md$`));
      const [title] = readFileSync(`${FOLDER}/${file}`, 'utf8').split('\n');
      expect(title).toMatch(new RegExp(`^# ${index + 1}\\. \\S`));
    });
  });

  it('are named by their own numbers wherever a text links to one', () => {
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

  it('stand in the index, each under its title', () => {
    const index = readFileSync(`${FOLDER}/README.md`, 'utf8');
    for (const file of files) {
      const title = readFileSync(`${FOLDER}/${file}`, 'utf8')
        .split('\n')[0]
        ?.replace(/^# \d+\. /, '');
      expect(index).toContain(`[${title ?? ''}](${file})`);
    }
  });
});
