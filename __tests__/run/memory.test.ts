import { describe, expect, it } from '@jest/globals';
import { parseModelRef } from '../../src/agent/config.js';
import { parseAgent } from '../../src/agent/inspect.js';
import type { Word } from '../../src/event/trust.js';
import { apartPath, memoryName, notesPlaces } from '../../src/memory/paths.js';
import { planMemory } from '../../src/run/memory.js';
import { grantNotesTools, planNotes } from '../../src/run/notes.js';
import type { RunRequest } from '../../src/run/records.js';
import { makeRequest } from '../helpers/dependencies-fake.js';
import { readingOf } from '../helpers/reading.js';
import { pullRequest, SCHEDULE } from '../helpers/triggers.js';

const ORIGIN = { runId: '99', attempt: '2', sha: 'c'.repeat(40) };

interface Given extends Partial<RunRequest> {
  /** Of the agent's `[memory]`. */
  readonly memory?: string;
  readonly top?: string;
  readonly name?: string;
  readonly word?: Word;
}

/** The agent `bot` and the plan of its memory. */
function parts({
  memory = 'enabled = true',
  top = '',
  name = 'bot',
  word = 'own',
  ...given
}: Given) {
  const model = given.model ?? 'openai/m';
  const toml = `name = "x"\nmodel = "${model}"\n${top}\n[memory]\n${memory}`;
  const agent = {
    name,
    source: `${name}.toml`,
    ...parseAgent(toml, { name, file: `${name}.toml` }),
  };
  const request = makeRequest(given);
  const plan = planMemory({ agent, model: parseModelRef(model) }, request, 'id1');
  return { agent, memory: plan, trigger: request.trigger, reading: readingOf(word) };
}

function planOf(given: Given = {}) {
  return parts(given).memory;
}

describe('the memory plan', () => {
  it.each(['', 'enabled = false\npath = "x.md"\nlast_n = 3'])(
    'is absent for [memory] with %j',
    (memory) => {
      expect(planOf({ memory })).toBeUndefined();
    },
  );

  it("is axe's on the command line: all entries, no provenance (D8)", () => {
    expect(planOf()).toEqual({
      path: 'bot.md',
      isReadOnly: false,
      isPrivate: false,
      lastN: undefined,
      maxLogBytes: 0,
      maxEntries: 0,
      entryId: 'id1',
      provenance: undefined,
    });
  });

  it.each([
    ['last_n = 10', 10, 0],
    ['last_n = 0', 0, 0],
    ['max_log_bytes = 1000', undefined, 1000],
    ['last_n = 10\nmax_log_bytes = 1000', 10, 1000],
    ['last_n = 0\nmax_log_bytes = 1000', 0, 1000],
    ['max_log_bytes = 0', undefined, 0],
  ])('respects %j: last_n %j within %i bytes', (memory, lastN, maxLogBytes) => {
    expect(planOf({ memory: `enabled = true\n${memory}` })).toMatchObject({ lastN, maxLogBytes });
  });

  it('says whether anything is added to it', () => {
    expect(planOf()).toMatchObject({ path: 'bot.md', isReadOnly: false });
    expect(planOf({ isMemoryReadOnly: true })).toMatchObject({ isReadOnly: true });
  });

  it.each([
    ['a name', 'bot', 'bot.md'],
    ['a built-in agent', 'builtin/pr-reviewer', 'pr-reviewer.md'],
    ['a path', './agents/bot.toml', 'bot.md'],
    ['a name with dots', 'v1.2', 'v1.2.md'],
  ])('names the file after %s', (_, name, path) => {
    expect(planOf({ name })?.path).toBe(path);
    expect(`${memoryName(name)}.md`).toBe(path);
  });

  it.each([
    ['team/log.md', 'team/log.md'],
    ['log.md', 'log.md'],
    ['/var/log.md', 'bot.md'],
    ['../log.md', 'bot.md'],
    ['a/../b.md', 'bot.md'],
    ['.git/log.md', 'bot.md'],
    ['log.txt', 'bot.md'],
    ['a//b.md', 'bot.md'],
    ['a\\b.md', 'bot.md'],
    ['bot.state.md', 'bot.md'],
    ['a/b.State.md', 'bot.md'],
    ['bot.md.bak', 'bot.md'],
    ['MEMORY.md', 'bot.md'],
    ['notes/bot.md', 'bot.md'],
    ['projects/p-00000000/daily/2026-03-01.md', 'bot.md'],
    ['apart/bot.md', 'bot.md'],
    ['Apart/bot.md', 'bot.md'],
    ['offline/bot.md', 'bot.md'],
  ])(
    'in a workflow resolves memory.path %j to %j, never to what is kept apart (D13, D19)',
    (path, place) => {
      const memory = `enabled = true\npath = '${path}'`;
      expect(planOf({ memory, origin: ORIGIN })?.path).toBe(place);
      // On the command line the store resolves it.
      expect(planOf({ memory })?.path).toBe('bot.md');
    },
  );

  it('keeps the offline rules apart (D32)', () => {
    expect(planOf({ model: 'offline/rules' })).toMatchObject({ path: 'offline/bot.md' });
    expect(apartPath('offline/bot.md')).toBe('apart/offline/bot.md');
  });

  it('has in its provenance the facts of the event and the runner (D8)', () => {
    expect(planOf({ origin: ORIGIN, trigger: pullRequest() })?.provenance).toEqual({
      id: 'id1',
      run: '99/2',
      sha: 'aaaaaaa',
      actor: 'octocat',
      model: 'openai/m',
    });
    expect(planOf({ origin: ORIGIN, trigger: SCHEDULE })?.provenance?.sha).toBe('ccccccc');
  });

  it.each([
    ['auto', undefined, false],
    ['auto', ORIGIN, true],
    ['on', undefined, true],
    ['off', ORIGIN, false],
  ])('with provenance = "%s" and the origin %j has a line: %s', (setting, origin, has) => {
    const memory = `enabled = true\nprovenance = "${setting}"`;
    expect(planOf({ memory, origin })?.provenance !== undefined).toBe(has);
  });
});

describe('the notes of a run', () => {
  const LOCAL = { kind: 'local' } as const;
  const READING = ['memory_read', 'memory_search'];

  function notesOf({ memory = '', ...given }: Given, isSubAgent = false) {
    const found = parts({
      memory: `enabled = true\nnotes = true\n${memory}`,
      trigger: SCHEDULE,
      ...given,
    });
    return planNotes({ ...found, workdir: '/work/repo', isSubAgent });
  }

  it.each<[string, Given, ReturnType<typeof notesPlaces>]>([
    ['the repository in a workflow', {}, notesPlaces('project', 'octocat/hello')],
    ['the folder on the command line', { trigger: LOCAL }, notesPlaces('project', '/work/repo')],
    ['nobody', { memory: 'scope = "shared"' }, { folder: '', slug: '' }],
    [
      'the offline rules',
      { model: 'offline/rules' },
      notesPlaces('project', 'octocat/hello', 'offline/'),
    ],
  ])('have their place by %s', (_, given, places) => {
    expect(notesOf(given)?.places).toEqual(places);
  });

  const named = { memory: 'tools = ["memory_read", "write_memory"]' };
  const both = {
    top: 'tools = ["read_file", "write_memory"]',
    memory: 'tools = ["memory_search"]',
  };
  it.each<[string, Given, { isKept?: boolean; isSubAgent?: boolean }, readonly string[], number]>([
    ['all if it is trusted', {}, {}, [...READING, 'memory_write'], 0],
    ['reading ones if it is not', { word: 'mixed' }, {}, READING, 1],
    ['reading ones if nothing is to be added', { isMemoryReadOnly: true }, {}, READING, 1],
    ['reading ones if nothing is kept', {}, { isKept: false }, READING, 1],
    ['reading ones as a sub-agent, which is no surprise', {}, { isSubAgent: true }, READING, 0],
    [
      'reading ones as a sub-agent that names others',
      named,
      { isSubAgent: true },
      ['memory_read'],
      1,
    ],
    ['those it names', { memory: 'tools = ["memory_search"]' }, {}, ['memory_search'], 0],
    ['`write_memory` next to its other tools', both, {}, ['memory_search', 'write_memory'], 0],
    ['all on the command line', { trigger: LOCAL }, {}, [...READING, 'memory_write'], 0],
  ])('have tools: %s', (_, ...[given, { isKept = true, isSubAgent }, tools, warnings]) => {
    const plan = notesOf(given, isSubAgent);
    const grant = plan && grantNotesTools(plan, isKept);
    expect(grant?.tools.toSorted()).toEqual(tools.toSorted());
    expect(grant?.warnings).toHaveLength(warnings);
    for (const { code, message } of grant?.warnings ?? []) {
      expect(code).toBe('tool-not-available');
      expect(message).toMatch(/^The tool `\w+` \(memory\) was withheld: .*\.$/);
    }
  });
});
