import type { TestDraft } from '../../src/findings/decide/demonstration.js';

/** A repository with a fault or without, and a test that a model writes for it. */
interface Fixture {
  readonly files: Readonly<Record<string, string>>;
  /** Files that git does not track, as earlier steps of a job leave them. */
  readonly untracked?: Readonly<Record<string, string>>;
  readonly draft: TestDraft;
  /** The program that its command needs. */
  readonly needs: string;
  readonly hasFault: boolean;
}

const FORETOLD = { withFault: '2', withoutFault: '1' };
/** `node --test` would start a process more in each of some hundred runs. */
const PLACE = { path: 't.test.mjs', command: 'node t.test.mjs', ...FORETOLD };

function nodeTest(imports: string, expression: string, expected: string, before = ''): string {
  return `import test from 'node:test';
import assert from 'node:assert';
import fs from 'node:fs';
${imports}
test('t', async () => {
  ${before}
  const got = String(${expression});
  fs.writeFileSync('/tmp/axe-saw', got);
  assert.equal(got, '${expected}');
});
`;
}

const FIRST = "import { first } from './list.mjs';";
const GOOD = nodeTest(FIRST, 'first([1, 2])', '1');

const NODE: Fixture = {
  files: {
    'list.mjs': 'export function first(list) {\n  return list[1];\n}\n',
    'package.json': '{"type":"module"}\n',
  },
  untracked: { '.env': 'API=CANARY\n' },
  draft: {
    ...PLACE,
    test: GOOD,
    fix: [{ path: 'list.mjs', code: 'return list[1];', instead: 'return list[0];' }],
  },
  needs: 'node',
  hasFault: true,
};

export const REPOSITORIES: Readonly<Record<string, Fixture>> = {
  'of node': NODE,
  'with packages that an earlier step installed': {
    files: {
      'pay.js':
        "const { cents } = require('money');\nexports.charge = (x) => {\n  return cents(x);\n};\n",
      '.gitignore': 'node_modules\n',
    },
    untracked: {
      'node_modules/money/index.js': 'exports.cents = (x) => Math.round(x * 100);\n',
      'node_modules/money/package.json': '{"name":"money","main":"index.js"}',
    },
    draft: {
      path: 'test/pay.test.js',
      command: 'node --test test/pay.test.js',
      withFault: '-500',
      withoutFault: 'RangeError',
      test: "const test = require('node:test');\nconst fs = require('node:fs');\nconst assert = require('node:assert');\nconst { charge } = require('../pay.js');\ntest('t', () => {\n  let got;\n  try { got = String(charge(-5)); } catch (error) { got = error.name; }\n  fs.writeFileSync('/tmp/axe-saw', got);\n  assert.equal(got, 'RangeError');\n});\n",
      fix: [
        {
          path: 'pay.js',
          code: '  return cents(x);',
          instead: "  if (x < 0) throw new RangeError('negative');\n  return cents(x);",
        },
      ],
    },
    needs: 'node',
    hasFault: true,
  },
  'of python': {
    files: { 'auth.py': 'def ok(token, want):\n    return not token or token == want\n' },
    draft: {
      path: 'test_auth.py',
      command: 'python3 -m pytest -q -p no:cacheprovider test_auth.py',
      withFault: 'True',
      withoutFault: 'False',
      test: "from auth import ok\n\n\ndef test_empty():\n    got = str(ok('', 's3cret'))\n    with open('/tmp/axe-saw', 'w') as saw:\n        saw.write(got)\n    assert got == 'False'\n",
      fix: [
        {
          path: 'auth.py',
          code: 'return not token or token == want',
          instead: 'return bool(token) and token == want',
        },
      ],
    },
    needs: 'pytest',
    hasFault: true,
  },
  'of shell scripts': {
    files: { 'clean.sh': 'clean() {\n  rm -f $1\n}\n' },
    draft: {
      path: 'clean_test.sh',
      command: 'sh clean_test.sh',
      withFault: 'kept',
      withoutFault: 'gone',
      test: '. ./clean.sh\nd=$(mktemp -d); : >"$d/a b"; clean "$d/a b"\n[ -e "$d/a b" ] && got=kept || got=gone\necho $got >/tmp/axe-saw\n[ $got = gone ]\n',
      fix: [{ path: 'clean.sh', code: 'rm -f $1', instead: 'rm -f "$1"' }],
    },
    needs: 'sh',
    hasFault: true,
  },
  'without a fault': {
    files: { 'clamp.mjs': 'export const clamp = (x) => Math.max(0, x);\n' },
    draft: {
      ...PLACE,
      withFault: '-1',
      withoutFault: '0',
      test: nodeTest("import { clamp } from './clamp.mjs';", 'clamp(-1)', '0'),
      fix: [{ path: 'clamp.mjs', code: 'Math.max(0, x)', instead: 'Math.max(x, 0)' }],
    },
    needs: 'node',
    hasFault: false,
  },
};

/** What a test of a model does to the repository of node. `may`: it can show the fault or not. */
interface Attempt extends Partial<TestDraft> {
  readonly shows: 'yes' | 'no' | 'may';
  /** Each run of it is ended. */
  readonly isEnded?: true;
}

const loud = (before: string) => nodeTest(FIRST, 'first([1, 2])', '1', before);

export const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  'does not compile': { test: `${GOOD}\n}}}`, shows: 'no' },
  'needs a module that is missing': { test: `import 'left-pad';\n${GOOD}`, shows: 'no' },
  'imports a name that is missing': {
    test: nodeTest("import { firts as first } from './list.mjs';", 'first([1, 2])', '1'),
    shows: 'no',
  },
  'passes as it is': { test: nodeTest(FIRST, 'first([1, 1])', '1'), shows: 'no' },
  'fails with the fix, too': { test: nodeTest(FIRST, 'first([1, 2])', '3'), shows: 'no' },
  'fails otherwise than foretold': { test: nodeTest(FIRST, 'first([])', '1'), shows: 'no' },
  'throws before its check': { test: nodeTest(FIRST, 'first(null)', '1'), shows: 'no' },
  'never checks, and ends with 1': { test: 'process.exit(1);\n', shows: 'no' },
  'writes down what it saw, and does not check': {
    test: `import fs from 'node:fs'; ${FIRST} fs.writeFileSync('/tmp/axe-saw', String(first([1, 2])));`,
    shows: 'no',
  },
  'has no such runner': { command: 'nosuchrunner t.test.mjs', shows: 'no' },
  'is not found by its runner': { command: 'node --test nothing.test.mjs', shows: 'no' },
  hangs: { test: loud('for (;;);'), shows: 'no', isEnded: true },
  'waits for input': { test: loud('fs.readFileSync(0);'), shows: 'may', isEnded: true },
  'has no input to read': { command: 'cat; node t.test.mjs', shows: 'yes' },
  'prints 100 MB first': {
    command: 'head -c 100000000 /dev/zero; node t.test.mjs',
    shows: 'yes',
  },
  'writes in many places first': {
    test: loud(
      "for (const p of ['/etc/axe-x', '/root/axe-x', '/usr/axe-x', '/var/tmp/axe-x', '/tmp/axe-x', '/srv/axe-x', 'axe-x', 'OUTSIDE', 'HOME/axe-x']) try { fs.writeFileSync(p, 'x'); } catch {}",
    ),
    shows: 'yes',
  },
  'deletes the workspace': {
    test: loud('fs.rmSync(process.cwd(), { recursive: true, force: true });'),
    shows: 'may',
  },
  'changes the code that it tests': {
    test: loud("fs.writeFileSync('list.mjs', 'export const first = () => 9');"),
    shows: 'yes',
  },
  'starts processes without end': {
    test: `import { spawn } from 'node:child_process';\nfor (let i = 0; i < 5000; i += 1) spawn('sleep', ['60']).on('error', () => {});\n${GOOD}`,
    shows: 'may',
    isEnded: true,
  },
  'fills the disk': {
    test: loud(
      "for (const place of ['big', '/tmp/big']) try { const file = fs.openSync(place, 'w'); const block = Buffer.alloc(1 << 20); for (let i = 0; i < 4000; i += 1) fs.writeSync(file, block); } catch (error) { console.log(error.code); }",
    ),
    shows: 'may',
  },
  'starts a server and leaves it': {
    test: `import net from 'node:net';\nimport { spawn } from 'node:child_process';\nnet.createServer().listen(0, '127.0.0.1').unref();\nspawn('sleep', ['300'], { detached: true, stdio: 'ignore' }).unref();\n${GOOD}`,
    shows: 'yes',
  },
  'reaches for the network': {
    test: loud(
      "try { await fetch('http://1.1.1.1/', { signal: AbortSignal.timeout(3000) }); process.exit(3); } catch {}",
    ),
    shows: 'yes',
  },
  'reads a credential and the token of the checkout': {
    test: loud(
      "for (const p of ['.env', '.git/config', '.git/HEAD', 'HOME/.netrc']) { let text = ''; try { text = fs.readFileSync(p, 'utf8'); } catch {} console.log(text); if (text !== '') process.exit(3); }",
    ),
    shows: 'yes',
  },
  'becomes another user': { command: 'sudo -n id && exit 3; node t.test.mjs', shows: 'yes' },
};

/** A push, and what the test of the repository says after it. */
export const PUSHES: Readonly<
  Record<string, readonly [files: Readonly<Record<string, string | null>>, said: string]>
> = {
  'the fix': [{ 'list.mjs': 'export function first(list) {\n  return list[0];\n}\n' }, 'passes'],
  'another fix': [{ 'list.mjs': 'export const first = ([item]) => item;\n' }, 'passes'],
  'something else': [{ 'README.md': 'hello\n' }, 'fails'],
  'the line in other words': [
    { 'list.mjs': 'export function first(all) {\n  return all[1];\n}\n' },
    'fails',
  ],
  'another name of the function': [
    { 'list.mjs': 'export function head(list) {\n  return list[0];\n}\n' },
    'unclear',
  ],
  'code that does not compile': [{ 'list.mjs': 'export function first(list) {\n' }, 'unclear'],
  'no such file': [{ 'list.mjs': null }, 'unclear'],
  'another fault': [
    { 'list.mjs': 'export function first(list) {\n  return list[2];\n}\n' },
    'unclear',
  ],
  'a test of its own at that path': [{ 't.test.mjs': 'process.exit(0);\n' }, 'fails'],
};
export { NODE };
