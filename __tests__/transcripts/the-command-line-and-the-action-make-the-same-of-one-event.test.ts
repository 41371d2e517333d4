import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { gitHubEnv, memoryIn, resultsIn } from './memory-scene.js';
import { setStage } from './stage.js';

const AGENT = `name = "reviewer"
model = "anthropic/claude-sonnet-4-5"
system_prompt = "You review changes to a billing system."
skill = "skills/review/SKILL.md"
files = ["docs/*.md"]

[memory]
enabled = true
last_n = 2

[params]
temperature = 0.2
max_tokens = 900
`;
const MEMORY = [1, 2, 3]
  .map(
    (n) =>
      `## 2026-01-0${n}T03:04:05Z\n**Task:** Review pull request #${n}\n**Result:** Finding ${n}.\n\n`,
  )
  .join('');

it('both send the model the same request and remember the same entry', async () => {
  const stage = await setStage({
    base: {
      'axe/agents/reviewer.toml': AGENT,
      'axe/skills/review/SKILL.md': '# Review\n\nMoney is never a float.\n',
      'docs/money.md': 'Cents are integers.\n',
      '.axe/memory/reviewer.md': MEMORY,
    },
    model: () => text('Compares with `==`.'),
  });
  const { model } = stage;
  const run = {
    GITHUB_RUN_ID: '77',
    GITHUB_RUN_ATTEMPT: '2',
    GITHUB_JOB: 'review',
    GITHUB_SHA: '0'.repeat(40),
  };
  const inputs = { 'memory-store': 'file', comment: 'never' };
  const action = await stage.run({ env: run, inputs });

  const cwd = tempDir('laptop');
  const data = tempDir('data');
  writeFiles(data, { 'axe/memory/reviewer.md': MEMORY });
  writeFiles(cwd, { 'event.json': JSON.stringify(stage.payload) });
  const cli = await runCli(['run', 'reviewer', '--event', 'event.json'], {
    cwd,
    env: { ...model.env, ...gitHubEnv(stage.github), ...run, XDG_DATA_HOME: data },
  });

  expect({ action: action.exitCode, cli: cli.exitCode, stderr: cli.stderr }).toEqual({
    action: 0,
    cli: 0,
    stderr: '',
  });
  expect(cli.stdout).toBe('Compares with `==`.');
  expect(model.requests()).toHaveLength(2);
  const [fromAction, fromCli] = model.requests();
  // Only a workflow asks for every answer in a stream: a time limit then has what was written.
  expect(fromAction?.body).toEqual({ ...Object(fromCli?.body), stream: true });
  const [prompt] = model.prompts();
  expect(resultsIn(prompt?.system ?? '')).toEqual(['Finding 2.', 'Finding 3.']);
  for (const part of ['billing system', 'Money is never a float.', 'Cents are integers.']) {
    expect(prompt?.system).toContain(part);
  }
  expect(prompt?.messages[0]).toMatch(/^\+\d+: {3}return expected == token;$/m);

  const ofAction = memoryIn(action.workspace, 'reviewer.md');
  const ofCli = readFileSync(join(data, 'axe/memory/reviewer.md'), 'utf8');
  expect(ofAction.startsWith(MEMORY)).toBe(true);
  expect(steady(ofCli)).toBe(steady(ofAction));
  expect(ofCli).toMatch(/<!-- axe-action v=1 id=\S+ run=77\/2 sha=\w{7} actor=Codertocat /);
});

/** Without what differs from run to run: the entry's time and id. */
function steady(memory: string): string {
  return memory
    .slice(MEMORY.length)
    .replace(/^## \S+/, '## <time>')
    .replace(/ id=\S+/, ' id=<id>');
}
