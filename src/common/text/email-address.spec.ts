import { describe, expect, it } from '@jest/globals';
import { comparableEmail, comparableEmails, emailProblem, tidyEmail } from './email-address.js';

describe('an e-mail address', () => {
  it.each([
    'ada@example.org',
    'Ada.Lovelace+gala@Mail.Example.ORG',
    "o'brien_{x}!#$%&*=?^`|~-@example.org",
    'zoë@bücher.example',
    'a@xn--bcher-kva.example',
    `${'a'.repeat(64)}@example.org`,
    'a@1and1.example',
    'a@b-c.example',
    '用户@例子.广告',
  ])('is accepted: %s', (text) => {
    expect(emailProblem(text)).toBeUndefined();
  });

  it.each([
    'a..b@example.org',
    '.a@example.org',
    'a.@example.org',
    'a@-x.example',
    'a@x-.example',
    'a@x..example',
    'a@.example',
    'a@example.',
    'a@example',
    'a@127.0.0.1',
    'a@[127.0.0.1]',
    'a@x_y.example',
    'a b@example.org',
    'a@b@example.org',
    'a@exa%6Dple.org',
    '@example.org',
    'a@',
    '',
    `${'a'.repeat(65)}@example.org`,
    `${'ä'.repeat(33)}@example.org`,
    `a@${'b'.repeat(64)}.example`,
    `a@${'ä'.repeat(62)}.example`,
    `a@${'b.'.repeat(126)}example`,
    'a\u200B@example.org',
    'a@exa\u00ADmple.org',
  ])('is refused if no mail server accepts it: "%s"', (text) => {
    expect(emailProblem(text)).toBe('must be an e-mail address');
  });

  it.each([
    [' ada@example.org\u00A0', 'ada@example.org'],
    ['\uFEFFada@example.org\u200B', 'ada@example.org'],
    ['a\u00ADda@exam\u200Dple.org', 'ada@example.org'],
    ['\u202Aada@example.org\u202C', 'ada@example.org'],
  ])('loses invisible characters: %j', (text, tidy) => {
    expect(tidyEmail(text)).toBe(tidy);
  });

  it.each([
    ['Ada@BÜCHER.example', 'ada@bücher.example'],
    ['ada@xn--bcher-kva.example', 'ada@bücher.example'],
    ['ada@XN--BCHER-KVA.Example', 'ada@bücher.example'],
    ['ada\u200B@bu\u0308cher.example', 'ada@bücher.example'],
    ['ada@example.org', 'ada@example.org'],
    ['nothing', 'nothing'],
  ])('%s is compared as %s', (text, comparable) => {
    expect(comparableEmail(text)).toBe(comparable);
  });

  it('of an account is searched in every form in which it may be stored', () => {
    expect(comparableEmails('Ada@bücher.example')).toEqual([
      'ada@bücher.example',
      'ada@xn--bcher-kva.example',
    ]);
    expect(comparableEmails('ada@example.org')).toEqual(['ada@example.org']);
  });
});
