import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { projectSlug } from '../../../src/memory/notes/place.js';

/** FNV-1a of 64 bits as it is defined (draft-eastlake-fnv), its low half in hex. */
function lowFnv(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return BigInt.asUintN(32, hash).toString(16).padStart(8, '0');
}

describe('a slug', () => {
  it('differs for a slash at the end', () => {
    expect(projectSlug('/home/runner/work/repo/repo/')).toBe('repo-064d9d93');
    expect(projectSlug('/home/runner/work/repo/repo')).not.toBe('repo-064d9d93');
  });

  it.each(['', '/', '//', '/.', '..', '/a/..'])(
    'of a path without a name starts with root: %j',
    (identity) => {
      expect(projectSlug(identity)).toMatch(/^root-[0-9a-f]{8}$/);
    },
  );

  it('is the name and the low half of FNV-1a of 64 bits, whatever the project is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (identity) => {
        const slug = projectSlug(identity);
        expect(slug).toMatch(/^[A-Za-z0-9_-]{1,40}-[0-9a-f]{8}$/);
        expect(slug.endsWith(`-${lowFnv(identity)}`)).toBe(true);
      }),
    );
  });
});
