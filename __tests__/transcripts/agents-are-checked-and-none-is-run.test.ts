import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { FileTree } from '../helpers/github-state.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { AGENT, expectTranscript, HEAD, REPO, routesOf, type Stage, seen, told } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const GOOD = {
  'axe/agents/reviewer.toml': `${AGENT.replace('[memory]', 'skill = "review"\nfiles = ["docs/*.md"]\ntools = ["github_diff", "add_review_comment", "submit_review"]\nsub_agents = ["helper"]\n\n[memory]')}notes = true\n`,
  '.axe/agents/helper.toml': 'name = "helper"\nmodel = "openai/gpt-4o"\nsystem_prompt = "Help."\n',
  'axe/skills/review/SKILL.md': '# Review\n',
  'docs/style.md': '# Style\n',
};

const BROKEN = {
  'axe/agents/syntax.toml': 'name = "syntax"\nmodel = "openai/gpt-4o\n',
  'axe/agents/many.toml': `name = "many"
model = "gpt-4o"
skill = "skills/reveiw/SKILL.md"
files = ["docs/[.md", "nothing/*.md"]
sub_agents = ["helpr", "ring"]
sistem_prompt = "x"

[memory]
last_n = -1
`,
  'axe/agents/types.toml': 'name = "types"\nmodel = "openai/gpt-4o"\ntimeout = "5m"\n',
  'axe/agents/ring.toml':
    'name = "ring"\nmodel = "openai/gpt-4o"\nsystem_prompt = "Ask."\nsub_agents = ["many"]\n',
};

const EXAMPLES = join(import.meta.dirname, '../../examples');
const VALIDATE = { mode: 'validate', agent: '' };

/** A checkout of the merge of a pull request. */
function checkout(files: FileTree): string {
  const workspace = tempDir('workspace');
  writeFiles(workspace, {
    '.git/HEAD': `${'d'.repeat(40)}\n`,
    ...(files as Record<string, string>),
  });
  return workspace;
}

/** Nobody was asked for anything that a check does not need. */
function expectUntouched({ model, cache, repo }: Stage): void {
  expect(model.requests()).toEqual([]);
  expect(cache.entries()).toEqual([]);
  expect(repo.comments).toEqual([]);
}

describe('a check of agents in a checkout', () => {
  it('passes without problems, and sends no request', async () => {
    const stage = await setStageInProcess();
    const step = await stage.run({ inputs: VALIDATE, workspace: checkout(GOOD) });
    expect(step.exitCode).toBe(0);
    expect(step.annotations).toEqual([]);
    expect(stage.github.requests()).toEqual([]);
    expectUntouched(stage);
    expectTranscript('agents-that-are-valid', seen(step, stage));
  });

  it('reports every problem at its line, and fails the step', async () => {
    const stage = await setStageInProcess();
    const step = await stage.run({ inputs: VALIDATE, workspace: checkout({ ...GOOD, ...BROKEN }) });
    expect(step.exitCode).toBe(1);
    expect(step.outputs).toMatchObject({ conclusion: 'failure', 'memory-saved': '' });
    expect(stage.github.requests()).toEqual([]);
    expectUntouched(stage);
    expectTranscript('agents-that-are-not-valid', seen(step, stage));
  });

  it('checks one agent and its sub-agents if one is named, and lets the step pass if `fail-on` says so', async () => {
    const stage = await setStageInProcess();
    const workspace = checkout({ ...GOOD, ...BROKEN });
    const one = await stage.run({ inputs: { ...VALIDATE, agent: 'reviewer' }, workspace });
    expect([one.exitCode, one.outputs['response']]).toEqual([
      0,
      '.axe/agents/helper.toml: valid\naxe/agents/reviewer.toml: valid\n\n2 agents: valid',
    ]);
    const green = await stage.run({ inputs: { ...VALIDATE, 'fail-on': 'timeout' }, workspace });
    expect([green.exitCode, green.outputs['conclusion']]).toEqual([0, 'failure']);
  });

  it('checks the workflows and the checks in words of a project that has the built-in reviewer alone', async () => {
    const stage = await setStageInProcess();
    const workflow = readFileSync(join(EXAMPLES, 'workflows/review.yml'), 'utf8');
    const files = {
      '.github/workflows/axe.yml': workflow.replace('YOUR_ORG/axe-action@v1', 'octo/axe-action@v1'),
      '.axe/checks.md': '## Tests\n',
    };
    const step = await stage.run({ inputs: VALIDATE, workspace: checkout(files) });
    expect(told(step)).toEqual([expect.stringMatching(/^error: "Tests" has no text/)]);
    expect(step.outputs['response']).toContain('builtin/pr-reviewer: valid');
  });

  it('does not follow a link out of the checkout', async () => {
    const stage = await setStageInProcess();
    const workspace = checkout(GOOD);
    const elsewhere = tempDir('elsewhere');
    writeFiles(elsewhere, { 'secret.toml': 'token_of_octocat = "x"\n' });
    symlinkSync(join(elsewhere, 'secret.toml'), join(workspace, 'axe/agents/link.toml'));
    const step = await stage.run({ inputs: VALIDATE, workspace });
    expect(told(step)).toEqual([
      expect.stringMatching(
        /^error: failed to read agent config "link": "axe\/agents\/link\.toml" leads out of the workspace\n/,
      ),
    ]);
    expect(seen(step, stage)).not.toContain('token_of_octocat');
  });
});

const FORK = { 'pull_request.head.repo.full_name': 'mona/Hello-World', 'sender.login': 'mona' };

it('a check without a checkout reads the head of a fork, whoever opened it, with a read-only token', async () => {
  const stage = await setStageInProcess({
    event: { name: 'pull_request', action: 'opened', patch: FORK },
    base: GOOD,
    role: 'read',
  });
  stage.github.commit(REPO, { ...GOOD, ...BROKEN }, { branch: 'pull-2', sha: HEAD });
  const step = await stage.run({ inputs: VALIDATE });
  expect(step.exitCode).toBe(1);
  expectUntouched(stage);
  expect(new Set(stage.github.requests().map(({ method }) => method))).toEqual(new Set(['GET']));
  const asked = routesOf(stage);
  expect(asked.filter((route) => !/^GET \/(?:contents|git\/trees)\//.test(route))).toEqual([]);
  expectTranscript('agents-of-a-fork-that-are-not-valid', seen(step, stage));
});
