import { describe, expect, it } from '@jest/globals';
import { createBrokenStore, createNoneStore } from '../../../src/adapters/stores/none-store.js';
import {
  answerMemoryCommand,
  type MemoryCommandRequest,
} from '../../../src/commands/memory/answer-command.js';
import { memoryCommandIn } from '../../../src/commands/memory/parse-comment.js';
import { formatProvenance, parseProvenance } from '../../../src/core/memory/provenance.js';
import { formatEntry } from '../../../src/core/memory/run-log.js';
import { forgottenIds } from '../../../src/core/memory/state.js';
import { parseLog } from '../../../src/core/memory/units.js';
import { DEFAULT_MEMORY_POLICY } from '../../../src/core/plan.js';
import { runPipeline } from '../../../src/run/run.js';
import {
  AGENT,
  AGENT_WITH_MEMORY,
  createFakeDependencies,
  type FakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../../helpers/dependencies-fake.js';
import { type Report, WRITER } from '../../helpers/reports.js';
import { comment, OCTOCAT, SCHEDULE, STRANGER } from '../../helpers/triggers.js';
import { createFakeMemory, entry } from './memory-scene.js';

const SECRET_WORDS = 'the cellar door is open';
const A = entry(1, {
  id: 'aaaaaa-1',
  task: `Review ${SECRET_WORDS}`,
  result: SECRET_WORDS,
  actor: 'octocat',
});
const B = entry(2, { id: 'bbbbbb-1' });
const LOG = { 'bot.md': A + B };
const ORIGIN = { runId: '7', attempt: '1', job: 'memory', sha: 'c'.repeat(40) };

type Patch = Partial<Omit<MemoryCommandRequest, 'words'>>;

/** Carries out a command of a workflow. */
async function tend(
  command: string,
  deps: FakeDependencies,
  patch: Patch = {},
): Promise<Report<'memory-command'>> {
  const words = memoryCommandIn(command);
  return tended(
    await answerMemoryCommand(
      {
        ...makeRequest({ trigger: SCHEDULE, origin: ORIGIN, inWorkflow: true }),
        words,
        requestedIn: 'workflow',
        ...patch,
      },
      deps,
    ),
  );
}

/** Runs the pipeline on a comment. */
async function say(
  body: string,
  deps: FakeDependencies,
  patch: Patch = {},
): Promise<Report<'memory-command'>> {
  const request = makeRequest({ trigger: comment({ body }), origin: ORIGIN, inWorkflow: true, ...patch });
  return tended(await runPipeline(request, deps));
}

function tended(report: { readonly kind: string }): Report<'memory-command'> {
  if (report.kind !== 'memory-command') throw new Error(`the run was ${report.kind}`);
  return report as Report<'memory-command'>;
}

function depsWith(parts: FakeDependenciesParts = {}): FakeDependencies {
  return createFakeDependencies({ memory: LOG, permissions: WRITER, ...parts });
}

const idsIn = (deps: FakeDependencies, path = 'bot.md') =>
  parseLog(deps.memory.get(path) ?? '').units.map(({ id }) => id);

/** An id that nobody knows before. */
const NEW = '';
const toModel = /model|config|publish/;

describe('a command of a workflow', () => {
  it.each<[string, string, boolean, readonly string[]]>([
    ['show', '2 entries of `bot.md` in /memory, newest first:', false, ['aaaaaa-1', 'bbbbbb-1']],
    ['search cellar', '1 of 2 entries', false, ['aaaaaa-1', 'bbbbbb-1']],
    ['verify', 'No problems in /memory', false, ['aaaaaa-1', 'bbbbbb-1']],
    ['forget aaaaaa', 'Forgotten in /memory', true, ['bbbbbb-1']],
    ['remember We use tabs', 'Remembered as `', true, ['aaaaaa-1', 'bbbbbb-1', NEW]],
    ['edit aaaaaa-1 --text "We use tabs"', '`aaaaaa-1` is now `', true, [NEW, 'bbbbbb-1']],
  ])('is run without a model: %s', async (command, text, changed, ids) => {
    const deps = depsWith();
    const report = await tend(command, deps);
    expect(report).toMatchObject({
      agent: 'bot',
      store: 'file',
      command: command.split(' ')[0],
      requestedIn: 'workflow',
      result: { kind: 'done', changed },
      published: { line: undefined, url: undefined },
    });
    expect(report.result).toMatchObject({ text: expect.stringContaining(text) });
    expect(idsIn(deps)).toEqual(ids.map((id) => (id === NEW ? expect.any(String) : id)));
    expect(deps.steps.filter((step) => toModel.test(step))).toEqual([]);
    expect(deps.replies).toEqual([]);
  });

  it('is not answered in a comment even if one started the workflow, and can read everything', async () => {
    const deps = depsWith();
    const report = await tend('show', deps, { trigger: comment({ body: 'What do you know?' }) });
    expect(report.result).toMatchObject({ kind: 'done' });
    expect(deps.replies).toEqual([]);
  });

  it('records who remembered what, and where, and only what no model wrote (D8)', async () => {
    const deps = depsWith();
    await tend('remember We use tabs', deps, {
      trigger: { ...SCHEDULE, kind: 'dispatch', event: 'workflow_dispatch' },
    });
    const [unit] = parseLog(deps.memory.get('bot.md') ?? '').units.slice(-1);
    const text = unit?.text ?? '';
    expect(text).toContain('**Task:** Remembered by octocat\n**Result:** We use tabs\n');
    expect(text.split('\n').flatMap((line) => parseProvenance(line) ?? [])).toMatchObject([
      {
        run: '7/1',
        job: 'memory',
        event: 'workflow_dispatch',
        actor: 'octocat',
        trust: 'trusted',
        model: undefined,
        sha: undefined,
      },
    ]);
  });

  it('writes no secret into memory (D11)', async () => {
    const deps = depsWith({ secrets: ['hunter2-hunter2'] });
    const report = await tend('remember The key is hunter2-hunter2', deps);
    expect(deps.memory.get('bot.md')).toContain('The key is ***');
    expect(report.result).toMatchObject({ text: expect.stringContaining('What looked like a secret') });
  });

  it('that is run again remembers nothing twice', async () => {
    const deps = depsWith();
    await tend('remember We use tabs', deps);
    const { result } = await tend('remember "We use tabs"', deps);
    expect(result).toMatchObject({
      kind: 'done',
      changed: false,
      text: expect.stringMatching(/^That is remembered already, as `[^`]+` in `bot\.md` in \/memory\.$/),
    });
    expect(idsIn(deps)).toHaveLength(3);
  });

  it.each([
    ['bogus', 'unknown memory command "bogus"', /`forget <id> \[--purge\]`/],
    ['forget', '`forget` needs <id>', /Usage: `forget <id> \[--purge\]`\./],
    ['forget a --lane x', 'unknown flag: --lane', /`forget <id>/],
    ['search', '`search` needs at least one word', /`search/],
  ])('that does not exist is a mistake in the workflow: %s', async (command, message, remedy) => {
    await expect(tend(command, depsWith())).rejects.toMatchObject({
      name: 'ConfigError',
      exitCode: 2,
      message: `the input \`memory-command\`: ${message}`,
      remedy: expect.stringMatching(remedy),
    });
  });

  it('for an agent that is missing, or has no memory, is a mistake', async () => {
    await expect(tend('show', depsWith({ agents: {} }))).rejects.toThrow('agent config not found: bot');
    await expect(tend('show', depsWith({ agents: { bot: AGENT } }))).rejects.toMatchObject({
      name: 'ConfigError',
      message: 'the agent "bot" has no memory',
      remedy: 'Set `enabled = true` in `[memory]` of the agent.',
    });
  });

  it('uses the place of the agent and the model (D13, D32)', async () => {
    const memory = { 'team/bot.md': A, 'offline/bot.md': B };
    const agents = { bot: `${AGENT_WITH_MEMORY}path = "team/bot.md"\n` };
    expect((await tend('show', depsWith({ memory, agents }))).result).toMatchObject({
      text: expect.stringContaining('`team/bot.md`'),
    });
    expect((await tend('show', depsWith({ memory }), { model: 'offline/rules' })).result).toMatchObject({
      text: expect.stringContaining('`offline/bot.md`'),
    });
  });

  it('that fails reports why', async () => {
    expect((await tend('forget cccccc-1', depsWith())).result).toMatchObject({
      kind: 'failed',
      reason: 'not-found',
      message: 'no entry with id `cccccc-1` in /memory',
    });
  });

  it('of a store that cannot be reached changes nothing', async () => {
    const deps = { ...depsWith(), openMemory: () => createBrokenStore('repo', 'HTTP 502', 'Try again.') };
    expect(await tend('remember x', deps)).toMatchObject({
      store: 'repo',
      result: { kind: 'failed', reason: 'unreadable', message: 'the memory could not be read: HTTP 502' },
    });
  });

  it('that keeps nothing is not done', async () => {
    const deps = { ...depsWith(), openMemory: () => createNoneStore() };
    expect((await tend('remember x', deps)).result).toMatchObject({
      kind: 'failed',
      reason: 'refused',
      message: '`memory-store: none` keeps nothing',
    });
    expect((await tend('show', deps)).result).toMatchObject({ kind: 'done' });
  });

  it('reports the store’s notices, and which store accepted it', async () => {
    const memory = createFakeMemory(LOG, {
      save: { kind: 'saved', location: 'x', attempts: 1, store: 'cache', notices: ['It went to the cache.'] },
    });
    const report = await tend('remember x', { ...depsWith(), openMemory: () => memory });
    expect(report).toMatchObject({
      store: 'cache',
      result: { text: expect.stringMatching(/^Remembered as [^\n]*\n\nIt went to the cache\.$/) },
    });
  });

  it('ends with the run that was stopped, with its reason', async () => {
    const deps = depsWith({ save: { kind: 'failed', reason: 'timeout', message: 'stopped' } });
    deps.abort(new Error('the run was cancelled'));
    await expect(tend('remember x', deps)).rejects.toThrow('the run was cancelled');
  });

  it('reports what reading memory warned of', async () => {
    const memory = createFakeMemory(LOG);
    const warning = { code: 'memory-store-notice', message: 'a link was left out' } as const;
    const found = { kind: 'tree', tree: memory.tree, location: 'x', warnings: [warning] } as const;
    const deps = depsWith();
    await tend('show', { ...deps, openMemory: () => createFakeMemory(LOG, { unreadable: found }) });
    expect(deps.warnings).toEqual([warning]);
  });
});

describe('a command that is not allowed to change anything', () => {
  const never = { memoryPolicy: { ...DEFAULT_MEMORY_POLICY, write: 'never' } } as const;
  const CHANGING = ['forget aaaaaa-1', 'edit aaaaaa-1 new', 'remember x', 'promote dddddd-1', 'import a.md'];
  const memory = { ...LOG, 'untrusted/bot.md': entry(4, { id: 'dddddd-1' }) };

  it.each(CHANGING)('by `memory-write: never` is refused: %s', async (command) => {
    const deps = depsWith({ memory });
    expect((await tend(command, deps, never)).result).toEqual({
      kind: 'failed',
      reason: 'refused',
      message: '`memory-write: never` leaves memory as it is',
      remedy: 'Leave `memory-write` out.',
      changed: false,
    });
    expect(deps.steps).not.toContain('write memory');
  });

  it.each(CHANGING)('in a dry run is not run, and reports what it is about: %s', async (command) => {
    const deps = depsWith({ memory });
    const { result } = await tend(command, deps, { dryRun: true });
    expect(result).toMatchObject({ kind: 'done', changed: false });
    const about = /^(?:forget|edit|promote) (\S+)/.exec(command)?.[1];
    const expected =
      about === undefined ? /^Dry run: nothing was changed\.$/ : new RegExp(`\n\n- \`${about}\``);
    expect(result.kind === 'done' && result.text).toMatch(expected);
    expect(deps.steps).not.toContain('write memory');
  });

  it('reports an unknown id in a dry run too', async () => {
    const { result } = await tend('forget cccccc-1', depsWith(), { dryRun: true });
    expect(result).toMatchObject({ kind: 'failed', reason: 'not-found' });
  });

  it.each(['show', 'search review', 'verify'])('can read: %s', async (command) => {
    expect((await tend(command, depsWith(), never)).result).toMatchObject({ kind: 'done' });
    expect((await tend(command, depsWith(), { dryRun: true })).result).toMatchObject({ kind: 'done' });
  });
});

describe('a memory in another repository (D14)', () => {
  const hidden = { isMemoryHidden: true } as const;
  const twin = entry(3, { id: 'aaaaaa-2', result: SECRET_WORDS });
  const memory = {
    'bot.md': A + B + twin,
    'untrusted/bot.md': entry(4, { id: 'dddddd-1', result: SECRET_WORDS }),
  };

  it.each([
    'show',
    'show aaaaaa-1',
    'search cellar',
    'verify',
    'export',
    'forget aaaaaa-1',
    'forget aaaaaa-1 --purge',
    'forget aaaaaa',
    'forget zzzzzz',
    'edit aaaaaa-1 --text "the cellar door is open, still"',
    'remember the cellar door is open at night',
    'promote dddddd-1',
  ])('is changed without revealing its text: %s', async (command) => {
    const deps = depsWith({ memory });
    const report = await tend(command, deps, hidden);
    expect(JSON.stringify(report)).not.toMatch(/cellar|door|open/);
    expect(
      JSON.stringify(await tend(command, depsWith({ memory }), { ...hidden, dryRun: true })),
    ).not.toMatch(/cellar|door|open/);
  });

  it.each([
    ['forget aaaaaa-1', /^Forgotten in \/memory\.$/],
    ['edit aaaaaa-1 new words', /^`aaaaaa-1` is now `[^`]+` in \/memory\.$/],
    ['remember x', /^Remembered as `[^`]+` in `bot\.md` in \/memory\.$/],
    ['promote dddddd-1', /^`dddddd-1` is now `p-dddddd-1` in the trusted lane, and trusted runs load it\.$/],
  ])('reports what was done, with ids: %s', async (command, told) => {
    const { result } = await tend(command, depsWith({ memory }), hidden);
    expect(result).toMatchObject({ kind: 'done', changed: true, text: expect.stringMatching(told) });
  });

  it.each(['show', 'search x', 'verify', 'export'])('is not shown: %s', async (command) => {
    expect((await tend(command, depsWith(), hidden)).result).toMatchObject({
      kind: 'failed',
      reason: 'refused',
      message: `\`${command.split(' ')[0]}\` would show here what is kept in another repository`,
    });
  });

  it('names a finding that can be raised again by its id only', async () => {
    const state =
      '- withdrawn 5a1b888c32f7c519 pr=2 path=src/cellar.ts rule=door-open why=reply by=octocat at=2026-02-01T00:00:00.000Z\n';
    const deps = depsWith({ memory: { ...LOG, 'bot.state.md': state } });
    expect((await tend('forget 5a1b888c32f7c519', deps, hidden)).result).toEqual({
      kind: 'done',
      text: 'The finding `5a1b888c32f7c519` is no longer dismissed.',
      changed: true,
      warnings: [],
    });
  });

  it('reports the error, and nothing of its details', async () => {
    const drop = { kind: 'failed', reason: 'denied', message: 'a ruleset forbids it' } as const;
    const deps = { ...depsWith(), openMemory: () => createFakeMemory(LOG, { drop }) };
    expect((await tend('forget aaaaaa-1 --purge', deps, hidden)).result).toMatchObject({
      kind: 'failed',
      message: 'Older versions could not be dropped: a ruleset forbids it',
    });
  });
});

describe('a comment by a writer', () => {
  it('forgets an entry, and is answered, without a model', async () => {
    const published = { line: 'Posted a comment on #7.', url: 'https://github.com/octocat/hello/issues/7' };
    const deps = depsWith({ published });
    const report = await say('/axe forget aaaaaa', deps);
    expect(report).toMatchObject({
      command: 'forget',
      requestedIn: 'comment',
      result: { changed: true },
      published,
    });
    expect(idsIn(deps)).toEqual(['bbbbbb-1']);
    expect([...forgottenIds(deps.memory.get('bot.state.md') ?? '')]).toEqual(['aaaaaa-1']);
    expect(deps.replies).toMatchObject([
      { agent: 'bot', text: expect.stringMatching(/^Forgotten in \/memory:\n\n- `aaaaaa-1` /) },
    ]);
    expect(deps.steps).toEqual(['ask for permission of octocat', 'load agent', 'write memory', 'reply']);
  });

  it('remembers the whole text', async () => {
    const deps = depsWith();
    await say('/axe remember We use:\n\n- tabs\n- LF', deps);
    expect(deps.memory.get('bot.md')).toContain(
      '**Task:** Remembered by octocat\n**Result:** We use:\n\n- tabs\n- LF\n<!--',
    );
    expect(deps.replies).toMatchObject([
      { text: expect.stringMatching(/^Remembered as `[^`]+` in `bot\.md`/) },
    ]);
  });

  it.each([
    [
      '/axe show',
      /^Nothing was done: `show` cannot be asked for in a comment\. Run a workflow with `mode: memory`/,
    ],
    [
      '/axe search the docs for timeouts',
      /`search` cannot be asked for in a comment\. Run .*`memory-command: search`, or `axe-action memory search`.*`\/axe forget <id>`.*does not begin with `\/axe`/,
    ],
    ['/axe verify', /`verify` cannot be asked for in a comment/],
    ['/axe edit aaaaaa-1 better', /`edit` cannot be asked for in a comment/],
    ['/axe forget aaaaaa-1 --purge', /`forget --purge` cannot be asked for in a comment/],
    ['/axe forget MEMORY.md', /`forget <path of a note>` cannot be asked for in a comment/],
    ['/axe forget untrusted/MEMORY.md', /cannot be asked for in a comment/],
    ['/axe forget projects/p-12345678/notes/auth.md', /cannot be asked for in a comment/],
    ['/axe forget', /`\/axe forget` takes one id\. Write, for example, `\/axe forget 01m8k2`\./],
    ['/axe forget about it', /takes one id/],
    ['/axe forget aaaaaa-1 --lane x', /takes one id/],
    ['/axe remember', /there is nothing to remember\. Write it after `\/axe remember`\./],
    ['/axe forget aaaaaa-1\n/axe forget bbbbbb-1', /a comment can hold one command/],
    ['/axe forget aaa', /no entry with id `aaa`.*first six characters/],
  ])('that requests something impossible is answered with the reason: %j', async (body, told) => {
    const world = depsWith();
    const report = await say(body, world);
    expect(report.result).toMatchObject({ kind: 'failed', reason: 'refused', changed: false });
    expect(world.replies).toMatchObject([{ text: expect.stringMatching(told) }]);
    expect(world.steps).not.toContain('write memory');
    expect(world.steps.filter((step) => toModel.test(step))).toEqual([]);
  });

  it('about the beginning of several ids gets a list, with the remedy below it', async () => {
    const world = depsWith({ memory: { 'bot.md': A + entry(3, { id: 'aaaaaa-2' }) } });
    await say('/axe forget aaaaaa', world);
    expect(world.replies).toMatchObject([
      {
        text: expect.stringMatching(
          /^Nothing was done: `aaaaaa` is the beginning of 2 ids:\n- `aaaaaa-1`[\s\S]*\n- `aaaaaa-2`[\s\S]*\n\nGive more characters of the one that is meant\.$/,
        ),
      },
    ]);
  });

  it.each([
    ['of another agent', LOG, AGENT_WITH_MEMORY],
    ['while the agent has no memory', LOG, AGENT],
  ])('about an entry %s is answered unless somebody else has answered', async (_, memory, toml) => {
    const world = depsWith({ memory, agents: { bot: toml } });
    const report = await say('/axe forget cccccc-1', world);
    expect(report.result).toMatchObject({ kind: 'failed', reason: 'not-found' });
    expect(world.replies).toMatchObject([
      { text: expect.stringMatching(/^Nothing was done: /), among: 'unless-answered' },
    ]);
  });

  it('has the last word of several agents if the entry is its own', async () => {
    const world = depsWith();
    await say('/axe forget aaaaaa-1', world);
    await say('/axe remember x', world);
    expect(world.replies.map(({ among }) => among)).toEqual(['for-all', undefined]);
  });

  it('that is kept apart by `memory-write: quarantine` remembers in a lane that no run reads', async () => {
    const world = depsWith();
    const policy = { memoryPolicy: { ...DEFAULT_MEMORY_POLICY, write: 'quarantine' } } as const;
    await say('/axe remember We use tabs', world, policy);
    await say('/axe remember We use tabs', world, policy);
    expect(idsIn(world)).toEqual(['aaaaaa-1', 'bbbbbb-1']);
    const apart = world.memory.get('untrusted/bot.md') ?? '';
    expect(apart.match(/We use tabs/g)).toHaveLength(1);
    expect(apart).toContain('trust=untrusted');
    const [first, second] = world.replies.map(({ text }) => text);
    expect(first).toMatch(/in `untrusted\/bot\.md` in .*`memory-write: quarantine` keeps it.*`promote /);
    expect(second).toMatch(/^That is remembered already, .* in `untrusted\/bot\.md`/);
  });

  it('is answered that an agent without memory cannot remember', async () => {
    const deps = depsWith({ agents: { bot: AGENT } });
    await say('/axe remember x', deps);
    expect(deps.replies).toMatchObject([
      { text: expect.stringContaining('Nothing was done: the agent "bot" has no memory.') },
    ]);
  });

  it('is answered that memory must not change only by the agent whose entry it is', async () => {
    const never = { memoryPolicy: { ...DEFAULT_MEMORY_POLICY, write: 'never' } } as const;
    const [own, other] = [depsWith(), depsWith()];
    await say('/axe forget aaaaaa-1', own, never);
    await say('/axe forget cccccc-1', other, never);
    expect(own.replies).toMatchObject([{ text: expect.stringContaining('`memory-write: never`') }]);
    expect(other.replies).toMatchObject([{ text: expect.stringContaining('no entry with id `cccccc-1`') }]);
    expect(idsIn(own)).toContain('aaaaaa-1');
  });

  it('is answered when memory cannot be reached', async () => {
    const deps = { ...depsWith(), openMemory: () => createBrokenStore('repo', 'HTTP 502', 'Try again.') };
    expect((await say('/axe forget aaaaaa-1', deps)).result).toMatchObject({ reason: 'unreadable' });
    expect(deps.replies).toMatchObject([
      { text: 'Nothing was done: the memory could not be read: HTTP 502. Try again.' },
    ]);
  });

  it('gets no answer in a dry run, which writes nothing anywhere', async () => {
    const deps = depsWith();
    expect((await say('/axe forget aaaaaa-1', deps, { dryRun: true })).result).toMatchObject({
      kind: 'done',
    });
    expect([deps.replies, idsIn(deps)]).toEqual([[], ['aaaaaa-1', 'bbbbbb-1']]);
  });

  it('gets no text of a memory in another repository', async () => {
    const deps = depsWith();
    await say('/axe forget aaaaaa-1', deps, { isMemoryHidden: true });
    expect(deps.replies).toMatchObject([{ text: 'Forgotten in /memory.' }]);
  });

  it.each([
    '/axe forgetful as you are, what is new?',
    'I mean\n/axe forget aaaaaa-1',
    '    /axe forget aaaaaa-1',
  ])('that is not a command is a task for the agent: %j', async (body) => {
    const deps = depsWith();
    const report = await runPipeline(makeRequest({ trigger: comment({ body }) }), deps);
    expect(report.kind).toBe('ran');
    expect(deps.steps).toContain('ask model');
    expect(idsIn(deps)).toContain('aaaaaa-1');
  });
});

describe('a comment by anybody else', () => {
  const body = '/axe forget aaaaaa-1';

  it.each([
    ['who can only read', comment({ body, actor: STRANGER, author: STRANGER }), 'permission'],
    [
      'who can triage',
      comment({
        body,
        actor: { login: 'monalisa', isBot: false },
        author: { login: 'monalisa', isBot: false },
      }),
      'permission',
    ],
    [
      'who is a bot',
      comment({ body, actor: { login: 'ci[bot]', isBot: true }, author: { login: 'ci[bot]', isBot: true } }),
      'bot',
    ],
    [
      'whose comment a writer edited',
      comment({ body, action: 'edited', author: STRANGER, actor: OCTOCAT }),
      'sender-not-author',
    ],
    [
      'who edited the comment of a writer',
      comment({ body, action: 'edited', author: OCTOCAT, actor: STRANGER }),
      'sender-not-author',
    ],
    ['who deleted it', comment({ body, action: 'deleted' }), 'subject-deleted'],
  ])('%s does nothing, and is not answered', async (_, trigger, reason) => {
    const permissions = {
      ...WRITER,
      hubot: { kind: 'known', permission: 'read' },
      monalisa: { kind: 'known', permission: 'triage' },
    } as const;
    const deps = depsWith({ permissions });
    const report = await runPipeline(makeRequest({ trigger, origin: ORIGIN, inWorkflow: true }), deps);
    expect(report).toMatchObject({ kind: 'skipped', decision: { reason } });
    expect(deps.steps.filter((step) => !step.startsWith('ask for permission'))).toEqual([]);
    expect(deps.memory.get('bot.md')).toBe(LOG['bot.md']);
  });

  it('with an unknown permission does nothing, and ends with an error (D40)', async () => {
    const defunkt = { login: 'defunkt', isBot: false };
    const trigger = comment({ body, actor: defunkt, author: defunkt });
    const deps = depsWith({ permissions: WRITER });
    const run = runPipeline(makeRequest({ trigger, origin: ORIGIN, inWorkflow: true }), deps);
    await expect(run).rejects.toThrow('nobody knows defunkt');
    expect(deps.memory.get('bot.md')).toBe(LOG['bot.md']);
  });
});

it('an entry of axe is forgotten by the id that `show` prints', async () => {
  const plain = formatEntry({ timestamp: new Date('2026-02-03T04:00:00Z'), task: 'a', result: 'b' });
  const ours = formatEntry({
    timestamp: new Date('2026-02-03T05:00:00Z'),
    task: 'c',
    result: 'd',
    provenance: formatProvenance({
      id: 'x1',
      run: '1/1',
      job: 'j',
      event: 'push',
      sha: 'a',
      actor: 'octocat',
      trust: 'trusted',
      model: 'm',
    }),
  });
  const deps = depsWith({ memory: { 'bot.md': plain + ours } });
  const id = idsIn(deps)[0] ?? '';
  await say(`/axe forget \`${id}\``, deps);
  // An id that is shorter than the shortest beginning is still an id.
  await say('/axe forget x1', deps);
  expect(idsIn(deps)).toEqual([]);
  expect(deps.replies).toHaveLength(2);
});
