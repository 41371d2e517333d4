import { describe, expect, it } from '@jest/globals';
import { createUnpackGate } from '../../../../src/memory/stores/cache/cache-library.js';

const HIT = { kind: 'hit', key: 'k1' } as const;

function gate(refuse: Parameters<typeof createUnpackGate>[0] = () => undefined) {
  return createUnpackGate(refuse, 1_000);
}

describe('C3 42: the check before an archive is unpacked', () => {
  it.each([
    ['::debug::Archive path: /tmp/100%25/cache.tzst\n', '/tmp/100%/cache.tzst'],
    ['::debug::Archive Path: C:\\temp\\cache.tgz\r\n', 'C:\\temp\\cache.tgz'],
  ])('inspects the archive that %j names once its size is known', (line, path) => {
    const looked: string[] = [];
    const { see, judge } = gate((archive) => void looked.push(archive));
    see(line);
    expect(looked).toEqual([]);
    see('Cache Size: ~0 MB (900 B)\n');
    expect(looked).toEqual([path]);
    expect(judge(HIT)).toBe(HIT);
  });

  it('stops a download that is announced as too large', () => {
    const { see, judge } = gate();
    see('::debug::Downloading segment at offset 0 with length 1000...\n');
    expect(() => see('::debug::Downloading segment at offset 0 with length 1001...\n')).toThrow(
      '1,001 bytes',
    );
    expect(judge({ kind: 'error', message: '' })).toMatchObject({ kind: 'refused' });
  });

  it('rejects every archive that it cannot inspect', () => {
    expect(() => gate().see('Cache Size: ~0 MB (900 B)\n')).toThrow('no path was reported for it');
    expect(gate().judge(HIT)).toMatchObject({ kind: 'error' });
  });
});
