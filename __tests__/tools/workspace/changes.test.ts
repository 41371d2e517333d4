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
const HIDES = 'characters that turn the order of its text around (<U+202E>)';
const KEY = 'hunter2-hunter2-hunter2';
const ALIKE = 'letters of another alphabet that look like Latin ones (<U+0430>dmin)';
const LEAKS = 'a secret of this job';
const TOKEN = `ghp_${'q7Rk2Zt9Xw'.repeat(3)}Lm4V8s`;
const tokenFrom = (character: number, name = 'a GitHub token') =>
  `would get ${name} from character ${character} on. Where it is made up, put it together from two parts`;
const MASKED =
  'it holds a secret of this job, which `***` would replace. Change only its other lines, with `edit_file`';
const PEM = [
  '-----BEGIN PRIVATE KEY-----',
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj',
  'MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu',
  '-----END PRIVATE KEY-----',
].join('\n');
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
  ['hidden text', [['a', 'x\n', 'x\nif (a\u202e) {\n']], `"a": line 2 would get ${HIDES}`],
  ['letters that only look Latin', [['a', '', 'аdmin()']], `"a": line 1 would get ${ALIKE}`],
  [
    'Arabic with marks, and soft hyphens',
    [['a', '', '"الإصدار \u200e1.2.3"\nDonau\u00addampf\u00adschiff\n']],
    undefined,
  ],
  ['text next to what was hidden before', [['a', 'b\u200b\nx\n', 'b\u200b\ny\n']], undefined],
  ['a secret', [['a', '', `key = "${KEY}"`]], `"a": line 1 would get ${LEAKS}`],
  [
    'a secret in base64',
    [['a', 'x\n', `x\n${Buffer.from(KEY).toString('base64')}\n`]],
    `"a": line 2 would get ${LEAKS}`,
  ],
  ['a secret that was there before', [['a', `x\n${KEY}\n`, `y\n${KEY}\n`]], undefined],
  ['a token', [['a', 'x\n', `x\n  token: "${TOKEN}"\n`]], `"a": line 2 ${tokenFrom(11)}`],
  ['a token in a CRLF file', [['a', 'x\r\n', `x\r\n${TOKEN}\r\n`]], `"a": line 2 ${tokenFrom(1)}`],
  ['a token of the old file', [['a', `x("${TOKEN}")\n`, `y("${TOKEN}")\n`]], undefined],
  [
    'another token than that of the old file',
    [['a', `x("${TOKEN}")\n`, `x("${TOKEN}7")\n`]],
    `"a": line 1 ${tokenFrom(4)}`,
  ],
  [
    'a token in two parts',
    [['a', '', `"${TOKEN.slice(0, 12)}" + "${TOKEN.slice(12)}"`]],
    undefined,
  ],
  [
    'a private key',
    [['a', 'x\n', `x\n\n${PEM}\n`]],
    `"a": line 3 ${tokenFrom(1, 'a private key')}`,
  ],
  [
    'the frame of a private key',
    [['a', '', 'key.startsWith("-----BEGIN PRIVATE KEY-----")']],
    undefined,
  ],
  ['masks in a file with a secret', [['a', `x\n${KEY}\n`, 'y\n***\n']], `"a": ${MASKED}`],
  ['masks that were there before', [['a', `***\n${KEY}\n`, '***\ny\n']], undefined],
  ['stars in Markdown', [['a.md', 'x\n', '***x***\n\n***\n']], undefined],
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
  [
    'a token in a new name',
    [[`${TOKEN}.ts`, undefined, 'x']],
    'the name of a new file has a GitHub token',
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

it.each([
  `ghp_${'x'.repeat(36)}`,
  'ghp_1234567890abcdefghijklmnopqrstuvwxyz',
  'ghp_deadbeefdeadbeefdeadbeefdeadbeefdead',
  `github_pat_11AAAAAAA0000000000000_${'X'.repeat(59)}`,
  'AKIAIOSFODNN7EXAMPLE',
  `sk-ant-api03-${'x'.repeat(40)}`,
  'sk-ant-your-api-key-goes-here',
  'sk-proj-1234567890abcdef1234567890abcdef',
  'xoxb-your-slack-bot-token',
  'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
  'npm_000000000000000000000000000000000000',
  'glpat-xxxxxxxxxxxxxxxxxxxx',
  '-----BEGIN RSA PRIVATE KEY-----\\n...\\n-----END RSA PRIVATE KEY-----',
])('a fixture can have a token that is easily guessed: %s', (token) => {
  const changes = new Changes(RULES);
  changes.note('a', { before: undefined, after: bytes(`const token = '${token}';\n`) });
  expect(changes.problem).toBeUndefined();
});

it.each([
  ['a GitHub token', TOKEN],
  ['a GitHub token', `github_pat_11ABCDEFG0${'q7Rk2Zt9XwLm4V8sP1'.repeat(3)}`],
  ['an Anthropic key', 'sk-ant-api03-q7Rk2Zt9XwLm4V8sP1bN6_cJ3-hF5dG0yT'],
  ['an AWS key id', 'AKIAQ7RK2ZT9XWLM4V8S'],
  ['a Slack token', 'xoxb-263594206564-2343594206574-q7Rk2Zt9XwLm4V8sP1bN6cJ3'],
  ['a Slack webhook', 'hooks.slack.com/services/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'],
  ['a token', 'A3-ASWWYB-798JRY-LJVD4-23DC2-86TVM-H43EB'],
  ['a token', 'glpat-q7Rk2Zt9XwLm4V8sP1bN'],
  ['a JSON web token', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJxN1JrMlp0OSJ9.${'q7Rk2Zt9Xw'.repeat(4)}`],
])('no fixture can have %s that is hard to guess: %s', (name, token) => {
  const changes = new Changes(RULES);
  changes.note('a', { before: undefined, after: bytes(`const token = '${token}';\n`) });
  expect(changes.problem).toBe(`"a": line 1 ${tokenFrom(16, name)}`);
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
