import { describe, expect, it } from '@jest/globals';
import type { Admission } from '../../src/event/admission.js';
import { parseEvent } from '../../src/event/parse-event.js';
import type { Trigger } from '../../src/event/trigger.js';
import { DEFAULT_ADMISSION_POLICY } from '../../src/event/trust.js';
import { readCommand } from '../../src/run/commands/run-command.js';
import { readInputs } from '../../src/runner/inputs.js';
import { decideAdmission } from '../helpers/admission.js';
import { allWebhooks, type Payload, type PayloadPatch, patchPayload } from '../helpers/webhooks.js';
import {
  eventsOf,
  exampleWorkflows,
  inputsOf,
  isMet,
  ownSteps,
  type Workflow,
  type WorkflowEvent,
} from '../helpers/workflow-files.js';
import { agentOf } from './needed-permissions.js';

/** GitHub's default activities (Events that trigger workflows); of other events all. */
const DEFAULT_TYPES: Readonly<Record<string, readonly string[]>> = {
  pull_request: ['opened', 'synchronize', 'reopened'],
  pull_request_target: ['opened', 'synchronize', 'reopened'],
};

/**
 * What differs between events that a condition looks at: whose branch, who, which label, what is
 * said.
 */
const VARIANTS: readonly (readonly PayloadPatch[])[] = [
  [{}, { 'pull_request.head.repo.full_name': 'octocat/fork' }, { 'pull_request.head.repo': null }],
  [{}, { 'sender.type': 'Bot', 'sender.login': 'dependabot[bot]' }],
  [{}, { 'workflow_run.conclusion': 'failure' }],
  [{}, { 'label.name': 'review' }, { 'label.name': 'triage' }, { 'label.name': 'Review' }],
  [
    {},
    { 'comment.body': '/axe Why is this a float?' },
    { 'comment.body': 'I wonder.\n\n/AXE, what do you think' },
    { 'comment.body': 'Nobody was asked.' },
    { 'comment.body': 'It is `/axe` who answers, see src/axe/x' },
    { 'comment.body': 'Not a bug: it is a test' },
    { 'comment.body': '\n  /axe forget 01m8k2' },
    { 'comment.body': '/AXE pause' },
    { 'comment.body': '/axe review full' },
    { 'comment.body': '/axe' },
    { 'comment.body': '/axe revew' },
    { 'comment.body': '/axe dismiss it is a test' },
  ],
];

const FOR_PULLS_ALONE = {
  why: 'it reviews pull requests; comments on an issue are another agent’s',
  isLeftOut: (trigger: Trigger) => trigger.kind === 'comment' && trigger.on === 'issue',
};

/** Runs that admission would let in and that an example leaves out on purpose. */
const LEFT_OUT: Readonly<
  Record<string, { readonly why: string; isLeftOut(trigger: Trigger, payload: Payload): boolean }>
> = {
  'review.yml': FOR_PULLS_ALONE,
  'fleet.yml': FOR_PULLS_ALONE,
  'keyless.yml': FOR_PULLS_ALONE,
  'mention.yml': {
    why: 'comments on a pull request are the reviewer’s',
    isLeftOut: (trigger) => trigger.kind === 'comment' && trigger.on === 'pull_request',
  },
  'public.yml': {
    why: 'a label asks for a fork’s run if it is `review`; other pull requests are reviewed at every push, issues never',
    isLeftOut: (trigger, payload) =>
      (trigger.kind === 'comment' && trigger.on === 'issue') ||
      (trigger.kind === 'pull_request' &&
        trigger.action === 'labeled' &&
        (!trigger.isFork || labelOf(payload) !== 'review')),
  },
  'ci-doctor.yml': {
    why: 'it explains what failed',
    isLeftOut: (trigger) => trigger.kind === 'workflow_run' && trigger.conclusion !== 'failure',
  },
  'labels-as-json.yml': {
    why: 'only the label `triage` asks for it',
    isLeftOut: (_, payload) => labelOf(payload) !== 'triage',
  },
};

const FIRST_COMMENTS = ['issue_comment', 'pull_request_review_comment'];

const CONDITIONAL = exampleWorkflows().flatMap(({ name, workflow }) =>
  Object.entries(workflow.jobs).flatMap(([job, { if: condition, ...rest }]) =>
    condition === undefined ? [] : [{ name, job, condition, workflow, step: ownSteps(rest)[0] }],
  ),
);

describe.each(CONDITIONAL)(
  'the condition of $job in $name',
  ({ name, condition, workflow, step }) => {
    const policy = readInputs(
      inputEnv(step === undefined ? {} : inputsOf(step, workflow)),
    ).admission;
    const seen = payloadsFor(workflow).map(({ event, payload }) => {
      const trigger = parseEvent(event, payload, {});
      return {
        event,
        payload,
        trigger,
        isRun: isMet(condition, { github: githubContext(event, payload) }),
      };
    });

    it('excludes no run that admission would allow, except those it excludes on purpose', () => {
      const dropped = seen.filter(
        ({ trigger, payload, isRun }) =>
          !isRun &&
          gateOf(trigger).kind === 'run' &&
          LEFT_OUT[name]?.isLeftOut(trigger, payload) !== true,
      );
      expect(dropped.map(({ event, payload }) => [event, payload])).toEqual([]);
    });

    it('starts no runner for a fork or a bot that admission would reject', () => {
      const wasted = seen.filter(({ trigger, isRun }) => {
        const gate = gateOf(trigger);
        return isRun && gate.kind === 'skip' && (gate.reason === 'fork' || gate.reason === 'bot');
      });
      expect(wasted.map(({ event, payload }) => [event, payload])).toEqual([]);
    });

    it('is both true and false for the tried events', () => {
      expect(new Set(seen.map(({ isRun }) => isRun))).toEqual(new Set([true, false]));
    });

    /** What admission says to somebody who may write; commands need no phrase. */
    function gateOf(trigger: Trigger): Admission {
      const isCommand = readCommand(trigger, policy.triggerPhrase) !== undefined;
      return decideAdmission(trigger, 'write', isCommand ? DEFAULT_ADMISSION_POLICY : policy);
    }
  },
);

it('every example that reviews pull requests starts on the comments that its reviews offer', () => {
  const reviewers = exampleWorkflows().flatMap(({ name, workflow }) => {
    const steps = Object.values(workflow.jobs).flatMap(ownSteps);
    const inputs = steps.map((step) => inputsOf(step, workflow));
    const events = eventsOf(workflow).map(([event]) => event);
    const isReviewer = ({ agent = '', mode = 'run' }: Readonly<Record<string, string>>) =>
      mode === 'run' && agentOf(agent).tools.includes('submit_review');
    return events.some((event) => /^(?:pull_request|workflow_call)/.test(event)) &&
      inputs.some(isReviewer)
      ? [{ name, events, phrases: inputs.map((given) => given['trigger-phrase']) }]
      : [];
  });
  expect(reviewers.length).toBeGreaterThan(3);
  for (const { name, events, phrases } of reviewers) {
    expect([name, new Set(phrases)]).toEqual([name, new Set(['/axe'])]);
    // A called workflow has the events of its caller.
    if (!events.includes('workflow_call'))
      expect(events).toEqual(expect.arrayContaining(FIRST_COMMENTS));
  }
  const caller = exampleWorkflows().find(({ name }) => name === 'shared-caller.yml');
  expect(Object.keys(caller?.workflow.on ?? {})).toEqual(expect.arrayContaining(FIRST_COMMENTS));
});

it('every example that runs on pull requests, issues or comments has a condition', () => {
  const caused = exampleWorkflows().filter(({ workflow }) =>
    eventsOf(workflow).some(([event]) => /^(?:pull_request|issue)/.test(event)),
  );
  const without = caused.filter(({ name }) => !CONDITIONAL.some((one) => one.name === name));
  // The workflow that the one calls has it, and the other looks at the agents of forks and bots on
  // purpose.
  expect(without.map(({ name }) => name)).toEqual(['shared-caller.yml', 'validate.yml']);
});

function labelOf(payload: Payload): unknown {
  return String((payload['label'] as Payload | undefined)?.['name']).toLowerCase();
}

/** Every example that GitHub has of a workflow's events, in all the variants that it can have. */
function payloadsFor(
  workflow: Workflow,
): readonly { readonly event: string; readonly payload: Payload }[] {
  return eventsOf(workflow).flatMap(([name, settings]) => {
    const event = name === 'workflow_call' ? 'pull_request' : name;
    const examples = allWebhooks(event === 'pull_request_target' ? 'pull_request' : event);
    return examples
      .filter((payload) => startsOn(event, payload, settings))
      .flatMap((payload) => variantsOf(payload).map((variant) => ({ event, payload: variant })));
  });
}

function startsOn(
  event: string,
  payload: Payload,
  { types = DEFAULT_TYPES[event] }: WorkflowEvent,
): boolean {
  return types === undefined || types.includes(String(payload['action']));
}

function variantsOf(payload: Payload): readonly Payload[] {
  return VARIANTS.reduce<readonly Payload[]>(
    (made, patches) => made.flatMap((one) => patches.flatMap((patch) => patched(one, patch))),
    [payload],
  );
}

/** Nothing where the payload has no such field. */
function patched(payload: Payload, patch: PayloadPatch): readonly Payload[] {
  try {
    return [patchPayload(structuredClone(payload), patch)];
  } catch {
    return [];
  }
}

function githubContext(event: string, payload: Payload): object {
  const { full_name: repository } = payload['repository'] as { full_name: string };
  return { event: payload, event_name: event, repository };
}

function inputEnv(inputs: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
  );
}
