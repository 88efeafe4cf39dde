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
