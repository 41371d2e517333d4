import { describe, expect, it } from '@jest/globals';
import { isPublicAddress, refuseUrl } from '../../../src/tools/web/url-fetch.js';

const refusal = (url: string, allowedHosts: readonly string[] = []) => refuseUrl(new URL(url), allowedHosts);

describe('C7 92: a URL', () => {
  it.each([
    ['gopher://example.com/', 'unsupported scheme "gopher": only http and https are allowed'],
    ['file:///etc/passwd', 'unsupported scheme "file"'],
    ['ftp://example.com/', 'unsupported scheme "ftp"'],
    ['javascript:alert(1)', 'unsupported scheme "javascript"'],
    ['http://127.0.0.1/', 'address 127.0.0.1 is a private or reserved one'],
    ['http://2130706433/', 'address 127.0.0.1'],
    ['http://0x7f.1/', 'address 127.0.0.1'],
    ['http://017700000001/', 'address 127.0.0.1'],
    ['http://127.1/', 'address 127.0.0.1'],
    ['http://①②⑦.0.0.1/', 'address 127.0.0.1'],
    ['http://[::ffff:169.254.169.254]/latest', 'address ::ffff:a9fe:a9fe'],
    ['http://[::1]:8080/', 'address ::1'],
    ['http://169.254.169.254/latest/meta-data/', 'address 169.254.169.254'],
    ['http://localhost/', 'host "localhost"'],
    ['http://localhost./', 'host "localhost"'],
    ['http://LOCALHOST:3000/', 'host "localhost"'],
    ['http://db.localhost/', 'host "db.localhost"'],
    ['http://metadata.google.internal/', 'host "metadata.google.internal"'],
    ['http://printer.local/', 'host "printer.local"'],
    ['http://intranet/', 'host "intranet"'],
  ])('%s is refused', (url, reason) => {
    expect(refusal(url)).toContain(reason);
  });

  it.each([
    'https://example.com/',
    'http://example.com:8080/a?b#c',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
  ])('%s can be fetched', (url) => {
    expect(refusal(url)).toBeUndefined();
  });

  it.each<[string, readonly string[], boolean]>([
    ['https://docs.example.com/', ['docs.example.com'], true],
    ['https://DOCS.example.com./', ['Docs.Example.COM'], true],
    ['https://a.docs.example.com/', ['docs.example.com'], false],
    ['https://a.example.com/', ['*.example.com'], true],
    ['https://a.b.example.com/', ['.example.com'], true],
    ['https://example.com/', ['*.example.com'], false],
    ['https://evilexample.com/', ['*.example.com'], false],
    ['https://example.com.evil.org/', ['example.com'], false],
    ['https://example.org/', ['example.com', 'example.org'], true],
    ['https://example.com@evil.org/', ['example.com'], false],
    ['https://example.com/', ['*'], false],
    ['http://127.0.0.1/', ['127.0.0.1'], false],
    ['http://localhost/', ['localhost'], false],
  ])('%s with allowed_hosts %p: %p', (url, allowedHosts, isAllowed) => {
    expect(refusal(url, allowedHosts) === undefined).toBe(isAllowed);
  });
});

describe('C7 92: an address', () => {
  it.each([
    ...`0.0.0.0 10.1.2.3 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 168.63.129.16
    169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.192 192.168.1.1 198.18.0.1 224.0.0.1
    255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:a9fe:a9fe
    0:0:0:0:0:ffff:0a00:0001 64:ff9b::169.254.169.254 64:ff9b:1::1 2002:7f00:1:: 2001::1 2001:db8::1
    3fff::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 100::1 1.2.3 1.2.3.4.5
    256.1.1.1 1::2::3`.split(/\s+/),
    'not an address',
    '',
  ])('%p is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(
    `1.1.1.1 8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.167.0.1
    223.255.255.255 2606:4700:4700::1111 2a00:1450:4001:82f::200e ::ffff:8.8.8.8 64:ff9b::8.8.8.8`.split(
      /\s+/,
    ),
  )('%p is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});
