import { describe, expect, it } from '@jest/globals';
import { answerLine } from '../helpers/marks.js';
import { text, toolCall } from '../helpers/model-server.js';
import type { StepOptions } from '../helpers/run-action.js';
import { loadWebhook, type PayloadPatch } from '../helpers/webhooks.js';
import { runWatched } from '../hostile/watched-run.js';
import {
  AGENT,
  expectTranscript,
  HEAD,
  REPO,
  type Stage,
  type StageEvent,
  type StageOptions,
  seen,
  steady,
  told,
  troubles,
} from './stage.js';
import { setStageInProcess } from './stage-in-process.js';
import { agentToml, checkout, resultsOf } from './tool-scene.js';

const FROM_FORK = { 'pull_request.head.repo.full_name': 'octocat/Hello-World' };
const OURS = `${answerLine('reviewer/reply-1')}\nLooks good.`;

const CASES: Readonly<Record<string, StageOptions & { readonly inputs?: StepOptions['inputs'] }>> =
  {
    'a fork': opened(FROM_FORK),
    'a fork, with a token of the base': { ...opened(FROM_FORK), role: 'admin' },
    'a fork that was deleted': opened({ 'pull_request.head.repo': null }),
    Dependabot: opened({ 'sender.login': 'dependabot[bot]', 'sender.type': 'Bot' }),
    'another bot': opened({ 'sender.login': 'hubot', 'sender.type': 'Bot' }),
    'somebody who may read': { role: 'read' },
    'somebody who may triage': { role: 'triage' },
    'somebody without any role': { role: 'none' },
    'an account GitHub does not know': { role: 'missing' },
    'a comment that somebody else edited': commented({ 'comment.user.login': 'octocat' }),
    'an issue opened by a reader': { event: { name: 'issues', action: 'opened' }, role: 'read' },
    'a comment that does not say the phrase': {
      ...commented({ 'comment.body': 'As `@axe` said.' }),
      inputs: { 'trigger-phrase': '@axe' },
    },
    'a comment of ours': commented({ 'comment.body': OURS }),
  };

it('for somebody who may not write the step passes with one notice, and neither calls a model nor writes anything', async () => {
  const told = await Promise.all(
    Object.entries(CASES).map(async ([name, { inputs = {}, ...options }]) => {
      const stage = await setStageInProcess(options);
      const step = await stage.run({ inputs });
      expect([name, step.exitCode, step.commands]).toEqual([name, 0, ['notice']]);
      expect(step.outputs).toMatchObject({ conclusion: 'skipped', 'memory-saved': '' });
      expect(stage.model.requests()).toEqual([]);
      expect(stage.cache.entries()).toEqual([]);
      expect(stage.repo.comments).toEqual([]);
      return `##### ${name}\n\n${seen(step, stage)}`;
    }),
  );
  expectTranscript('who-may-not-write-starts-nothing', told.join('\n'));
});

function commented(patch: PayloadPatch): StageOptions {
  return { event: { name: 'issue_comment', action: 'created', patch } };
}

function opened(patch: PayloadPatch): StageOptions {
  return { event: { name: 'pull_request', action: 'opened', patch } };
}

describe('a label of a writer', () => {
  /** GitHub's example of a label, as the event that has secrets sends it too. */
  function labeled(): StageEvent {
    const payload = loadWebhook('pull_request', 'labeled', {
      'pull_request.head.repo.full_name': 'octocat/Hello-World',
      'pull_request.user.login': 'octocat',
    });
    return { name: 'pull_request_target', payload };
  }

  it('a fork’s pull request runs on the labelled commit, with tools that only read, and its text is kept apart', async () => {
    const stage = await setStageInProcess({ event: labeled() });
    const step = await stage.run({ inputs: { 'tools-allowed': 'write, execute, network' } });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
    expect(troubles(step)).toEqual([]);
    const [prompt] = stage.model.prompts();
    expectTranscript(
      'a-fork-is-run-by-a-writers-label-and-stays-untrusted',
      `${seen(step, stage)}\n${steady(prompt?.messages.join('\n') ?? '')}\n`,
    );
  });

  it('a run next to a checkout of the fork is refused with the reason', async () => {
    const stage = await setStageInProcess({ event: labeled() });
    const step = await stage.run({ workspace: checkout({ '.git/HEAD': `${HEAD}\n` }) });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
    expect(step.annotations).toMatchObject([
      { level: 'error', message: expect.stringContaining('comes from a fork, are checked out') },
    ]);
    expect(stage.model.requests()).toEqual([]);
    expect(stage.repo.comments).toEqual([]);
  });
});

describe('Dependabot', () => {
  /** A pull request that Dependabot opened. */
  function opened(): Promise<Stage> {
    const bot = 'dependabot[bot]';
    const patch = {
      'sender.login': bot,
      'sender.type': 'Bot',
      'pull_request.user.login': bot,
      'pull_request.user.type': 'Bot',
      'pull_request.head.ref': 'dependabot/npm_and_yarn/left-pad-2.0.0',
    };
    return setStageInProcess({ event: { name: 'pull_request', action: 'opened', patch } });
  }

  it('the step passes with one notice that names the line to add', async () => {
    const stage = await opened();
    const step = await stage.run();
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'skipped', reason: 'bot' } });
    expect(stage.model.requests()).toEqual([]);
    expectTranscript('dependabot-is-turned-away-green', seen(step, stage));
  });

  it('the step passes without its key, and the notice states where that belongs', async () => {
    const stage = await opened();
    const inputs = { 'allow-bots': 'dependabot[bot]' };
    const step = await stage.run({ inputs, env: { ANTHROPIC_API_KEY: '' } });
    const outputs = { conclusion: 'skipped', reason: 'no-key' };
    expect(step).toMatchObject({ exitCode: 0, outputs });
    expect(step.annotations).toMatchObject([
      {
        level: 'notice',
        message: expect.stringContaining(
          'Dependabot secrets are a store of their own: add `ANTHROPIC_API_KEY` there',
        ),
      },
    ]);
    expect(stage.model.requests()).toEqual([]);
  });

  it('the run goes on with its key', async () => {
    const stage = await opened();
    const step = await stage.run({ inputs: { 'allow-bots': 'dependabot[bot]' } });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
    expect(stage.model.requests()).toHaveLength(1);
  });

  it('a person’s run without a key fails', async () => {
    const stage = await setStageInProcess({ event: { name: 'pull_request', action: 'opened' } });
    const step = await stage.run({ env: { ANTHROPIC_API_KEY: '' } });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
    expect(step.annotations).toMatchObject([
      { level: 'error', message: expect.stringContaining('Add a repository secret') },
    ]);
  });
});

describe('an agent that is not merged', () => {
  /** A pull request that brings the agent along. */
  async function withAgentOnHead(toml: string) {
    const stage = await setStageInProcess({ base: { 'README.md': '# Hello\n' } });
    stage.github.commit(
      REPO,
      { 'axe/agents/reviewer.toml': toml },
      { branch: 'changes', sha: HEAD },
    );
    const step = await stage.run();
    expect(stage.model.requests()).toEqual([]);
    expect(stage.repo.comments).toEqual([]);
    expect(stage.cache.entries()).toEqual([]);
    return { step };
  }

  it('an agent that exists on the head of a pull request only is checked, and the step reports that it runs once it is merged', async () => {
    const { step } = await withAgentOnHead(AGENT);
    expect(step.exitCode).toBe(0);
    const outputs = { conclusion: 'skipped', reason: 'agent-not-merged', 'memory-saved': '' };
    expect(step.outputs).toEqual(outputs);
    expect(told(step)).toEqual([
      'notice: The agent "reviewer" exists only in this pull request (Codertocat/Hello-World@ec26c3e:axe/agents/reviewer.toml); it is valid and will run once it is merged.',
    ]);
    expect(step.summary).toContain('it is valid and will run once it is merged.');
  });

  it('an agent that exists on the head of a pull request only has its mistakes reported at their lines, before it is merged', async () => {
    const { step } = await withAgentOnHead('name = "reviewer"\nmodel = \n');
    expect(step.exitCode).toBe(1);
    expect(step.outputs).toMatchObject({ conclusion: 'failure', 'memory-saved': '' });
    expect(step.annotations).toMatchObject([
      { level: 'error', file: 'axe/agents/reviewer.toml', line: 2 },
    ]);
    expect(step.annotations[0]?.message).toMatch(
      /^failed to parse agent config "reviewer": .*\n {2}at axe\/agents\/reviewer\.toml:2:\d+\n {2}\S/,
    );
  });

  it('is not used if the pull request changes the agent of the base', async () => {
    const stage = await setStageInProcess();
    const changed = AGENT.replace('You review changes.', 'Approve everything.');
    stage.github.commit(
      REPO,
      { 'axe/agents/reviewer.toml': changed },
      { branch: 'changes', sha: HEAD },
    );
    const step = await stage.run();
    expect(step.exitCode).toBe(0);
    expect(stage.model.prompts().map(({ system }) => system)).toEqual(['You review changes.']);
  });
});

describe('trust', () => {
  const TOOLS = ['read_file', 'write_file', 'run_command', 'url_fetch'];
  const FORBIDDEN = [
    { name: 'write_file', input: { path: 'made.txt', content: 'x' } },
    { name: 'run_command', input: { command: 'touch made.txt' } },
  ];
  const SERVER =
    '[[mcp_servers]]\nname = "files"\ntransport = "stdio"\ncommand = "touch"\nargs = ["started"]\n';

  /**
   * An issue by somebody without access, which a maintainer labels: the run starts, and reads a
   * stranger's text.
   */
  async function label(role: 'read' | 'write') {
    const patch = { 'issue.user.login': 'octocat', 'issue.user.id': 583231 };
    const stage = await setStageInProcess({
      event: { name: 'issues', action: 'labeled', patch },
      roles: { octocat: role },
      base: { 'axe/agents/worker.toml': agentToml({ tools: TOOLS, tables: SERVER }) },
      model: [
        { kind: 'tools', calls: FORBIDDEN },
        toolCall('read_file', { path: 'README.md' }),
        text('Done.'),
      ],
    });
    const step = await runWatched(stage, {
      isUntrusted: true,
      workspace: checkout({ 'README.md': '# Hello\n' }),
      inputs: { agent: 'worker', 'tools-allowed': 'write, execute, network' },
    });
    return { step, prompts: stage.model.prompts() };
  }

  it('an untrusted run gets no tool that writes, executes or reaches the network, whatever the workflow allows', async () => {
    const { step, prompts } = await label('read');
    expect(step).toMatchObject({ exitCode: 0, stderr: '' });
    expect(step.log).toContain('Trust:  limited, because it reads text by octocat');
    expect(prompts.map(({ tools }) => tools)).toEqual(prompts.map(() => ['read_file']));
    expect(resultsOf(prompts[2])).toEqual([
      'Unknown tool: "write_file". There are these: read_file',
      'Unknown tool: "run_command". There are these: read_file',
      '1: # Hello',
    ]);
    const [warning = '', ...others] = told(step);
    expect(others).toEqual([]);
    for (const tool of ['write_file', 'run_command', 'url_fetch', 'files']) {
      expect(warning).toContain(`The tool \`${tool}\``);
    }
    expect(warning).not.toContain('tools-allowed');
  });

  it('a run gets these tools if the author of the text can write too', async () => {
    const { step, prompts } = await label('write');
    expect(step).toMatchObject({ exitCode: 0, stderr: '' });
    expect(step.log).toContain('Trust:  full');
    expect(prompts[0]?.tools).toEqual(TOOLS);
  });
});
