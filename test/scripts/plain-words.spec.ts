import { describe, expect, it } from '@jest/globals';
import { problemsOf, textsOf, textsOfJson } from '../../scripts/plain-words.mjs';
import { ALLOWED } from '../../scripts/plain-words-rules.mjs';

const problems = (text: string) => problemsOf(text).map(({ name }) => name);

describe('the check of plain words', () => {
  it.each([
    ['What who has missed nothing is answered', 'clause as subject'],
    ['Whether an error is a timeout.', 'clause as subject'],
    ['Sends a copy to whoever asked', 'clause as object'],
    ['The relay tells every wall.', 'told, hears of'],
    ['The total is nobody’s news', 'anew, nobody'],
    ['Money that was given back', 'give back'],
    ['The upload goes on in a moment.', 'go on'],
    ['The row is to be written', 'is to be'],
    ['Nothing beside it changes', 'beside'],
    [`The list has ${'very '.repeat(40)}many rows`, 'long sentence'],
  ])('refuses "%s"', (text, name) => {
    expect(problems(text)).toContain(name);
  });

  it.each([
    'Cached acknowledgement for sockets that missed nothing.',
    'True if the provider refunded the payment.',
    'When the database stalls, public reads come from the cache.',
    'What happened?',
    'Tell the donor.',
    'Reads `who` and "what was told" as names.',
  ])('accepts "%s"', (text) => {
    expect(problems(text)).toEqual([]);
  });

  it('reads comments, SQL comments, titles, log messages and error messages of code', () => {
    const source = [
      '// One line',
      '// and the next.',
      "it('books once', () => {",
      "  logger.warn({ msg: 'Batch failed', id });",
      '  logger.info(`Relay of ${name} stopped`);',
      "  throw new ConflictError('CODE', open ? 'Close it' : 'Open it');",
      '});',
      'const SQL = `',
      '  -- Locks the event.',
      '  SELECT 1`;',
    ].join('\n');
    expect(textsOf('x.ts', source).map(({ line, kind, text }) => `${line} ${kind} ${text}`)).toEqual([
      '1 comment // One line\n// and the next.',
      '3 title books once',
      '4 log Batch failed',
      '5 log Relay of … stopped',
      '6 error CODE',
      '6 error Close it',
      '6 error Open it',
      '8 comment Locks the event.',
    ]);
  });

  it('reads every text of a page, and the descriptions of an API', () => {
    expect(textsOfJson('web/pos/texts/en.json', '{"a":{"b":"Take"}}')).toEqual([
      { line: 'a.b', kind: 'text', text: 'Take' },
    ]);
    expect(textsOfJson('openapi.json', '{"description":"A gift","name":"gift"}')).toEqual([
      { line: 'description', kind: 'text', text: 'A gift' },
    ]);
  });

  it('has a reason for each exception', () => {
    for (const { file, words, reason } of ALLOWED) expect([file, words, reason].every(Boolean)).toBe(true);
  });
});
