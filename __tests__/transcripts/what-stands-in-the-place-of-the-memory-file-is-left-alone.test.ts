import { describe, expect, it } from '@jest/globals';
import type { FileContent } from '../helpers/github-state.js';
import { BRANCH, branchScene, earlierEntry, NO_CACHE, REPOSITORY } from './branch-scene.js';
import { expectNotSavedReported, resultsIn, titles } from './memory-scene.js';

const POINTER = `version https://git-lfs.github.com/spec/v1
oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
size 12345
`;

const OBSTACLES: readonly (readonly [string, FileContent, RegExp])[] = [
  ['a symbolic link', { link: 'README.md' }, /it is a symbolic link/],
  ['a submodule', { submodule: '0123456789abcdef0123456789abcdef01234567' }, /it is a submodule/],
  ['a pointer of Git LFS', POINTER, /its content is in Git LFS/],
];

describe('C3 50: on the branch, in place of the memory file,', () => {
  it.each(OBSTACLES)('%s is neither read nor written (C3 50)', async (_, content, reason) => {
    const scene = await branchScene({
      branch: { 'ask.md': content, 'README.md': earlierEntry('Not for you.') },
    });
    const head = scene.repo.branches.get(BRANCH);
    const step = await scene.run({ env: NO_CACHE });
    const told = expectNotSavedReported(step, 'Answer 0.');
    expect(told).toMatch(reason);
    expect(titles(step)).toEqual(['Memory not saved']);
    expect(scene.model.prompts()[0]?.system).not.toContain('Not for you.');
    expect(scene.repo.branches.get(BRANCH)).toBe(head);
  });

  it('a file of more than a megabyte is read at its end, and keeps every byte (C3 50)', async () => {
    const before = Array.from({ length: 150 }, (_, index) => longEntry(index)).join('');
    expect(Buffer.byteLength(before)).toBeGreaterThan(1024 * 1024);
    const scene = await branchScene({ branch: { 'ask.md': before } });
    const step = await scene.run();
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { 'memory-saved': 'true' } });
    expect(scene.memory()).toBe(`${before}${step.outputs['memory-entry']}`);
    expect(resultsIn(scene.model.prompts()[0]?.system ?? '').at(-1)).toMatch(/^Finding 149 /);
    expect(step.summary).toContain('10 of 150 entries loaded');
    expect(scene.github.history(REPOSITORY, BRANCH)).toHaveLength(2);
  });
});

/** One of a kind, and of 8 KiB. */
function longEntry(index: number): string {
  const id = String(index).padStart(22, '0');
  return earlierEntry(`Finding ${index} \u00e4${'x'.repeat(8 * 1024)}`).replace('a'.repeat(22), id);
}
