import { describe, expect, it } from '@jest/globals';
import type { Clock } from '../../../../src/lib/clock.js';
import type { FailedSave, MemoryStore } from '../../../../src/memory/store.js';
import {
  commitMessage,
  createBranchStore,
  openBranchMemory,
} from '../../../../src/memory/stores/branch/branch-store.js';
import { NAME, startHello } from '../../../github/hello-fixture.js';
import {
  ANSWER_LOST,
  BAD_GATEWAY_AFTER_EFFECT,
  type FaultAnswer,
  secondaryRateLimit,
  staleMessage,
} from '../../../helpers/github-faults.js';
import { describeMemoryStore } from '../contract.js';
import { append, entryText, idsIn, idsRead, never, read } from '../entries.js';
import { type BranchFaults, createFakeBranch, type FakeBranch } from '../fake-branch.js';
import { createFakeClock, createPatientClock } from '../fake-clock.js';
import { overwriting } from '../notes-contract.js';

interface Run {
  readonly faults?: BranchFaults;
  readonly folder?: string;
  readonly clock?: Clock;
  readonly mayCreate?: boolean;
}

/** The store of a new run. */
function run(
  branch: FakeBranch,
  { faults = {}, folder = '', clock = createFakeClock(), mayCreate = true }: Run = {},
): MemoryStore {
  return createBranchStore({ branch: branch.open(faults), folder, clock, mayCreate });
}

describe.each([
  ['at the top of a branch', ''],
  ['in a folder of a branch', '.axe/memory'],
])('%s', (where, folder) => {
  describeMemoryStore(`a branch store ${where}`, async () => {
    const branch = createFakeBranch();
    const at = (path: string) => (folder === '' ? path : `${folder}/${path}`);
    return {
      open: () => run(branch, { folder, clock: createPatientClock() }),
      put: async (path, text) => branch.put(at(path), text),
      text: async (path) => branch.text(at(path)),
    };
  });
});

it('the calls to GitHub are one read and one commit for each change', async () => {
  const branch = createFakeBranch();
  branch.put('bot.md', entryText('a'));
  const both = [append('b'), append('b', { path: 'apart/bot.md' })];
  expect(await run(branch).write(both, never)).toMatchObject({ kind: 'saved', attempts: 1 });
  expect(branch.calls).toEqual(['read', 'commit']);
  expect(branch.log()).toHaveLength(2);
});

it('the calls to GitHub are one read and one commit for a run that reads and saves', async () => {
  const branch = createFakeBranch();
  branch.put('bot.md', entryText('a'));
  const store = run(branch);
  await read(store);
  await store.write([append('b')], never);
  expect(branch.calls).toEqual(['read', 'commit']);
  await read(store);
  branch.put('bot.md', `${branch.text('bot.md')}${entryText('c')}`);
  expect(await store.write([append('d')], never)).toMatchObject({ kind: 'saved' });
  expect(branch.calls.slice(2)).toEqual(['read', 'commit', 'read', 'commit']);
  expect(await idsRead(store)).toEqual(['a', 'b', 'c', 'd']);
});

it('the calls to GitHub write only changed files below the folder', async () => {
  const branch = createFakeBranch();
  branch.put('README.md', 'hello');
  branch.put('.axe/memory/bot.md', entryText('a'));
  const changes = [append('a'), append('b', { path: 'other.md' })];
  await run(branch, { folder: './.axe/memory/' }).write(changes, never);
  expect(Object.fromEntries(branch.head?.files ?? [])).toEqual({
    'README.md': 'hello',
    '.axe/memory/bot.md': entryText('a'),
    '.axe/memory/other.md': entryText('b'),
  });
});

it.each(['../x', 'a/../../b', 'a//b', 'a\\b'])(
  'the calls to GitHub are not made for the folder %j: it leads out of the branch',
  (folder) => {
    expect(() => run(createFakeBranch(), { folder })).toThrow('is not a folder of a repository');
  },
);

it('the places of entries name repository, branch and file, with a link', async () => {
  const branch = createFakeBranch();
  const store = run(branch, { folder: 'deep' });
  const prefix = 'octocat/hello@axe-memory:deep/';
  const url = 'https://github.com/octocat/hello/blob/axe-memory/deep/bot.md';
  const place = { location: `${prefix}bot.md`, prefix, url };
  expect(await store.write([append('a')], never)).toMatchObject({ kind: 'saved', ...place });
  expect(await read(store)).toMatchObject({ kind: 'restored', ...place });
  expect(await store.readTree(never)).toMatchObject({ location: 'octocat/hello@axe-memory:deep' });
  expect(await run(branch).readTree(never)).toMatchObject({ location: 'octocat/hello@axe-memory' });
});

it.each([
  [false, /^The branch `octocat\/hello@axe-memory` was created to keep memory\.$/],
  [
    true,
    /^The branch .* was created .*\. The repository is public, so everybody can read .*`memory-repo`/,
  ],
])('C3 45: a missing branch is created with a notice, public: %s', async (isPublic, notice) => {
  const branch = createFakeBranch();
  branch.isPublic = isPublic;
  const saved = await run(branch).write([append('a')], never);
  expect(saved).toMatchObject({ kind: 'saved', notices: [expect.stringMatching(notice)] });
  const message = 'Update memory of bot [skip ci]\n\nAxe-Save: a';
  expect(branch.log()).toMatchObject([{ parent: undefined, message }]);
  expect(await run(branch).write([append('b')], never)).not.toMatchObject({
    notices: expect.anything(),
  });
});

it('C3 45: a missing branch is not created if the caller forbids it', async () => {
  const branch = createFakeBranch();
  const message = 'there is no branch `octocat/hello@axe-memory`';
  const failure = { kind: 'failed', reason: 'unavailable', message };
  const written = await run(branch, { mayCreate: false }).write([append('a')], never);
  expect(written).toEqual({ ...failure, remedy: 'Name one that exists with `--branch`.' });
  expect(branch.calls).toEqual(['read']);
});

it('C3 48: an error of reading is a failure, not an empty memory, and nothing is written', async () => {
  const denied: FailedSave = {
    kind: 'failed',
    reason: 'denied',
    message: 'no',
    remedy: '`contents: write`',
  };
  const branch = createFakeBranch();
  branch.put('bot.md', entryText('a'));
  const store = run(branch, { faults: { read: () => denied } });
  const location = 'octocat/hello@axe-memory:bot.md';
  expect(await read(store)).toMatchObject({
    ...denied,
    location,
    prefix: 'octocat/hello@axe-memory:',
  });
  expect(await store.readTree(never)).toMatchObject({ kind: 'failed', message: 'no' });
  expect(await store.write([append('b')], never)).toEqual(denied);
  expect(branch.calls).not.toContain('commit');
});

it('files that do not fit are told as such, and not as what is no memory', async () => {
  const [head, files, refused] = ['h', new Map(), new Map([['n.md', 'the folder holds more']])];
  const readAll = async () =>
    ({ kind: 'found', head, files, refused, left: ['n.md'], isPublic: false }) as const;
  const branch = { ...createFakeBranch().open({}), readAll };
  const store = createBranchStore({
    branch,
    folder: '',
    clock: createFakeClock(),
    mayCreate: true,
  });
  const message = expect.stringMatching(
    /^Memory is larger .* \(1,000 files, 8 MiB\); left out: "n\.md"\./,
  );
  expect(await store.readTree(never)).toMatchObject({ warnings: [{ message }] });
});

describe('C3 50: an entry of the tree that is not a memory file (D17)', () => {
  const link = { refused: 'it is a symbolic link' };

  it.each(['bot.md', 'apart/bot.md'])('is neither read nor overwritten at %s', async (path) => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a'));
    branch.put(path, link);
    const before = branch.head;
    const store = run(branch);
    expect(await read(store, path)).toMatchObject({
      kind: 'failed',
      message: `\`octocat/hello@axe-memory:${path}\` is not a memory file: it is a symbolic link`,
      remedy: expect.stringContaining('never overwritten'),
    });
    const both = [append('b'), append('b', { path: 'apart/bot.md' })];
    expect(await store.write(both, never)).toMatchObject({ kind: 'failed', reason: 'error' });
    expect(branch.head).toBe(before);
  });

  it('keeps nobody from the others, whatever its name', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a'));
    branch.put('all', { refused: 'it is not a markdown file' });
    const warnings = [{ message: expect.stringContaining('"all" (it is not a markdown file)') }];
    expect(await run(branch).readTree(never)).toMatchObject({ kind: 'tree', warnings });
  });

  it('in place of a note is left alone, blocks the note and nothing else (D54)', async () => {
    const branch = createFakeBranch();
    branch.put('MEMORY.md', link);
    branch.put('bot.md', entryText('a'));
    const message = expect.stringContaining('a symbolic link');
    const blocked = [{ path: 'MEMORY.md', reason: 'refused', message }];
    const request = { path: 'bot.md', lastN: 0, alongside: ['MEMORY.md'] };
    expect(await run(branch).read(request, never)).toMatchObject({
      kind: 'restored',
      loaded: 1,
      blocked,
    });
    expect(await run(branch).readTree(never, ['MEMORY.md'])).toMatchObject({
      kind: 'tree',
      blocked,
    });
    const written = await run(branch).write([overwriting('MEMORY.md', 'mine')], never);
    expect(written).toMatchObject({ kind: 'failed', reason: 'error' });
  });
});

it('dropping the history replaces all commits with one, with the same files', async () => {
  const branch = createFakeBranch();
  for (const id of ['a', 'b', 'c']) await run(branch).write([append(id)], never);
  const files = branch.head?.files;
  const location = 'octocat/hello@axe-memory';
  expect(await run(branch).dropHistory?.(never)).toMatchObject({ kind: 'saved', location });
  expect(branch.log()).toMatchObject([
    { parent: undefined, message: expect.stringMatching(/ \[skip ci\]\n\nAxe-Save: c\n/), files },
  ]);
  await run(branch).write([append('d')], never);
  expect(await idsRead(run(branch))).toEqual(['a', 'b', 'c', 'd']);
});

it('dropping the history includes what somebody commits meanwhile', async () => {
  const branch = createFakeBranch();
  branch.put('bot.md', entryText('a'));
  let meddle = true;
  const step = async (operation: string) => {
    if (operation === 'squash' && meddle) {
      meddle = false;
      await run(branch).write([append('b')], never);
    }
  };
  const dropped = await run(branch, { faults: { step } }).dropHistory?.(never);
  expect(dropped).toMatchObject({ kind: 'saved', attempts: 2 });
  expect(await idsRead(run(branch))).toEqual(['a', 'b']);
  expect(branch.log()).toHaveLength(1);
});

it.each([
  [['pr-reviewer.md'], 'Update memory of pr-reviewer [skip ci]'],
  [['a.md', 'a.state.md', 'apart/a.md', 'a.md.bak', 'b.md'], 'Update memory of a, b [skip ci]'],
  [
    ['packages/web/bot.md', 'packages/web/apart/bot.md'],
    'Update memory of packages/web/bot [skip ci]',
  ],
  [['odd\nname @octocat #1.md'], 'Update memory of odd-name-octocat-1 [skip ci]'],
])('the message of a commit for %j names the memory', (paths, message) =>
  expect(commitMessage(paths, [])).toBe(message),
);

it.each([
  ['pull_request', 42, 'Update memory of bot (pull_request 42) [skip ci]'],
  ['schedule', undefined, 'Update memory of bot (schedule) [skip ci]'],
])(
  'the message of a commit names the event %s, its number without a mark that GitHub links, and the run',
  (event, number, subject) => {
    const runUrl = 'https://github.com/octocat/hello/actions/runs/7';
    expect(commitMessage(['bot.md'], [], { event, number, runUrl })).toBe(
      `${subject}\n\nRun: ${runUrl}`,
    );
    expect(commitMessage(['bot.md'], [], { event, number, runUrl: '' })).toBe(subject);
  },
);

const ROUTES = ['POST /graphql', ...['trees', 'commits', 'refs'].map(newObject)] as const;

function newObject(kind: string): string {
  return `POST /repos/{owner}/{repo}/git/${kind}`;
}

const STRANGE_ANSWERS: readonly FaultAnswer[] = [
  ...[401, 403, 404, 409, 422, 503].map((status) => ({ status, body: { message: 'No' } })),
  ...['NOT_FOUND', 'FORBIDDEN', 'STALE_DATA'].map((type) => ({
    status: 200,
    body: { data: null, errors: [{ type, message: staleMessage('a'.repeat(40)) }] },
  })),
  { status: 200, body: {} },
  { status: 200, body: '<html>Welcome</html>' },
  { status: 'disconnect' },
  ANSWER_LOST,
  BAD_GATEWAY_AFTER_EFFECT,
  secondaryRateLimit(5),
];

it.each([
  [NAME, 'left out: "plans.txt" ('],
  ['acme/other', 'left out: 1 file.'],
])('to a run of %s, a warning says of files that are not memory: %s', async (repository, words) => {
  const { github, client } = await startHello({ validate: false });
  github.commit(NAME, { 'plans.txt': 'Ada' }, { branch: 'axe-memory' });
  const place = { owner: 'octocat', name: 'hello', branch: 'axe-memory', folder: '' };
  const given = { ...place, client, token: 'github-token', mayCreate: true } as const;
  const env = { GITHUB_REPOSITORY: repository };
  const tree = await openBranchMemory({ ...given, clock: createFakeClock(), env }).readTree(never);
  expect(tree).toMatchObject({ warnings: [{ message: expect.stringContaining(words) }] });
});

describe.each([
  ['', {}],
  ['new ', undefined],
])('on a %sbranch', (_, files) => {
  it.each(ROUTES.slice(0, files === undefined ? undefined : 1))(
    'whatever one of %s is answered, an entry is where the save says that it is, once',
    async (route) => {
      const { github, repo, client } = await startHello({ validate: false });
      const open = () => {
        const place = { owner: 'octocat', name: 'hello', branch: 'axe-memory', folder: '' };
        const token = 'github-token' as const;
        const clock = createFakeClock();
        return openBranchMemory({ ...place, client, token, clock, env: {}, mayCreate: true });
      };
      const stored = () => {
        const isThere = repo.branches.has('axe-memory');
        return idsIn((isThere ? github.files(NAME, 'axe-memory')['bot.md'] : '') ?? '');
      };
      for (const answer of STRANGE_ANSWERS)
        for (const skip of route === 'POST /graphql' ? [0, 1, 2] : [0]) {
          repo.branches.delete('axe-memory');
          const old = files === undefined ? [] : ['old'];
          if (files !== undefined)
            github.commit(NAME, { 'bot.md': entryText('old') }, { branch: 'axe-memory' });
          github.fail({ route, skip, ...answer });
          const store = open();
          await read(store);
          const saved = await store.write([append('new')], never);
          github.recover();
          const told = { answer, skip, saved, ids: stored() };
          const isThere = stored().length > old.length;
          expect(told).toMatchObject({ ids: isThere ? [...old, 'new'] : old });
          if (saved.kind === 'saved') expect(told).toMatchObject({ ids: [...old, 'new'] });
          const again = { ...append('new'), again: createFakeClock().now() };
          expect(await open().write([again], never)).toMatchObject({ kind: 'saved' });
          expect({ ...told, ids: stored() }).toMatchObject({ ids: [...old, 'new'] });
        }
    },
  );
});
