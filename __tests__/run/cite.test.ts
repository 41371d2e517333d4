import { expect, it } from '@jest/globals';
import type { BaseCode } from '../../src/github/reading/contents.js';
import { AxeError } from '../../src/lib/errors.js';
import { checkNotes, type ReadBase } from '../../src/memory/citations.js';
import { createCiter } from '../../src/run/cite.js';
import type { ReviewedChange, RunNotes } from '../../src/run/records.js';
import { DIFF as SHORT_LINES } from '../github/hello-fixture.js';
import { createFakeDependencies } from '../helpers/dependencies-fake.js';

const BASE = 'b'.repeat(40);
const HEAD = 'd'.repeat(40);
const AT_BASE = `<!-- octocat/hello@${BASE} -->`;
const AT_HEAD = `<!-- octocat/hello@${HEAD} -->`;
const SECRET = 'ghs_0123456789abcdefghijABCDEFGHIJ0123456';
const ADDED =
  'diff --git a/src/new.ts b/src/new.ts\nnew file mode 100644\n--- /dev/null\n+++ b/src/new.ts\n@@ -0,0 +1 @@\n+const fresh = 1;\n';
const DIFF = SHORT_LINES.replace('+third', '+third line').replace(' four', ' four or five');
const CHANGE: ReviewedChange = { head: HEAD, base: BASE, diff: DIFF + ADDED };
const FILES = new Map<string, string | null>([
  ['src/a.ts', 'one\ntwo by two\nfour or five\n'],
  ['src/disk.ts', 'const first = 1;\nconst second = 2;\n'],
  ['src/package.json', '{ "name": "src" }'],
  ['package.json', '{ "name": "root" }'],
  ['new.ts', 'const old = 0;'],
]);

const AT = {
  repository: 'octocat/hello',
  isOnlyRepository: true,
  commit: BASE,
  renamed: new Map<string, string>(),
};
const KNOWN = `- Fact (old/c.ts:7 "const c = 3;") <!-- octocat/hello@${BASE} -->\n`;

function citerOf({
  change,
  readBase = async () => ({ ...AT, files: FILES, history: new Set([BASE]) }),
}: {
  readonly change?: ReviewedChange;
  readonly readBase?: ReadBase;
} = {}) {
  const base: BaseCode = { ...AT, files: new Map(), history: new Set() };
  const notes = { checked: checkNotes(new Map([['MEMORY.md', KNOWN]]), base) } as RunNotes;
  const deps = { ...createFakeDependencies({ secrets: ['hunter22-hunter22'] }), readBase };
  const citer = createCiter(notes, change, '/work/src', deps);
  const lines = [
    'const first = 1;',
    'const third = 3;',
    `token = "${SECRET}"`,
    'const that\u202E = 4;',
    'is "hunter22-hunter22"',
  ];
  citer.show([
    { path: '/work/src/disk.ts', side: 'RIGHT', firstLine: 1, lines },
    { path: 'lib/e.ts', side: 'RIGHT', firstLine: 5, lines: ['export const e = 5;'] },
    { path: 'package.json', side: 'RIGHT', firstLine: 1, lines: ['{ "name": "root" }'] },
    { path: 'new.ts', side: 'RIGHT', firstLine: 1, lines: ['const fresh = 1;'] },
    { path: 'src/a.ts', side: 'RIGHT', firstLine: 9, lines: ['two by two'] },
    { path: 'src/a.ts', side: 'RIGHT', firstLine: 12, lines: ['two by two'] },
  ]);
  return { ...citer, warnings: deps.warnings };
}

it.each<[string, string, string]>([
  [
    'has the line that a tool showed',
    'F (disk.ts:1)',
    `F (src/disk.ts:1 \`"const first = 1;"\`) ${AT_BASE}`,
  ],
  [
    'has the right number of a line that is quoted',
    'F (disk.ts:9 "const first = 1;")',
    `F (src/disk.ts:1 \`"const first = 1;"\`) ${AT_BASE}`,
  ],
  [
    'has no commit if nobody knows one with the line',
    'F (disk.ts:2)',
    'F (disk.ts:2 "const third = 3;")',
  ],
  [
    'has a line of GitHub by its path there',
    'F (./lib/e.ts:5)',
    'F (lib/e.ts:5 "export const e = 5;")',
  ],
  [
    'keeps the commit of an old fact',
    'F (old/c.ts:8 "const c = 3;")',
    `F (old/c.ts:8 \`"const c = 3;"\`) ${AT_BASE}`,
  ],
  [
    'has the path of the file that has the line, of one below the working directory and one at the top',
    'F (package.json:1)',
    `F (package.json:1 \`"{ \\"name\\": \\"root\\" }"\`) ${AT_BASE}`,
  ],
  [
    'has a line that was shown under two numbers and is at the base once',
    'F (src/a.ts:12)',
    `F (src/a.ts:12 \`"two by two"\`) ${AT_BASE}`,
  ],
  ['stays as it is without a path', 'F (example.com:443)', 'F (example.com:443)'],
  ['stays as it is with an address', 'F (http://a/b:443)', 'F (http://a/b:443)'],
])('a note of an agent %s', async (_, content, expected) => {
  expect(await citerOf().cite(content)).toBe(expected);
});

it.each<[string, string, string]>([
  ['a file that was not shown', 'F (lib/f.ts:1)', 'line 1 of lib/f.ts was not shown to you'],
  ['a line that was not shown', 'F (lib/e.ts:6)', 'line 6 of lib/e.ts was not shown to you'],
  ['code that was not shown', 'F (lib/e.ts:5 "export const e = 6;")', 'was not shown to you'],
  ['a line with a secret by its shape', 'F (src/../disk.ts:3)', 'holds a secret'],
  ['a line with a secret by its value', 'F (./disk.ts:5)', 'holds a secret'],
  ['a line with what nobody sees', 'F (disk.ts:4)', 'invisible characters'],
])('a note of an agent is refused for %s', async (_, content, message) => {
  await expect(citerOf().cite(content)).rejects.toThrow(message);
});

it('a note of an agent names the head of a pull request if only that has the line, and the base if that has it too', async () => {
  const citer = citerOf({ change: CHANGE });
  expect(await citer.cite('F (src/a.ts:3)')).toBe(`F (src/a.ts:3 \`"third line"\`) ${AT_HEAD}`);
  expect(await citer.cite('F (src/a.ts:4)')).toBe(`F (src/a.ts:4 \`"four or five"\`) ${AT_BASE}`);
  expect(await citer.cite('F (new.ts:1)')).toBe(
    `F (src/new.ts:1 \`"const fresh = 1;"\`) ${AT_HEAD}`,
  );
});

it('a note of an agent has the line without a commit if the base cannot be read, and somebody is told', async () => {
  const readBase = async () => {
    throw new AxeError('GitHub is down', { remedy: 'Wait.' });
  };
  const citer = citerOf({ readBase });
  expect(await citer.cite('F (disk.ts:1)')).toBe('F (disk.ts:1 "const first = 1;")');
  expect(citer.warnings).toEqual([
    {
      code: 'memory-outdated',
      message:
        'the code that notes rest on could not be read, so they are used as they are: GitHub is down',
      remedy: 'Wait.',
    },
  ]);
});
