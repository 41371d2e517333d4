import { expect, it } from '@jest/globals';
import { type ModelReply, startModelServer, text, toolCall } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { CHANGE } from './review-scene.js';
import { expectNoEntry, setStage } from './stage.js';
import { agentToml } from './tool-scene.js';

/** An answer of Claude's that ends like this. */
function claude(stop_reason: string, content: readonly object[] = []): ModelReply {
  const usage = { input_tokens: 812, output_tokens: 40 };
  const body = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content,
    stop_reason,
    usage,
  };
  return { kind: 'raw', status: 200, body };
}

const HALF = [{ type: 'text', text: 'The change looks f' }];

it('C4 64: an answer that was cut off is incomplete in a workflow: published with a mark, not remembered', async () => {
  const stage = await setStage({ model: [claude('max_tokens', HALF)] });
  const step = await stage.run();
  expect(step.exitCode).toBe(1);
  expect(step.outputs).toMatchObject({
    conclusion: 'incomplete',
    response: 'The change looks f\n\n[Incomplete: the answer was cut at 40 output tokens.]',
    'memory-saved': 'false',
  });
  expectNoEntry(step);
  expect(stage.repo.comments[0]?.body).toContain(
    'The change looks f\n\n*Cut short: the answer was cut at 40 output tokens.*',
  );
  expect(step.summary).toMatch(/: incomplete · .*\n\nThe change looks f\n\n```text\nthe answer was cut/);
  expect(step.annotations).toMatchObject([
    { level: 'error', message: expect.stringMatching(/^the answer was cut .*\n {2}Raise `max_tokens` in/) },
  ]);
});

it('C4 64: an empty refusal is refused: one request is sent, and no fallback is called', async () => {
  const stage = await setStage({ model: [claude('refusal')] });
  const step = await stage.run({ inputs: { model: 'anthropic/claude-sonnet-4-5, openai/gpt-4.1' } });
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'refused' } });
  expect(stage.model.requests()).toHaveLength(1);
  expectNoEntry(step);
});

it('a reviewer that has submitted its review and says nothing more is a success', async () => {
  const review = toolCall('submit_review', { summary: 'Fine.' });
  const stage = await setStage({ diff: CHANGE, model: [review, claude('end_turn')] });
  const step = await stage.run({
    inputs: { agent: 'builtin/pr-reviewer', model: 'anthropic/claude-sonnet-4-5' },
  });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success', response: '' } });
  expect(stage.model.requests()).toHaveLength(2);
});

it.each([
  [
    'cut',
    claude('max_tokens', HALF),
    0,
    'The change looks f',
    /^Warning: the answer was cut at 40 output tokens\./,
  ],
  [
    'an empty refusal',
    claude('refusal'),
    1,
    '',
    /^the model refused to answer\n {2}Word the task differently. Or choose another model.\n$/,
  ],
] as const)(
  'the command line reports an answer that is %s',
  async (_what, reply, exitCode, stdout, stderr) => {
    const model = await startModelServer([reply]);
    const cwd = tempDir('end');
    writeFiles(cwd, { 'axe/agents/worker.toml': agentToml({ memory: true }) });
    const result = await runCli(['run', 'worker'], { cwd, env: model.env });
    expect(result).toMatchObject({ exitCode, stdout, stderr: expect.stringMatching(stderr) });
    expect(model.requests()).toHaveLength(1);
  },
);

it('an empty answer after tool calls is not an error on the command line', async () => {
  const model = await startModelServer([toolCall('list_directory', {}), claude('end_turn')]);
  const cwd = tempDir('end');
  writeFiles(cwd, { 'axe/agents/worker.toml': agentToml({ tools: ['list_directory'] }) });
  expect(await runCli(['run', 'worker'], { cwd, env: model.env })).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: '',
  });
  expect(model.requests()).toHaveLength(2);
});

it('the end of a reply is reported to the agent that called a sub-agent', async () => {
  const model = await startModelServer(({ body }, index) => {
    if (JSON.stringify(body).includes('Task: look')) return claude('max_tokens', HALF);
    return index === 0 ? toolCall('call_agent', { agent: 'child', task: 'look' }) : text('Done.');
  });
  const cwd = tempDir('end');
  writeFiles(cwd, {
    'axe/agents/worker.toml': agentToml({ subAgents: ['child'] }),
    'axe/agents/child.toml': agentToml({ name: 'child' }),
  });
  const result = await runCli(['run', 'worker'], { cwd, env: model.env });
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Done.' });
  expect(result.stderr).toContain('Warning: sub-agent "child": the answer was cut at 40 output tokens');
  expect(model.prompts().at(-1)?.messages.at(-1)).toContain(
    'Error: sub-agent "child" gave only a part of its answer - the answer was cut at 40 output tokens.',
  );
});
