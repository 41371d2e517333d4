import { describe, expect, it } from '@jest/globals';
import { refuseUrl } from '../../../src/tools/web/allowed-host.js';

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
