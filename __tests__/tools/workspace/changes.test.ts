import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type ChangeRules,
  Changes,
  joinEdits,
  whyNotAllowed,
} from '../../../src/tools/workspace/changes.js';

const RULES: ChangeRules = {
  allowed: ['**'],
  memoryRoots: ['.axe/memory', 'notes/memory'],
  agentsDirs: ['bots/agents'],
  instructionFiles: () => ['prompts/steer.md'],
  secrets: ['hunter2-hunter2-hunter2'],
};
const STEERS = 'only people change workflows, actions, agents and skills';
const GIT = 'only people change what configures git and GitHub';
const GUIDES = 'only people change what guides agents';
const SECRET = 'credentials may be kept there';
const bytes = (text: string) => new TextEncoder().encode(text);

it.each([
  ['src/a.ts', undefined],
  ['a file with spaces.md', undefined],
  ['src/locks/lock.ts', undefined],
  ['.github/workflows/ci.yml', STEERS],
  ['.GitHub/workflows/ci.yml', STEERS],
  ['．github/workflows/ci.yml', STEERS],
  ['.git\u200bhub/x', STEERS],
  ['tools/Action.YML', STEERS],
  ['axe/agents/fixer.toml', STEERS],
  ['axe/skills/fix/SKILL.md', STEERS],
  ['.axe/memory/fixer.md', STEERS],
  ['bots/agents/fixer.toml', STEERS],
  ['bots/skills/fix/SKILL.md', STEERS],
  ['prompts/steer.md', STEERS],
  ['notes/Memory/fixer.md', 'memory is kept there'],
  ['.gitignore', GIT],
  ['sub/.gitattributes', GIT],
  ['.gitmodules', GIT],
  ['CODEOWNERS', 'only people change who owns the code'],
  ['docs/codeowners', 'only people change who owns the code'],
  ['AGENTS.md', GUIDES],
  ['src/agents.md', GUIDES],
  ['CLAUDE.md', GUIDES],
  ['.claude/settings.json', GUIDES],
  ['.env', SECRET],
  ['.git/config', SECRET],
  ['deploy/id_rsa', SECRET],
  ['package-lock.json', 'a lock file is changed only if `changes-allowed` names it'],
  ['app/Cargo.lock', 'a lock file is changed only if `changes-allowed` names it'],
  ['go.sum', 'a lock file is changed only if `changes-allowed` names it'],
  ['../outside', '`..` is not allowed; give a path inside the working directory'],
  ['/etc/passwd', 'it is outside the working directory; give a relative path'],
  ['a\\b', 'the parts of a path are separated by `/`, not by a backslash'],
  ['C:/x', 'a path cannot contain `:`: no drives and no streams'],
  ['a\nb', 'a path cannot contain control characters'],
])('a file %j of a workflow that allows all is refused with: %j', (path, why) => {
  expect(whyNotAllowed(path, RULES)).toBe(why);
});

it.each([
  [['src/**'], 'src/deep/a.ts', true],
  [['src/**'], 'docs/a.md', false],
  [['docs/*.md', 'README.md'], 'README.md', true],
  [['docs/*.md', 'README.md'], 'docs/deep/a.md', false],
  [['src/**'], 'src/.github/a.yml', false],
  [['.github/**', 'AGENTS.md'], '.github/workflows/ci.yml', false],
  [['AGENTS.md'], 'AGENTS.md', false],
  [['**', '**/package-lock.json'], 'app/package-lock.json', true],
  [['app/*'], 'app/package-lock.json', false],
  [['docs/**', 'package-lock.json'], 'app/package-lock.json', false],
])('a file with `changes-allowed` of %j, %s is allowed: %s', (allowed, path, isAllowed) => {
  expect(whyNotAllowed(path, { ...RULES, allowed }) === undefined).toBe(isAllowed);
});

type FileEdit = readonly [path: string, before: string | undefined, after: string | undefined];
const HIDES = 'characters that readers cannot see';
const KEY = 'hunter2-hunter2-hunter2';
const LEAKS = 'what looks like a secret';
const LFS = 'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n';
const FIFTY_ONE = Array.from({ length: 51 }, (_, at): FileEdit => [`f${at}`, undefined, 'x']);
const LARGE = 'x'.repeat(1024 * 1024 + 1);

it.each<[string, readonly FileEdit[], string | undefined]>([
  ['nothing', [], 'no file was changed'],
  ['what was taken back', [['a', 'x\n', 'x\n']], 'no file was changed'],
  ['a line', [['a', 'x\n', 'y\n']], undefined],
  [
    'CRLF, a byte order mark and no final newline',
    [['a', '\uFEFFx\r\ny', '\uFEFFz\r\ny']],
    undefined,
  ],
  ['a new file', [['a', undefined, 'x']], undefined],
  ['a deleted file', [['b', 'x', undefined]], undefined],
  ['a protected file', [['.gitignore', 'x', 'y']], `".gitignore": ${GIT}`],
  ['a binary file', [['a.bin', 'x\0', 'y']], '"a.bin": only text is changed'],
  ['a file in Git LFS', [['a.psd', LFS, 'y']], '"a.psd": it is kept in Git LFS'],
  ['hidden text', [['a', 'x\n', 'x\nif (a\u202e) {\n']], `"a": it would get ${HIDES}`],
  ['text next to what was hidden before', [['a', 'b\u200b\nx\n', 'b\u200b\ny\n']], undefined],
  ['a secret', [['a', '', `key = "${KEY}"`]], `"a": it would get ${LEAKS}`],
  ['a token', [['a', '', `t = "ghp_${'a1B2'.repeat(9)}"`]], `"a": it would get ${LEAKS}`],
  [
    'what hides in a new name',
    [['a\u202et.ts', undefined, 'x']],
    `the name of a new file has ${HIDES}`,
  ],
  ['a file that had such a name before', [['a\u202et.ts', 'x', 'y']], undefined],
  [
    'a secret in a new name',
    [[`${KEY}.ts`, undefined, 'x']],
    `the name of a new file has ${LEAKS}`,
  ],
  ['51 files', FIFTY_ONE, '51 files were changed, and the limit is 50'],
  [
    'over a megabyte',
    [['a', '', LARGE]],
    'the changed files have 1,048,577 bytes, and the limit is 1,048,576',
  ],
])('a change is refused as a whole for its reason, or taken: %s', (_, files, problem) => {
  const changes = new Changes(RULES);
  const between = bytes('between');
  const bytesOf = (text: string | undefined) => (text === undefined ? undefined : bytes(text));
  for (const [path, before, after] of files) {
    changes.note(path, { before: bytesOf(before), after: between });
    changes.note(path, { before: between, after: bytesOf(after) });
  }
  expect(changes.problem).toBe(problem);
});

it('the commits of a run, one on top of the other, come to all that it has edited', () => {
  const text = fc.constantFrom(undefined, 'x', 'y', 'z');
  const edit = fc.record({ path: fc.constantFrom('a', 'b', 'c'), text });
  const step = fc.oneof(edit, fc.constant('commit' as const));
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('a', 'b'), text), fc.array(step), (start, steps) => {
      const changes = new Changes(RULES);
      const files = new Map<string, string | undefined>(Object.entries(start));
      const numbers = new Set<number>();
      const bytesOf = (one: string | undefined) => (one === undefined ? undefined : bytes(one));
      for (const one of steps) {
        if (one === 'commit' && changes.edits.size > 0) numbers.add(changes.endCommit());
        if (one === 'commit') continue;
        changes.note(one.path, { before: bytesOf(files.get(one.path)), after: bytesOf(one.text) });
        files.set(one.path, one.text);
      }
      const parts = changes.editsOf([...numbers]);
      const committed = new Map<string, string | undefined>(Object.entries(start));
      const shown = (one: Uint8Array | undefined) => one && new TextDecoder().decode(one);
      for (const part of parts) {
        expect(part.size).toBeGreaterThan(0);
        for (const [path, { before, after }] of part) {
          expect(shown(before)).toBe(committed.get(path));
          committed.set(path, shown(after));
        }
      }
      for (const [path, one] of files) expect(committed.get(path)).toBe(one);
      expect(parts.length).toBeLessThanOrEqual(Math.max(1, numbers.size));
      expect(joinEdits(parts)).toEqual(changes.edits);
    }),
  );
});
