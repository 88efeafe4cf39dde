import { describe, expect, it } from '@jest/globals';
import { resultOf, wrong } from './check.js';
import { secretsOf, withoutSecrets } from './secrets.js';

describe('the findings of a check', () => {
  it('contain no password of a URL, also if another program repeats it', () => {
    const secrets = secretsOf({
      REDIS_URL: 'redis://:hush%2Fhush@cache:6379',
      SMTP_URL: undefined,
      PUBLIC_URL: 'https://give.example.org',
    });
    const found = resultOf('redis', [
      wrong('REDIS_URL', 'AUTH hush/hush failed', 'redis://:hush%2Fhush@cache'),
    ]);
    const [cleaned] = withoutSecrets([found], secrets);
    expect(cleaned?.findings).toEqual([
      { state: 'wrong', change: 'REDIS_URL', says: 'AUTH … failed', write: 'redis://:…@cache' },
    ]);
  });
});
