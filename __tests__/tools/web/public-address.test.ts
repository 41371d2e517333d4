import { describe, expect, it } from '@jest/globals';
import { isAddress, isPublicAddress } from '../../../src/tools/web/public-address.js';

describe('C7 92: an address', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.255.254',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    '0:0:0:0:0:ffff:0a00:0001',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    '3fff::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '100::1',
    'not an address',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '1::2::3',
    '',
  ])('%p is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '192.167.0.1',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:82f::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ])('%p is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it('is distinguished from a name', () => {
    expect(['1.2.3.4', '::1', 'a::b'].map(isAddress)).toEqual([true, true, true]);
    expect(['example.com', '1.2.3', 'a.b.c.d', '12345'].map(isAddress)).toEqual([false, false, false, false]);
  });
});
