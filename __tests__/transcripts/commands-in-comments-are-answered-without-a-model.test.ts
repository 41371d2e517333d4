// slow
import { describe, expect, it } from '@jest/globals';
import type { StepResult } from '../helpers/run-action.js';
import { loadWebhook, type PayloadPatch } from '../helpers/webhooks.js';
import {
  idOf,
  idsOnBranch,
  onBranch,
  onSchedule,
  rememberOnBranch,
  review,
} from './memory-command-scene.js';
import { resultsIn } from './memory-scene.js';
import {
  AGENT,
  ANSWER,
  BASE,
  expectTranscript,
  routesOf,
  type Stage,
  type StageOptions,
  seen,
  setStage,
  troubles,
} from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const CREATED = { name: 'issue_comment', action: 'created' };

describe('any command', () => {
  /** A comment below an issue, or below the pull request of the same number. */
  function commented(
    body: string,
    options: StageOptions = {},
    set = setStageInProcess,
  ): Promise<Stage> {
    return set({ ...options, event: { ...CREATED, patch: { 'comment.body': body } } });
  }

  const REACT = 'POST /issues/comments/492700400/reactions';

  it('`/axe help` is answered with all commands, once for several agents, in three requests and a reaction', async () => {
    const stage = await commented('/axe help', {}, setStage);
    const step = await stage.run();
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
    expect(troubles(step)).toEqual([]);
    expect(stage.model.requests()).toEqual([]);
    expect(routesOf(stage)).toHaveLength(4);
    expect(routesOf(stage)).toContain(REACT);
    expect(stage.repo.talk.reactions.map(({ content }) => content)).toEqual(['eyes']);
    await stage.run({ inputs: { agent: 'builtin/ask', 'trigger-phrase': '@axe' } });
    expect(stage.repo.comments).toHaveLength(1);
    expectTranscript('commands-in-comments-are-answered-without-a-model', seen(step, stage));
  });

  it.each(['@axe help', '/axe'])('%j is answered, too', async (body) => {
    const stage = await commented(body);
    const step = await stage.run({ inputs: { agent: 'builtin/ask', 'trigger-phrase': '@axe' } });
    expect(step.outputs['conclusion']).toBe('success');
    expect(stage.repo.comments.map((one) => one.body)).toEqual([
      expect.stringContaining('review full'),
    ]);
    expect(stage.model.requests()).toEqual([]);
  });

  it.each([
    ['/axe revew', 'Did you mean `/axe review`?'],
    ['@axe hlep', 'Did you mean `/axe help`?'],
  ])('%j is answered with the nearest command', async (body, told) => {
    const stage = await commented(body);
    const step = await stage.run({ inputs: { 'trigger-phrase': '@axe' } });
    expect(step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: 'skipped', reason: 'refused' },
    });
    expect(stage.repo.comments.map((one) => one.body)).toEqual([expect.stringContaining(told)]);
    expect(stage.repo.talk.reactions.map(({ content }) => content)).toEqual(['eyes']);
    expect(routesOf(stage)).toHaveLength(4);
    expect(stage.model.requests()).toEqual([]);
  });

  it.each(['/axe help', '/axe revew', '/axe dismiss 9f2c4d'])(
    'a stranger who writes %j gets no answer, and no model is called',
    async (body) => {
      const stage = await commented(body, { role: 'read' });
      const step = await stage.run();
      expect(step).toMatchObject({ exitCode: 0, outputs: { reason: 'permission' } });
      expect([stage.repo.comments, stage.repo.talk.reactions, stage.model.requests()]).toEqual([
        [],
        [],
        [],
      ]);
    },
  );

  it('the action does not answer its own answer', async () => {
    const stage = await commented('/axe help');
    await stage.run();
    const [answer] = stage.repo.comments;
    const payload = loadWebhook('issue_comment', 'created', { 'comment.body': answer?.body ?? '' });
    const step = await stage.run({ event: { name: 'issue_comment', payload } });
    expect(step.outputs['reason']).toBe('own-text');
    expect(stage.repo.comments).toHaveLength(1);
  });
});

describe('a command over memory', () => {
  const task = 'Review pull request #41: Fix auth, says @octocat, fixes #3 /deploy';
  const AUTH = review(3, { id: '01kgk41', task, result: 'Ask @octocat.' });
  const DOOR = review(4, {
    id: '01kgnp2',
    task: 'Review pull request #42',
    result: 'Close the door.',
  });
  const TRUNK = 'refs/heads/master';

  /** A comment that was written on an issue, where a memory is on the branch. */
  async function commented(
    body: string,
    { patch = {}, ...options }: StageOptions & { patch?: PayloadPatch } = {},
    set = setStageInProcess,
  ) {
    const event = { ...CREATED, patch: { 'comment.body': body, ...patch } };
    const stage = await set({ event, ...options });
    rememberOnBranch(stage, { 'reviewer.md': AUTH + DOOR });
    return stage;
  }

  /** The step on a comment, whose cache may only be read (D15). */
  function onComment(
    stage: Stage,
    inputs: Readonly<Record<string, string>> = {},
  ): Promise<StepResult> {
    const env = stage.cache.env({ ref: TRUNK, readableRefs: [TRUNK], mayWrite: false });
    return stage.run({ inputs, env: { ...env, ANTHROPIC_API_KEY: '' } });
  }

  it('a comment forgets an entry: it is answered, no model is called, and it stays forgotten', async () => {
    const stage = await commented(`/axe forget ${idOf('01kgk41')}`, {}, setStage);
    await stage.run(onSchedule(stage));
    const asked = stage.model.requests().length;

    const step = await onComment(stage);
    expect(step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
    expect(step.outputs).toMatchObject({
      conclusion: 'success',
      'memory-saved': 'true',
      'comment-url': expect.stringContaining('#issuecomment-'),
    });
    expect(stage.model.requests()).toHaveLength(asked);
    expect(idsOnBranch(stage)).not.toContain(idOf('01kgk41'));
    expectTranscript('a-comment-of-a-writer-tends-memory', seen(step, stage));

    await stage.run(onSchedule(stage));
    expect(resultsIn(stage.model.prompts().at(-1)?.system ?? '')).toEqual([
      'Close the door.',
      ANSWER,
    ]);
    expect(onBranch(stage)).not.toContain('Ask @octocat.');
  });

  it('a comment promotes an entry, and quotes nothing of it', async () => {
    const stage = await commented('/axe promote 01kgr83');
    const tabs = review(5, {
      id: '01kgr83',
      task: 'Answer #7',
      result: 'Ask for tabs.',
    });
    rememberOnBranch(stage, { 'apart/reviewer.md': tabs });
    expect(await onComment(stage)).toMatchObject({
      exitCode: 0,
      outputs: { 'memory-saved': 'true' },
    });
    expect(idsOnBranch(stage)).toContain(`p-${idOf('01kgr83')}`);
    expect(stage.repo.comments).toMatchObject([
      { body: expect.stringContaining('and runs load it while') },
    ]);
    expect(stage.repo.comments[0]?.body).not.toContain('tabs');
    await stage.run(onSchedule(stage));
    expect(resultsIn(stage.model.prompts()[0]?.system ?? '')).toContain('Ask for tabs.');
  });

  it('a comment remembers its text, in several lines, for the next run', async () => {
    const stage = await commented(
      '/axe remember We never use floats for money:\n\n- cents are integers\n- ask @octocat\n',
    );
    const step = await onComment(stage);
    expect(step).toMatchObject({
      exitCode: 0,
      annotations: [],
      outputs: { 'memory-saved': 'true' },
    });
    const said =
      /\nRemembered as `\w{26}` in `reviewer\.md` in Codertocat\/Hello-World@axe-memory\.\n\n<sub>/;
    expect(stage.repo.comments).toMatchObject([{ issue: 1, body: expect.stringMatching(said) }]);
    // The job is run again: nothing is said twice, in memory or on the issue.
    const again = await onComment(stage);
    expect(again.outputs).toMatchObject({ conclusion: 'success', 'memory-saved': '' });
    expect(idsOnBranch(stage)).toHaveLength(3);
    expect(stage.repo.comments).toHaveLength(1);
    expect(stage.model.requests()).toEqual([]);

    await stage.run(onSchedule(stage));
    expect(stage.model.prompts()[0]?.system).toContain(
      '**Task:** Remembered by Codertocat\n**Result:** We never use floats for money:\n\n- cents are integers\n- ask @octocat\n',
    );
  });

  it('a command is answered in a pull request’s conversation, and under a line of its diff', async () => {
    for (const [name, action, field] of [
      ['pull_request_review_comment', 'created', 'comment.body'],
      ['pull_request_review', 'submitted', 'review.body'],
    ] as const) {
      const event = { name, action, patch: { [field]: '/axe forget 01kgk41' } };
      const stage = await setStageInProcess({ event });
      rememberOnBranch(stage, { 'reviewer.md': AUTH + DOOR });
      const step = await onComment(stage);
      expect([name, step.exitCode, step.annotations]).toEqual([name, 0, []]);
      expect(stage.repo.comments).toMatchObject([
        { issue: 2, body: expect.stringContaining('Forgot `') },
      ]);
      expect(idsOnBranch(stage)).toEqual([idOf('01kgnp2')]);
      expect(stage.model.requests()).toEqual([]);
    }
  });

  it('a command is answered by the one of several agents that has the entry', async () => {
    const agents = { ...BASE, 'axe/agents/triager.toml': AGENT.replace('"reviewer"', '"triager"') };
    const stage = await commented('/axe forget 01kgtw4', { base: agents });
    const own = review(6, { id: '01kgtw4', task: 'Triage issue #9', result: 'It is a bug.' });
    rememberOnBranch(stage, { 'reviewer.md': AUTH, 'triager.md': own });
    const other = await onComment(stage);
    const ours = await onComment(stage, { agent: 'triager' });
    const none = await onComment(stage, { agent: 'builtin/ask' });
    for (const step of [other, none]) {
      expect(step).toMatchObject({ exitCode: 0, commands: ['notice'] });
      const outputs = { conclusion: 'skipped', reason: 'not-found', 'memory-saved': '' };
      expect(step).toMatchObject({ outputs });
      expect(step.annotations).toMatchObject([{ level: 'notice', title: 'Command in a comment' }]);
      expect(step.annotations[0]?.message).toMatch(
        /^Nothing was done: no entry with id `01kgtw4` in /,
      );
    }
    expect(ours).toMatchObject({
      exitCode: 0,
      annotations: [],
      outputs: { conclusion: 'success' },
    });
    expect(stage.repo.comments.map(({ body }) => body.split('\n')[0])).toEqual([
      expect.stringContaining('"agent":"memory/reply'),
    ]);
    expect(stage.repo.comments[0]?.body).toMatch(/Forgot `[\s\S]*About the agent `triager`/);
    expect([idsOnBranch(stage), idsOnBranch(stage, 'triager.md')]).toEqual([[idOf('01kgk41')], []]);
  });

  it.each([
    ['/axe show', 'Run `axe-action memory show <agent> --repo <owner/name>` on the command line.'],
    ['/axe forget 01kgk41 --purge', 'Run `axe-action memory forget'],
  ])('a command for the command line is answered, and the step passes: %j', async (body, told) => {
    const stage = await commented(body);
    const step = await onComment(stage);
    expect(step).toMatchObject({ exitCode: 0, stderr: '', commands: ['notice'] });
    expect(step.outputs).toMatchObject({ conclusion: 'skipped', reason: 'refused' });
    const answer = `\nNothing was done: \`${body.slice(5)}\` cannot be asked for in a comment. ${told}`;
    expect(stage.repo.comments).toMatchObject([{ body: expect.stringContaining(answer) }]);
    expect(idsOnBranch(stage)).toEqual(['01kgk41', '01kgnp2'].map(idOf));
    expect(stage.model.requests()).toEqual([]);
  });

  it('is reported when memory cannot be written, and the step fails', async () => {
    const stage = await commented('/axe forget 01kgk41');
    stage.repo.contents = 'read';
    const step = await onComment(stage);
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: 'failure', 'memory-saved': 'false' },
    });
    const told = /^Nothing was done: the memory could not be changed: [\s\S]*`contents: write`/;
    expect(step.annotations).toMatchObject([
      { level: 'error', message: expect.stringMatching(told) },
    ]);
    expect(stage.repo.comments).toMatchObject([
      { body: expect.stringContaining('`contents: write`') },
    ]);
  });

  it.each([
    ['one in the middle of a text', 'Please:\n/axe forget 01kgk41'],
    ['one that is quoted', '> /axe forget 01kgk41'],
  ])('goes to the agent as any other comment does: %s', async (_, body) => {
    const stage = await commented(body);
    const step = await stage.run();
    expect(step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: 'success', response: ANSWER },
    });
    expect(stage.model.requests()).toHaveLength(1);
    expect(idsOnBranch(stage).slice(0, 2)).toEqual(['01kgk41', '01kgnp2'].map(idOf));
  });

  type Inputs = Readonly<Record<string, string>>;
  const COMMANDS = ['/axe forget 01kgk41', '/axe remember Trust me.', '/axe pause'];
  const OTHERS: readonly [string, StageOptions & { patch?: PayloadPatch }, Inputs?][] = [
    ['somebody who may read', { role: 'read' }],
    ['a reader where anybody may start runs', { role: 'read' }, { 'min-permission': 'none' }],
    ['a reader who may start runs', { role: 'read' }, { 'allow-users': 'Codertocat' }],
    ['a bot', { role: 'admin', patch: { 'sender.login': 'hubot[bot]', 'sender.type': 'Bot' } }],
    [
      'a writer who edits a stranger’s text',
      { patch: { action: 'edited', 'comment.user.login': 'octocat' } },
    ],
    [
      'somebody who edits what a writer wrote',
      { patch: { action: 'edited', 'sender.login': 'octocat' }, roles: { Codertocat: 'write' } },
    ],
  ];

  it.each(
    OTHERS.flatMap(([who, options, inputs]) =>
      COMMANDS.map((body) => [who, body, options, inputs] as const),
    ),
  )('a comment by anybody else does nothing: %s, %s', async (_, body, options, inputs) => {
    const stage = await commented(body, options);
    const before = onBranch(stage);
    const step = await onComment(stage, inputs);
    expect(step).toMatchObject({ exitCode: 0, stderr: '', commands: ['notice'] });
    expect(step.outputs).toMatchObject({ conclusion: 'skipped', 'memory-saved': '' });
    expect(stage.github.calls().filter((call) => !call.endsWith('/permission'))).toEqual([]);
    expect([onBranch(stage), stage.repo.comments, stage.model.requests()]).toEqual([
      before,
      [],
      [],
    ]);
  });
});
