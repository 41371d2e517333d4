import { describe, expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { loadWebhook, type Payload, payloadField, schedulePayload } from '../helpers/webhooks.js';
import { commentOnPull } from './review-scene.js';
import {
  AGENT,
  ANSWER,
  BASE,
  DIFF,
  expectTranscript,
  REPO,
  routesOf,
  type Stage,
  type StageEvent,
  seen,
  steady,
  told,
  troubles,
} from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

describe('a schedule, a push or a dispatch', () => {
  const REPORTER = `${AGENT.replace('You review changes.', 'You report on Mondays.')}last_n = 3\n`;
  const CHECKOUT = {
    'axe/agents/reviewer.toml': REPORTER.replace('[memory]', 'files = ["docs/*.md"]\n\n[memory]'),
    'docs/a.md': 'The first page.\n',
  };

  const PUSHED = {
    ref: 'refs/heads/master',
    // GitHub's example deletes a tag.
    after: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
    commits: [{ id: '6113728f27ae82c7b1a177c8d03f9e96e0adf246', message: 'Fix auth\n\nCloses #1' }],
  };

  const EVENTS: readonly StageEvent[] = [
    { name: 'schedule', payload: schedulePayload('0 6 * * 1') },
    { name: 'workflow_dispatch' },
    { name: 'push', patch: PUSHED },
  ];

  it.each(EVENTS)(
    '$name runs with the agent of the checkout, else of the default branch',
    async (event) => {
      const workspace = tempDir('checkout');
      writeFiles(workspace, CHECKOUT);
      const [local, remote] = await Promise.all([runOn(event, workspace), runOn(event)]);
      // Nothing but memory (the branch is read, and gets the entry) and what was pushed.
      expect(
        routesOf(local.stage).filter(
          (route) => !/^POST .(?:graphql|git.(?:trees|commits|refs))$|^GET .compare/.test(route),
        ),
      ).toEqual([]);
      expect(local.system).toMatch(/^You report on Mondays\..*The first page\./s);
      expect(remote.system).toBe('You review changes.');
      const text = `##### with a checkout\n\n${local.text}\n##### without\n\n${remote.text}`;
      expectTranscript(`a-schedule-takes-its-agent-on-${event.name}`, text);
    },
  );

  it.each(EVENTS)(
    '$name shows the agents of the default branch if the name is mistyped',
    async (event) => {
      const stage = await setStageInProcess({ event });
      const step = await stage.run({ inputs: { agent: 'reviwer' } });
      expect(step.exitCode).toBe(1);
      expect(told(step)).toEqual([
        expect.stringMatching(
          /^error: agent config not found: reviwer\n {2}Did you mean `reviewer`\? There are: `reviewer`, .* Searched in `axe\/agents`, `\.axe\/agents` and in .* of [\w-]+\/[\w-]+@\w+\.$/,
        ),
      ]);
    },
  );

  /** Runs a step on the event, in an empty workspace if none is given. */
  async function runOn(event: StageEvent, workspace?: string) {
    const stage = await setStageInProcess({ event });
    const step = await stage.run(workspace === undefined ? {} : { workspace });
    expect(step.exitCode).toBe(0);
    expect(troubles(step)).toEqual([]);
    expect(step.outputs).toMatchObject({ conclusion: 'success', 'memory-saved': 'true' });
    expect(stage.repo.comments).toEqual([]);
    const [{ system, messages } = { system: '', messages: [] }] = stage.model.prompts();
    const [shown = ''] = seen(step, stage).split('\n=== outputs');
    return {
      stage,
      system,
      text: `${shown}\n${steady(`${system}\n----\n${messages.join('\n')}`)}\n`,
    };
  }
});

/** Two tags, a commit apart, with the files that differ. */
async function stageWith(event: StageEvent, earlier: string, tag: string) {
  const stage = await setStageInProcess({
    event,
    base: BASE,
    model: () => text('Two things are new.'),
  });
  const { github, repo } = stage;
  const shas = ['Begin', 'Compare tokens faster'].map((name) =>
    github.commit(REPO, { ...BASE, [name]: name }),
  );
  const [from = '', to = ''] = shas;
  repo.tags.set(earlier, from);
  repo.tags.set(tag, to);
  repo.comparisons.set(`${from}...${to}`, DIFF);
  return stage;
}

const TAG = {
  ...loadWebhook('push'),
  ref: 'refs/tags/v1.2.0',
  before: '0'.repeat(40),
  after: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
  created: true,
};
const NOTES = { tag_name: 'v1.2.0', body: 'To be written.' };
const { release, ...published } = loadWebhook('release', 'published') as Payload & {
  release: object;
};
const RELEASE = { name: 'release', payload: { ...published, release: { ...release, ...NOTES } } };

it.each<[string, StageEvent, readonly string[]]>([
  ['a push of a tag has its name', { name: 'push', payload: TAG }, ['Tag: v1.2.0\n']],
  ['a release has its notes', RELEASE, ['Look at the release v1.2.0', 'To be written.']],
])('%s and the tag before it', async (_, event, parts) => {
  const stage = await stageWith(event, 'v1.1.0', 'v1.2.0');
  const step = await stage.run();
  expect(step.outputs['conclusion']).toBe('success');
  expect(troubles(step)).toEqual([]);
  const asked = stage.model.prompts()[0]?.messages.join('\n');
  for (const part of [...parts, 'since the tag before it, v1.1.0.']) expect(asked).toContain(part);
  expect(asked).toMatch(/^\+\d+: {3}return expected == token;$/m);
});

/** A writer's comment below the pull request of the stage. */
async function say(stage: Stage, body: string, commentId: number) {
  const trunk = `refs/heads/${stage.repo.defaultBranch}`;
  const env = stage.cache.env({ ref: trunk, readableRefs: [trunk] });
  return await stage.run({ ...commentOnPull(stage, body, commentId), env });
}

it('the pause is kept in memory, and no model is called until a writer takes it back', async () => {
  const stage = await setStageInProcess();
  const paused = await say(stage, '/axe pause', 1001);
  const texts = [seen(paused, stage)];
  const skipped = await stage.run();
  expect(skipped.outputs).toMatchObject({ conclusion: 'skipped', reason: 'paused' });
  expect(stage.model.requests()).toEqual([]);
  texts.push(seen(skipped, stage));
  const resumed = await say(stage, '/axe resume', 1002);
  texts.push(seen(resumed, stage));
  const ran = await stage.run();
  expect(ran.outputs).toMatchObject({ conclusion: 'success' });
  expect([paused, skipped, resumed, ran].flatMap(troubles)).toEqual([]);
  expectTranscript('a-paused-pull-request-is-left-alone-until-it-is-resumed', texts.join('\n'));
});

describe('a workflow that failed', () => {
  const BASE_SHA = 'f'.repeat(40);

  /**
   * A CI that failed on the head of a pull request, which its payload lists or not, or on another
   * commit.
   */
  async function stageWith(
    state: 'open' | 'closed' | 'none' = 'open',
    isNamed = false,
    patch: object = {},
  ) {
    const failed = { 'workflow_run.conclusion': 'failure', ...patch };
    const payload = loadWebhook('workflow_run', 'completed', failed);
    const run = payload['workflow_run'] as Record<string, unknown>;
    const sha = String(run['head_sha']);
    const [base, head] = [
      { ref: 'main', sha: BASE_SHA },
      { ref: 'topic', sha },
    ];
    run['pull_requests'] = isNamed ? [{ id: 1, url: '', number: 7, head, base }] : [];
    const stage = await setStageInProcess({ event: { name: 'workflow_run', payload } });
    const repository = String(payloadField(payload, 'repository.full_name'));
    if (state !== 'none')
      stage.github.addPull(REPO, { number: 7, base, head: { ...head, repository }, state });
    stage.repo.comparisons.set(`${BASE_SHA}...${sha}`, DIFF);
    return { stage, sha };
  }

  it.each([
    ['which the event names', true, 'auto'],
    ['which the event names', true, 'always'],
    ['which is found by the commit', false, 'auto'],
    ['which is found by the commit', false, 'always'],
  ])('its pull request, %s, has the answer: %s, `comment: %s`', async (_, isNamed, comment) => {
    const { stage } = await stageWith('open', isNamed);
    for (const __ of [1, 2]) {
      const step = await stage.run({ inputs: { comment } });
      expect(step.outputs['conclusion']).toBe('success');
      expect(step.outputs['comment-url']).toContain('/7#issuecomment-');
      expect(troubles(step)).toEqual([]);
    }
    expect(stage.repo.comments).toMatchObject([
      { issue: 7, body: expect.stringContaining(ANSWER) },
    ]);
    expect(stage.model.prompts()[0]?.messages.join()).toMatch(
      /^\+\d+: {3}return expected == token;$/m,
    );
  });

  it.each(['closed', 'none'] as const)('a missing pull request is reported: %s', async (state) => {
    const { stage, sha } = await stageWith(state);
    const step = await stage.run();
    expect(step.outputs['conclusion']).toBe('success');
    expect(stage.repo.comments).toEqual([]);
    expect(step.summary).toContain(
      `No open pull request has the commit ${sha.slice(0, 7)} as its head, so the answer is only here.`,
    );
  });

  it('nothing is posted with `comment: never`, and forks are left alone', async () => {
    const { stage } = await stageWith();
    await stage.run({ inputs: { comment: 'never' } });
    expect(stage.repo.comments).toEqual([]);
    const fork = await stageWith('open', false, {
      'workflow_run.head_repository.full_name': 'octocat/fork',
    });
    const step = await fork.stage.run();
    expect(step.outputs).toMatchObject({ conclusion: 'skipped', reason: 'fork' });
    expect(routesOf(fork.stage)).toEqual([]);
  });
});
