import { describe, expect, it } from '@jest/globals';
import { parseModelRef } from '../../src/agent/config.js';
import { parseAgent } from '../../src/agent/inspect.js';
import type { Trigger } from '../../src/event/trigger.js';
import type { Trust } from '../../src/event/trust.js';
import { notesPlaces } from '../../src/memory/notes/place.js';
import { planMemory } from '../../src/run/memory.js';
import { grantNotesTools, planNotes } from '../../src/run/notes.js';
import { makeRequest } from '../helpers/dependencies-fake.js';
import { SCHEDULE } from '../helpers/triggers.js';

const TRUSTED: Trust = { level: 'trusted', lane: 'trusted', reason: '' };
const UNTRUSTED: Trust = { level: 'untrusted', lane: 'untrusted', reason: '' };
const READING = ['memory_read', 'memory_search'];

interface Given {
  readonly memory?: string;
  readonly top?: string;
  readonly model?: string;
  readonly trigger?: Trigger;
  readonly trust?: Trust;
  readonly isReadOnly?: boolean;
  readonly isSubAgent?: boolean;
}

function partsOf({ memory = '', top = '', trigger = SCHEDULE, trust = TRUSTED, ...given }: Given) {
  const model = given.model ?? 'p/m';
  const toml = `name = "bot"\nmodel = "${model}"\n${top}\n[memory]\nenabled = true\nnotes = true\n${memory}`;
  const agent = { name: 'bot', source: 'bot.toml', ...parseAgent(toml, { name: 'bot', file: 'bot.toml' }) };
  const origin = trigger.kind === 'local' ? undefined : { runId: '1', attempt: '1', job: 'j', sha: '' };
  const request = makeRequest({ trigger, origin, isMemoryReadOnly: given.isReadOnly ?? false });
  const plan = planMemory(agent, parseModelRef(model), trust, request, 'id');
  const isSubAgent = given.isSubAgent ?? false;
  return { agent, memory: plan, trigger, trust, workdir: '/work/repo', isSubAgent };
}

function planOf(given: Given) {
  return planNotes(partsOf(given));
}

function granted(given: Given, isKept = true) {
  const plan = planOf(given);
  if (plan === undefined) throw new Error('there are no notes');
  return grantNotesTools(plan, isKept);
}

describe('the place of a run’s notes', () => {
  it.each<[string, Given, ReturnType<typeof notesPlaces>]>([
    ['the repository in a workflow', {}, notesPlaces('project', 'octocat/hello')],
    ['the folder on the command line', { trigger: { kind: 'local' } }, notesPlaces('project', '/work/repo')],
    ['`project`', { memory: 'project = "x"' }, notesPlaces('project', 'x')],
    ['nobody', { memory: 'scope = "shared"' }, { folder: '', slug: '' }],
  ])('is determined by %s', (_, given, places) => {
    expect(planOf(given)?.places).toEqual(places);
  });

  it('is a separate folder for the offline rules', () => {
    expect(planOf({})?.places.folder).toBe('');
    expect(planOf({ model: 'offline/rules' })?.places.folder).toBe('offline/');
  });
});

describe('the notes tools of a run', () => {
  it.each<[string, Given, boolean, readonly string[], number]>([
    ['all of them if it is trusted', {}, true, [...READING, 'memory_write'], 0],
    ['reading ones if it is not', { trust: UNTRUSTED }, true, READING, 1],
    ['reading ones if nothing is to be added', { isReadOnly: true }, true, READING, 1],
    ['reading ones if nothing is kept', {}, false, READING, 1],
    ['reading ones as a sub-agent, which is no surprise', { isSubAgent: true }, true, READING, 0],
    [
      'reading ones as a sub-agent that names others',
      { isSubAgent: true, memory: 'tools = ["memory_read", "write_memory"]' },
      true,
      ['memory_read'],
      1,
    ],
    ['those it names', { memory: 'tools = ["memory_search"]' }, true, ['memory_search'], 0],
    [
      '`write_memory` next to its other tools',
      { top: 'tools = ["read_file", "write_memory"]', memory: 'tools = ["memory_search"]' },
      true,
      ['memory_search', 'write_memory'],
      0,
    ],
    [
      'all of them on the command line',
      { trigger: { kind: 'local' } },
      true,
      [...READING, 'memory_write'],
      0,
    ],
  ])('are %s', (_, given, isKept, tools, warnings) => {
    const grant = granted(given, isKept);
    expect([...grant.tools].sort()).toEqual([...tools].sort());
    expect(grant.warnings).toHaveLength(warnings);
    for (const { code, message } of grant.warnings) {
      expect(code).toBe('tool-not-available');
      expect(message).toMatch(/^The tool `\w+` \(memory\) was withheld: .*\.$/);
    }
  });
});
