import { describe, expect, it } from '@jest/globals';
import { type AdmissionPolicy, DEFAULT_ADMISSION_POLICY } from '../../src/event/permission.js';
import type { Trigger } from '../../src/event/trigger.js';
import { ConfigError } from '../../src/lib/errors.js';
import type { Acknowledgement } from '../../src/run/dependencies.js';
import type { RunRequest } from '../../src/run/records.js';
import { createFakeDependencies, makeRequest } from '../helpers/dependencies-fake.js';
import { prepare } from '../helpers/prepare.js';
import { WRITER } from '../helpers/reports.js';
import { comment, issue, pullRequest } from '../helpers/triggers.js';

const AXE: AdmissionPolicy = { ...DEFAULT_ADMISSION_POLICY, triggerPhrase: '@axe' };
const FORK = pullRequest({ event: 'pull_request_target', action: 'labeled', isFork: true });

/** The result of an event, and whether its run was reported as started. */
async function prepared(trigger: Trigger, patch: Partial<RunRequest> = {}) {
  const told: string[] = [];
  const acknowledgement: Acknowledgement = {
    start: () => void told.push('start'),
    end: async () => void told.push('end'),
  };
  const deps = { ...createFakeDependencies({ permissions: WRITER }), acknowledgement };
  return { result: await prepare(makeRequest({ trigger, inWorkflow: true, ...patch }), deps), told };
}

async function taskOf(body: string, patch: Partial<RunRequest> = {}) {
  const { result } = await prepared(comment({ body }), { admissionPolicy: AXE, ...patch });
  if (result.kind === 'skipped') throw new Error(result.decision.message);
  return result.plan.task.sentence;
}

describe('the task of a mention', () => {
  it('is the text after the mention, unless the step sets a prompt', async () => {
    expect(await taskOf('@axe why does it fail?')).toBe('why does it fail?');
    expect(await taskOf('@axe why does it fail?', { prompt: 'Be brief.' })).toBe('Be brief.');
  });

  it('is to answer the comment if the mention has no text, or none is needed', async () => {
    const order = 'Answer the comment by octocat on #7: Login is broken';
    expect(await taskOf('@axe')).toBe(order);
    expect(await taskOf('@axe why?', { admissionPolicy: DEFAULT_ADMISSION_POLICY })).toBe(order);
  });
});

describe('the sender of a comment', () => {
  it('sees that a run starts', async () => {
    expect((await prepared(comment())).told).toEqual(['start']);
  });

  it.each<[string, Trigger, Partial<RunRequest>]>([
    ['that is skipped', comment({ body: 'Why?' }), { admissionPolicy: AXE }],
    ['that is only looked at', comment(), { dryRun: true }],
    ['of a deleted issue', issue({ action: 'deleted' }), {}],
  ])('sees no reaction to one %s', async (_, trigger, patch) => {
    expect((await prepared(trigger, patch)).told).toEqual([]);
  });
});

describe('a pull request from a fork', () => {
  it('that somebody labelled is run without trust', async () => {
    const { result } = await prepared(FORK);
    expect(result).toMatchObject({
      kind: 'prepared',
      plan: { trust: { level: 'untrusted', lane: 'untrusted' } },
    });
  });

  it('is refused if its head is checked out, before anybody is notified', async () => {
    const readCheckout = async () => FORK.head.sha;
    await expect(prepared(FORK, { readCheckout })).rejects.toThrow(ConfigError);
    expect((await prepared(FORK, { readCheckout: async () => FORK.base.sha })).told).toEqual(['start']);
  });
});
