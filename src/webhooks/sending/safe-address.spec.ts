import { describe, expect, it } from '@jest/globals';
import { isAllowedAddress } from './safe-address.js';
import { urlProblem } from './webhook-url.js';

describe('the addresses that webhooks may reach', () => {
  it.each(['93.184.215.14', '1.1.1.1', '172.32.0.1', '2606:4700:4700::1111', '64:ff9b::5db8:d70e'])(
    '%s is public',
    (address) => {
      expect(isAllowedAddress(address, [])).toBe(true);
    },
  );

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:c0a8:101::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'localhost',
    '',
  ])('%s is refused', (address) => {
    expect(isAllowedAddress(address, [])).toBe(false);
  });

  it('includes networks that the operator opened', () => {
    const open = ['10.1.0.0/16', 'fd00::/8', '192.168.1.7'];
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd12::1', '192.168.1.7'])
      expect(isAllowedAddress(address, open)).toBe(true);
    for (const address of ['10.2.0.1', 'fc00::1', '192.168.1.8', '127.0.0.1'])
      expect(isAllowedAddress(address, open)).toBe(false);
  });
});

describe('the address of an endpoint', () => {
  const PRODUCTION = { production: true, ports: [443, 8443], privateNetworks: [] };

  it.each(['https://example.org', 'https://example.org:8443/a?b=c', 'https://93.184.215.14/'])(
    '%s is good',
    (url) => {
      expect(urlProblem(url, PRODUCTION)).toBeUndefined();
    },
  );

  it.each([
    'http://example.org',
    'ftp://example.org',
    'https://example.org:22',
    'https://ann:secret@example.org',
    'https://ann@example.org',
    'https://example.org/#part',
    'https://localhost',
    'https://127.0.0.1',
    'https://2130706433',
    'https://0177.0.0.1',
    'https://0x7f.1',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://10.0.0.1',
    'no address',
    `https://example.org/${'a'.repeat(2_000)}`,
  ])('%s is refused in production', (url) => {
    expect(urlProblem(url, PRODUCTION)).toEqual(expect.any(String));
  });

  it('may use http and any port on this machine outside production', () => {
    const development = { ...PRODUCTION, production: false };
    for (const url of ['http://localhost:5678/hook', 'http://127.0.0.1:80', 'http://[::1]:3000/'])
      expect(urlProblem(url, development)).toBeUndefined();
    for (const url of ['http://example.org', 'https://example.org:3000', 'https://10.0.0.1'])
      expect(urlProblem(url, development)).toEqual(expect.any(String));
  });

  it('may use ports and networks that the operator opened', () => {
    const open = { ...PRODUCTION, ports: [9443], privateNetworks: ['10.0.0.0/8'] };
    expect(urlProblem('https://10.0.0.1:9443/', open)).toBeUndefined();
    expect(urlProblem('https://example.org/', open)).toBe('must use one of the ports 9443');
  });
});
