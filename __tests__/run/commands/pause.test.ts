import { expect, it } from '@jest/globals';
import type { RunRequest } from '../../../src/run/records.js';
import { runPipeline } from '../../../src/run/run.js';
import {
  AGENT,
  createFakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../../helpers/dependencies-fake.js';
import { kept, reviewLine } from '../../helpers/marks.js';
import { WRITER } from '../../helpers/reports.js';
import { seen } from '../../helpers/seen.js';
import { comment } from '../../helpers/triggers.js';

const STATE = 'bot.state.md';

async function tend(
  body: string,
  parts: FakeDependenciesParts = {},
  patch: Partial<RunRequest> = {},
) {
  const deps = createFakeDependencies({ permissions: WRITER, ...parts });
  const trigger = comment({ on: 'pull_request', number: 42, body });
  const report = await runPipeline(makeRequest({ trigger, ...patch }), deps);
  return { deps, report, state: deps.memory.get(STATE) ?? '' };
}

it('a pause is for people who can write, whatever else the workflow allows', async () => {
  const permissions = { octocat: { kind: 'known', permission: 'read' } } as const;
  const admissionPolicy = { ...makeRequest().admissionPolicy, minPermission: 'none' } as const;
  const { report, state } = await tend('/axe pause', { permissions }, { admissionPolicy });
  expect(report).toMatchObject({ kind: 'skipped', decision: { reason: 'permission' } });
  expect(state).toBe('');
});

it.each<[string, FakeDependenciesParts, Partial<RunRequest>, RegExp]>([
  [
    'without memory',
    { agents: { bot: AGENT } },
    {},
    /has no memory to keep it in\. .*`if:` of the job/,
  ],
  ['if memory is only read', {}, { isMemoryReadOnly: true }, /`memory-readonly: true`/],
  [
    'on an issue',
    {},
    { trigger: comment({ body: '/axe pause' }) },
    /only runs on a pull request can be paused/,
  ],
  [
    'that cannot be saved',
    { save: { kind: 'failed', reason: 'io', message: 'disk full' } as never },
    {},
    /could not be changed: disk full/,
  ],
])('a pause %s is refused with the reason', async (_, parts, patch, text) => {
  const { deps, state, report } = await tend('/axe pause', parts, patch);
  expect(report).toMatchObject({ kind: 'memory-command', result: { kind: 'failed' } });
  expect(deps.replies[0]?.text).toMatch(text);
  expect(state).toBe('');
});

it('a command about a finding of another agent is left to that agent', async () => {
  const body = reviewLine({ agent: 'other', head: 'head' }, kept());
  const review = { id: 7, url: '', state: 'COMMENTED', body } as const;
  const reviews = [{ ...review, headSha: undefined, submittedAt: undefined }];
  const said = { 42: { kind: 'read', seen: seen({ reviews }) } } as const;
  const { deps, report } = await tend('/axe dismiss FQ7K2', { said });
  expect(report).toMatchObject({
    kind: 'memory-command',
    result: { kind: 'failed', reason: 'not-found' },
  });
  expect(deps.replies).toEqual([]);
});
