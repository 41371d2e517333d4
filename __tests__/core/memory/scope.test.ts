import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ConfigError } from '../../../src/core/errors.js';
import { untrustedPath } from '../../../src/core/memory/log-path.js';
import { scopeFolder } from '../../../src/core/memory/scope.js';

const HASHED = /-[0-9a-f]{16}$/;

describe('the folder of a scope', () => {
  it.each([
    'api',
    'packages/api',
    'node-22',
    'a.b_c-d/0',
    'deadbeef',
    'node-0123456789abcde',
    'untrusted-2',
    'note',
    '__proto__',
  ])('for %j is the scope itself', (scope) => {
    expect(scopeFolder(scope)).toBe(scope);
  });

  it.each([
    ['@acme/web ui', /^acme-\w{16}\/web-ui-\w{16}$/],
    ['packages/API', /^packages\/API-\w{16}$/],
    ['.', /^scope-\w{16}$/],
    ['..', /^scope-\w{16}$/],
    ['../../etc', /^scope-\w{16}\/scope-\w{16}\/etc$/],
    ['./packages/api', /^scope-\w{16}\/packages\/api$/],
    ['.github', /^github-\w{16}$/],
    ['-rf', /^rf-\w{16}$/],
    ['ends.', /^ends\.-\w{16}$/],
    ['日本', /^scope-\w{16}$/],
    ['a\\b:c', /^a-b-c-\w{16}$/],
    ['ends ', /^ends--\w{16}$/],
    ['new\nline', /^new-line-\w{16}$/],
    ['api-0123456789abcdef', /^api-0123456789abcdef-\w{16}$/],
    ['bot.md', /^bot\.md-\w{16}$/],
    ['bot.md.bak', /^bot\.md\.bak-\w{16}$/],
    ['bot.md.lock', /^bot\.md\.lock-\w{16}$/],
    ['con', /^con-\w{16}$/],
    ['nul.txt', /^nul\.txt-\w{16}$/],
    ['com1', /^com1-\w{16}$/],
  ])('for %j shows the scope, with a hash', (scope, folder) => {
    expect(scopeFolder(scope)).toMatch(folder);
  });

  it.each(['untrusted', 'offline', 'notes', 'daily', 'projects', 'scratchpad', 'memory'])(
    'is never %j, at the top or below, in any case',
    (name) => {
      for (const scope of [name, `api/${name}`, name.toUpperCase()]) {
        const last = scopeFolder(scope).split('/').at(-1) ?? '';
        expect(last.toLowerCase().startsWith(`${name}-`)).toBe(true);
        expect(last).toMatch(HASHED);
      }
    },
  );

  it('is never a lane of another scope', () => {
    expect(`${scopeFolder('api/untrusted')}/bot.md`).not.toBe(
      `${scopeFolder('api')}/${untrustedPath('bot.md')}`,
    );
  });

  it.each([
    ['', /has an empty part: ""/],
    ['/api', /has an empty part/],
    ['api/', /has an empty part/],
    ['a//b', /has an empty part/],
    ['a'.repeat(201), /is 201 characters long/],
  ])('for %j is refused', (scope, message) => {
    expect(() => scopeFolder(scope)).toThrow(ConfigError);
    expect(() => scopeFolder(scope)).toThrow(message);
  });

  it('for 200 characters is accepted', () => {
    expect(scopeFolder('a'.repeat(200))).toBe('a'.repeat(200));
  });

  it('is a plain path that no other scope has, even if case does not count', () => {
    const seen = new Map<string, string>();
    const part = fc.oneof(
      fc.constantFrom(
        'api',
        'Api',
        'API',
        'a b',
        'a  b',
        'a-b',
        'a\tb',
        ' ab',
        'ab ',
        '.a',
        'é',
        'e\u0301',
        '..',
        '-',
      ),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => !text.includes('/')),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
        const scope = parts.join('/');
        const folder = scopeFolder(scope);
        expect(folder).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/);
        const key = folder.toLowerCase();
        expect(seen.get(key) ?? scope).toBe(scope);
        seen.set(key, scope);
      }),
      { numRuns: 3_000 },
    );
  });
});
