import { describe, expect, it } from '@jest/globals';
import type { LoadedAgent } from '../../src/agent/agent-source.js';
import { parseModelRef } from '../../src/agent/config.js';
import { parseAgent } from '../../src/agent/inspect.js';
import type { Trust } from '../../src/event/trust.js';
import { memoryName, untrustedPath } from '../../src/memory/paths.js';
import { planMemory } from '../../src/run/memory.js';
import type { RunRequest } from '../../src/run/records.js';
import { makeRequest } from '../helpers/dependencies-fake.js';
import { pullRequest } from '../helpers/triggers.js';

function agent(memory: string, more = '', name = 'bot'): LoadedAgent {
  const toml = `name = "x"\nmodel = "openai/m"\n${more}\n[memory]\n${memory}`;
  const { config, warnings } = parseAgent(toml, { name, file: `${name}.toml` });
  return { name, config, warnings, source: `${name}.toml` };
}

const TRUSTED: Trust = { level: 'trusted', lane: 'trusted', reason: '' };
const TAINTED: Trust = { level: 'untrusted', lane: 'tainted', reason: '' };
const UNTRUSTED: Trust = { level: 'untrusted', lane: 'untrusted', reason: '' };
const ORIGIN = { runId: '99', attempt: '2', job: 'review', sha: 'c'.repeat(40) };
interface Given extends Partial<RunRequest> {
  readonly by?: LoadedAgent;
  readonly model?: string;
  readonly trust?: Trust;
}

function plan({ by = agent('enabled = true'), model = 'openai/m', trust = TRUSTED, ...request }: Given = {}) {
  return planMemory(by, parseModelRef(model), trust, makeRequest(request), 'id1');
}

describe('the memory plan', () => {
  it.each(['', 'enabled = false', 'enabled = false\npath = "x.md"\nlast_n = 3'])(
    'is absent for [memory] with %j',
    (memory) => {
      expect(plan({ by: agent(memory) })).toBeUndefined();
    },
  );

  it("is axe's on the command line: all entries, no provenance (D8)", () => {
    expect(plan()).toEqual({
      path: 'bot.md',
      lane: 'trusted',
      lastN: 0,
      maxBytes: 262_144,
      maxEntries: 0,
      entryId: 'id1',
      provenance: undefined,
    });
  });

  it.each([
    ['', 0, 262_144],
    ['last_n = 10', 10, 0],
    ['last_n = 0', 0, 0],
    ['max_log_bytes = 1000', 0, 1000],
    ['max_log_bytes = 1000000', 0, 1_000_000],
    ['last_n = 10\nmax_log_bytes = 1000', 10, 1000],
    ['last_n = 0\nmax_log_bytes = 1000', 0, 1000],
    ['max_log_bytes = 0', 0, 262_144],
  ])('respects %j: last_n %i within %i bytes', (memory, lastN, maxBytes) => {
    expect(plan({ by: agent(`enabled = true\n${memory}`) })).toMatchObject({ lastN, maxBytes });
  });

  it.each([TRUSTED, TAINTED, UNTRUSTED])(
    'uses the lane of the run, which reads the trusted one: %j (D19)',
    (trust) => {
      expect(plan({ trust })).toMatchObject({ path: 'bot.md', lane: trust.lane });
    },
  );

  it.each([TRUSTED, TAINTED, UNTRUSTED])('adds nothing if memory is read-only, for %j', (trust) => {
    expect(plan({ trigger: pullRequest(), trust, isMemoryReadOnly: true })).toMatchObject({ lane: 'none' });
  });

  it.each([
    ['a name', 'bot', 'bot.md'],
    ['a built-in agent', 'builtin/pr-reviewer', 'pr-reviewer.md'],
    ['a path', './agents/bot.toml', 'bot.md'],
    ['a name with dots', 'v1.2', 'v1.2.md'],
  ])('names the file after %s', (_, name, path) => {
    expect(plan({ by: agent('enabled = true', '', name) })?.path).toBe(path);
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
  ])('in a workflow resolves memory.path %j to %j (D13)', (path, place) => {
    const withPath = agent(`enabled = true\npath = '${path}'`);
    expect(plan({ by: withPath, origin: ORIGIN })?.path).toBe(place);
  });

  it('leaves memory.path to the store on the command line', () => {
    expect(plan({ by: agent('enabled = true\npath = "team/log.md"') })?.path).toBe('bot.md');
  });

  it.each(['untrusted/bot.md', 'Untrusted/bot.md', 'offline/bot.md'])(
    'prevents memory.path from opening another lane: %s (D19)',
    (path) => {
      const sly = agent(`enabled = true\npath = "${path}"`);
      expect(plan({ by: sly, origin: ORIGIN })?.path).toBe('bot.md');
    },
  );

  it('keeps the offline rules apart (D32)', () => {
    const offline = plan({ model: 'offline/rules' });
    expect(offline).toMatchObject({ path: 'offline/bot.md' });
    expect(untrustedPath(offline?.path ?? '')).toBe('untrusted/offline/bot.md');
  });

  it('has in its provenance the facts of the event and the runner (D8)', () => {
    expect(plan({ origin: ORIGIN, trigger: pullRequest(), trust: UNTRUSTED })?.provenance).toEqual({
      id: 'id1',
      run: '99/2',
      job: 'review',
      event: 'pull_request',
      sha: 'aaaaaaa',
      actor: 'octocat',
      trust: 'untrusted',
      model: 'openai/m',
    });
  });

  it.each([
    ['auto', undefined, false],
    ['auto', ORIGIN, true],
    ['on', undefined, true],
    ['on', ORIGIN, true],
    ['off', undefined, false],
    ['off', ORIGIN, false],
  ])('with provenance = "%s" and the origin %j has a line: %s', (setting, origin, has) => {
    const own = agent(`enabled = true\nprovenance = "${setting}"`);
    expect(plan({ by: own, origin })?.provenance !== undefined).toBe(has);
  });

  it('uses the commit of the run if there is no pull request', () => {
    const push = {
      ...pullRequest(),
      kind: 'push',
      event: 'push',
      ref: '',
      before: '',
      after: '',
      commits: [],
    };
    expect(plan({ origin: ORIGIN, trigger: push as never })?.provenance?.sha).toBe('ccccccc');
  });
});
