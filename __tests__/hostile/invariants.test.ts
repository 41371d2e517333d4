import { expect, it } from '@jest/globals';
import { brokenInvariants, type WatchedRun } from './invariants.js';

const ENTRY =
  '## 2026-11-20T06:00:00Z\n**Task:** look\n**Result:** fine\n<!-- axe-action v=1 id=a -->\n';
const NEWER = ENTRY.replace('11-20', '11-21').replace('id=a', 'id=b');
const SECRET = 'canary-0123456789';

/** The files of a memory on a branch, and the versions of one file in a cache. */
const onBranch = (...files: readonly [string, string][]) =>
  new Map(files.map(([path, text]) => [`axe-memory:${path}`, text]));
const inCache = (...versions: readonly string[]) =>
  new Map(versions.map((text, index) => [`axe/000000000${index + 1}.:reviewer.md`, text]));

const SOUND: WatchedRun = {
  step: {
    exitCode: 0,
    signal: null,
    stdout: 'Agent: reviewer\n',
    stderr: '',
    summary: '### reviewer\n',
    annotations: [],
    outputs: { conclusion: 'success' },
    exported: '',
  },
  isUntrusted: false,
  canaries: { KEY: SECRET },
  places: { 'the log': 'Agent: reviewer\n', 'requests to the model': '{"model":"m"}' },
  memoryBefore: onBranch(['reviewer.md', ENTRY]),
  memoryAfter: onBranch(['reviewer.md', `${NEWER}${ENTRY}`]),
  outsideBefore: new Map([['home/.netrc', '1']]),
  outsideAfter: new Map([['home/.netrc', '1']]),
};

const RED = { ...SOUND.step, exitCode: 1, outputs: { conclusion: 'failure' } };
const error = (message: string) => [
  { level: 'error' as const, message, title: 'axe-action', file: undefined, line: undefined },
];

it.each<[string, Partial<WatchedRun>]>([
  ['that adds an entry', {}],
  [
    'that fails with an error',
    {
      step: {
        ...RED,
        stdout: 'no key\n  at axe/agents/a.toml:4:1\n',
        annotations: error('no key'),
      },
    },
  ],
  [
    'of a stranger that adds to the untrusted lane and to the state',
    {
      isUntrusted: true,
      memoryAfter: onBranch(
        ['reviewer.md', ENTRY],
        ['apart/reviewer.md', NEWER],
        ['reviewer.state.md', 'spent'],
      ),
    },
  ],
  [
    'that moves an entry to another file',
    { memoryAfter: onBranch(['archive/reviewer.md', ENTRY]) },
  ],
  [
    'that adds a version to a cache',
    { memoryBefore: inCache(ENTRY), memoryAfter: inCache(ENTRY, `${ENTRY}${NEWER}`) },
  ],
])('no invariant is broken by a run %s', (_, change) => {
  expect(brokenInvariants({ ...SOUND, ...change })).toEqual([]);
});

const base64 = Buffer.from(SECRET).toString('base64');
it.each<[string, Partial<WatchedRun>]>([
  ['I1', { memoryAfter: onBranch(['reviewer.md', NEWER]) }],
  ['I1', { memoryAfter: onBranch(['reviewer.md', ENTRY.replace('fine', 'bad')]) }],
  ['I1', { memoryBefore: inCache(ENTRY), memoryAfter: inCache(ENTRY, NEWER) }],
  ['I2', { places: { 'the log': `key ${SECRET}` } }],
  ['I2', { places: { 'requests to the model': `x${base64}` } }],
  ['I2', { places: { memory: Buffer.from(SECRET).toString('hex') } }],
  ['I2', { places: { comments: [...SECRET].reverse().join('') } }],
  ['I3', { step: { ...SOUND.step, exitCode: 7 } }],
  ['I3', { step: { ...SOUND.step, exitCode: null, signal: 'SIGKILL' } }],
  ['I3', { step: RED }],
  ['I3', { step: { ...SOUND.step, outputs: {} } }],
  ['I3', { step: { ...SOUND.step, stderr: 'Warning: something' } }],
  ['I3', { step: { ...SOUND.step, stdout: 'TypeError: x\n    at run (file:///a/b.js:1:2)\n' } }],
  ['I3', { step: { ...SOUND.step, summary: 'TypeError: x\n    at node:fs:1:2\n' } }],
  ['I3', { step: { ...SOUND.step, stdout: '::error::This is a bug' } }],
  ['I4', { outsideAfter: new Map([['home/.netrc', '2']]) }],
  ['I4', { outsideAfter: new Map() }],
  ['I4', { outsideAfter: new Map([...SOUND.outsideBefore, ['new.txt', '1']]) }],
  ['I4', { step: { ...SOUND.step, exported: 'NODE_OPTIONS=--require /tmp/x.js\n' } }],
  ['I5', { isUntrusted: true }],
  ['I5', { isUntrusted: true, memoryAfter: onBranch(['reviewer.md', ENTRY], ['other.md', NEWER]) }],
])('the invariant %s fails for a run that breaks it, %#', (invariant, change) => {
  const broken = brokenInvariants({ ...SOUND, ...change });
  expect(broken.map((fault) => fault.slice(0, 2))).toEqual([invariant]);
});
