import { describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import { DEFAULT_ADMISSION_POLICY } from '../../src/event/trust.js';
import type { RunRequest } from '../../src/run/records.js';
import { runPipeline } from '../../src/run/run.js';
import {
  createFakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { WRITER } from '../helpers/reports.js';
import { comment, OCTOCAT, pullRequest } from '../helpers/triggers.js';

const AT = Date.parse('2026-02-01');
const PAUSED = `- {"kind":"paused","pull":42,"by":"octocat","at":${AT}}\n`;
const SPENT = `- {"kind":"spent","id":"a","pull":42,"day":"2026-02-03","usd":2,"at":${AT}}\n`;
const REVIEWED = `- {"kind":"reviewed","pull":42,"head":"1","base":"2","at":${AT}}\n`;
const LIMITED = { spendLimits: { perPullUsd: 2, perDayUsd: 0 } };

/** What becomes of an event, and what was asked for it, in order. */
async function admitted(
  trigger: Trigger,
  parts: FakeDependenciesParts = {},
  patch: Partial<RunRequest> = {},
) {
  const deps = createFakeDependencies({ permissions: WRITER, ...parts });
  const report = await runPipeline(makeRequest({ trigger, inWorkflow: true, ...patch }), deps);
  return { report, steps: deps.steps };
}

function remembering(state: string): FakeDependenciesParts {
  return { memory: { 'bot.state.md': state + REVIEWED } };
}

const PERMISSION = 'ask for permission of octocat';

it('an event is turned away by what memory says, which is asked for together with the context', async () => {
  const trigger = comment({ on: 'pull_request', number: 42, author: OCTOCAT });
  const { report, steps } = await admitted(trigger, remembering(SPENT), LIMITED);
  expect(report).toMatchObject({ kind: 'skipped', decision: { reason: 'budget-spent' } });
  expect([...steps].sort()).toEqual(
    ['load agent', PERMISSION, 'read config', 'read memory', 'fetch context'].sort(),
  );
});

describe('an actor whose permission nobody could read', () => {
  it.each([
    [{}, 'nobody knows octocat'],
    [undefined, 'there is no token for GitHub'],
  ])('ends the run with an error that says why (D40)', async (permissions, why) => {
    await expect(admitted(comment(), { permissions })).rejects.toMatchObject({
      message: `the permission of octocat in octocat/hello could not be read: ${why}`,
      remedy: expect.stringMatching(/\S/),
    });
  });

  it('starts one if the workflow requires none', async () => {
    const admissionPolicy = { ...DEFAULT_ADMISSION_POLICY, minPermission: 'none' } as const;
    const { report } = await admitted(comment(), { permissions: {} }, { admissionPolicy });
    expect(report).toMatchObject({ kind: 'ran' });
  });
});

it('a dry run shows the plan of a paused pull request and costs nothing', async () => {
  const { report } = await admitted(pullRequest(), remembering(PAUSED + SPENT), {
    ...LIMITED,
    dryRun: true,
  });
  expect(report).toMatchObject({ kind: 'planned' });
});

it('a pull request of which nothing could be read fails the run, which could only make something up (D40)', async () => {
  const warnings = [{ code: 'context-incomplete', message: 'GitHub is away' }] as const;
  await expect(
    admitted(pullRequest(), { context: { kind: 'none', warnings } }),
  ).rejects.toMatchObject({
    message: 'nothing of pull request #42 could be read: GitHub is away',
  });
});

it('the error of a run that could read nothing names each refused permission once', async () => {
  const add = (permission: string) => `Add \`${permission}\` under \`permissions:\` of the job.`;
  const warnings = [
    { code: 'context-unread', message: 'checks', remedy: add('checks: read') },
    { code: 'context-incomplete', message: 'refused', remedy: add('contents: read') },
    { code: 'context-unread', message: 'statuses', remedy: add('statuses: read') },
    { code: 'context-unread', message: 'logs', remedy: add('checks: read') },
  ] as const;
  await expect(
    admitted(pullRequest(), { context: { kind: 'none', warnings } }),
  ).rejects.toMatchObject({
    message: 'nothing of pull request #42 could be read: refused',
    remedy: ['checks: read', 'contents: read', 'statuses: read'].map(add).join(' '),
  });
});
