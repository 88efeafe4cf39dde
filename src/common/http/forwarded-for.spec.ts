import { describe, expect, it } from '@jest/globals';
import { withoutPorts } from './forwarded-for.js';

describe('the addresses of X-Forwarded-For', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:56789', '203.0.113.7'],
    ['[2001:db8::7]:56789', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['2001:db8::7', '2001:db8::7'],
    ['::ffff:203.0.113.7', '::ffff:203.0.113.7'],
    ['::ffff:203.0.113.7:443', '::ffff:203.0.113.7'],
    ['[fe80::1%eth0]:443', 'fe80::1%eth0'],
    ['203.0.113.7:1, \t[2001:db8::7]:2,10.0.0.1', '203.0.113.7, 2001:db8::7, 10.0.0.1'],
  ])('%s are read as %s', (header, addresses) => {
    expect(withoutPorts(header)).toBe(addresses);
  });

  it.each(['unknown:80', '[nonsense]:80', '203.0.113.7:', '203.0.113.7:567890', '1.2.3:80', '_hidden', ''])(
    'a value that is none stays as it is: "%s"',
    (header) => {
      expect(withoutPorts(header)).toBe(header);
    },
  );
});
