import { describe, expect, it } from '@jest/globals';
import { estimateText } from '../../src/lib/text/bytes.js';
import { numberDiff, parseDiff } from '../../src/lib/text/diff.js';
import { splitDiff } from '../../src/prompt/diff-pack.js';
import { DEFAULT_DIFF_POLICY } from '../../src/prompt/diff-policy.js';

const POLICY = DEFAULT_DIFF_POLICY;

/** A new file with so many lines of about ten tokens. */
function file(
  path: string,
  lines: number,
  text = 'export const some = value(other, third);',
): string {
  const added = Array.from({ length: lines }, (_, index) => `+${text} // ${index}`);
  return `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines} @@\n${added.join('\n')}`;
}

/** A file with so many hunks of about a hundred tokens. */
function hunks(path: string, count: number): string {
  const all = Array.from({ length: count }, (_, index) => {
    const at = index * 100 + 1;
    const lines = Array.from(
      { length: 8 },
      (__, line) => `+const hunk${index} = line${line}(and, more);`,
    );
    return `@@ -${at},0 +${at},8 @@ class Big${index} {\n${lines.join('\n')}`;
  });
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${all.join('\n')}`;
}

function split(files: readonly string[], limits = {}, policy = POLICY) {
  return splitDiff(`${files.join('\n')}\n`, policy, { parts: 6, partTokens: 1000, ...limits });
}

describe('a change in parts', () => {
  it('has files in the order of their paths', () => {
    const names = ['src/b.ts', 'lib/other.py', 'src/a.ts'];
    const files = names.map((name) => file(name, 10));
    const { parts, left } = split(files, { partTokens: 100_000 });
    expect(parts.map(({ paths }) => paths)).toEqual([['lib/other.py', 'src/a.ts', 'src/b.ts']]);
    expect(left).toEqual([]);
  });

  it('fills parts and splits no file that fits into one', () => {
    const { parts, left } = split(
      Array.from({ length: 9 }, (_, index) => file(`src/${index}.ts`, 20)),
    );
    expect(parts.map(({ paths }) => paths.length)).toEqual([3, 3, 3]);
    for (const { text } of parts) expect(estimateText(numberDiff(text))).toBeLessThanOrEqual(1000);
    expect(left).toEqual([]);
  });

  it('splits a file that is larger than a part at its hunks, each under the header', () => {
    const { parts, left } = split([hunks('src/big.ts', 20)]);
    expect(parts.length).toBeGreaterThan(1);
    expect(left).toEqual([]);
    const files = parts.flatMap(({ text }) => parseDiff(text));
    expect(new Set(files.map(({ path }) => path))).toEqual(new Set(['src/big.ts']));
    expect(files.flatMap((one) => one.hunks)).toHaveLength(20);
  });

  it('cuts a hunk that is larger than a part, and names its file as not whole', () => {
    const { parts, left } = split([file('src/huge.ts', 900), file('src/z.ts', 3)]);
    for (const { text } of parts) expect(estimateText(numberDiff(text))).toBeLessThanOrEqual(1000);
    expect(parts.flatMap(({ paths }) => paths)).toEqual(['src/huge.ts', 'src/z.ts']);
    expect(left).toEqual(['src/huge.ts']);
  });

  it('has a limited number of parts: first what sounds dangerous, then what changes most; the rest is named', () => {
    const plain = [file('src/a.ts', 40), file('src/b.ts', 60), file('src/c.ts', 55)];
    const { parts, left } = split([file('src/auth/login.ts', 50), ...plain], { parts: 2 });
    expect(parts.map(({ paths }) => paths)).toEqual([['src/auth/login.ts'], ['src/b.ts']]);
    expect(left.toSorted()).toEqual(['src/a.ts', 'src/c.ts']);
  });

  it('leaves out generated files and names them, and leaves out what the inputs exclude without naming it', () => {
    const files = ['package-lock.json', 'src/a.ts', 'docs/a.md'].map((path) => file(path, 10));
    const { parts, left } = split(files, {}, { ...POLICY, pathsIgnore: ['docs/**'] });
    expect(parts.map(({ paths }) => paths)).toEqual([['src/a.ts']]);
    expect(left).toEqual(['package-lock.json']);
  });
});
