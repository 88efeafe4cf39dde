import { describe, expect, it } from '@jest/globals';
import { clientAddress, clientNetwork, clientSite, withoutPorts } from './client-address.js';

describe('the address for counting a client', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::9', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::9', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['nonsense', 'unknown'],
    [undefined, 'unknown'],
  ])('%s counts as %s', (ip, expected) => {
    expect(clientAddress(ip)).toBe(expected);
  });
});

describe('the groups of a client address', () => {
  it.each([
    ['203.0.113.7', undefined, '203.0/16'],
    ['::ffff:203.0.113.7', undefined, '203.0/16'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48', '2001:db8::/32'],
    ['nonsense', undefined, 'unknown'],
    [undefined, undefined, 'unknown'],
  ])('%s belongs to the site %s and the network %s', (ip, site, network) => {
    expect(clientSite(ip)).toBe(site);
    expect(clientNetwork(ip)).toBe(network);
  });
});

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
    'a value that is not an address stays unchanged: "%s"',
    (header) => {
      expect(withoutPorts(header)).toBe(header);
    },
  );
});
