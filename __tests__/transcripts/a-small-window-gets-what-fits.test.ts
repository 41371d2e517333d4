import { expect, it } from '@jest/globals';
import { estimateText } from '../../src/lib/text/cut.js';
import { parseFences } from '../../src/safety/fence.js';
import type { RecordedRequest } from '../helpers/loopback.js';
import { type ModelReply, promptOf, startModelServer, text } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { afterThinking } from '../helpers/thinking-model.js';
import { scheduledStep } from './memory-scene.js';
import { calls, discussion, submit } from './review-scene.js';
import { setStage, troubles } from './stage.js';

/** A change of so many lines in files of 100. */
function change(lines: number): string {
  const files = Array.from({ length: Math.ceil(lines / 100) }, (_, file) => {
    const count = Math.min(100, lines - file * 100);
    const added = Array.from(
      { length: count },
      (__, line) => `+export const row${line} = lookUp(${line}, rows);`,
    );
    const path = `src/table${file}.ts`;
    return `diff --git a/${path} b/${path}\nnew file mode 100644\nindex 0000000..3f2a1b0\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${count} @@\n${added.join('\n')}\n`;
  });
  return files.join('');
}

/** A server that refuses what is longer than its window, and a model that reviews what it is shown. */
function server(window: number) {
  return (request: RecordedRequest): ModelReply => {
    const { messages, tools } = promptOf(request);
    const isFirst = messages.length === 1 && tools.length > 0;
    const summary = calls({ name: 'write_summary', input: { summary: 'A table is new.' } });
    const review = tools.includes('write_summary') ? summary : calls(submit('A table is new.'));
    return afterThinking(isFirst ? review : text('Reviewed.'), request, { thinks: 0, most: 1000, window });
  };
}

const AGENT = (window: number) => `name = "reviewer"
model = "local/model"
system_prompt = """${'You review a change, and say what is wrong with it. '.repeat(90)}"""
tools = ["add_review_comment", "submit_review", "github_diff", "github_file", "github_search"]

[params]
context_window = ${window}

[memory]
enabled = true
last_n = 0
`;

const SIZES = [8192, 12_288, 32_768].flatMap((window) => [
  { window, lines: 100 },
  { window, lines: 3000 },
]);

async function review(
  window: number,
  lines: number,
  agent: string,
  files: Readonly<Record<string, string>> = {},
) {
  const stage = await setStage({
    base: { 'axe/agents/reviewer.toml': AGENT(window), ...files },
    diff: change(lines),
    model: server(window),
  });
  const step = await stage.run({
    inputs: { agent, model: 'local/model' },
    env: { AXE_LOCAL_BASE_URL: stage.model.url },
  });
  return { stage, step, posted: discussion(stage), messages: troubles(step).map(({ message }) => message) };
}

it.each(SIZES)(
  'a window of $window tokens that the error names gets a review of what fits of $lines lines',
  async ({ window, lines }) => {
    const { stage, step, posted, messages } = await review(window, lines, 'builtin/pr-reviewer');
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success', 'memory-saved': 'true' } });
    expect(stage.repo.talk.reviews).toHaveLength(1);
    if (lines === 100) {
      expect(posted).toContain('Reviewed: the whole pull request, 1 file');
      return;
    }
    expect(step.outputs['coverage']).toBe('part');
    expect(posted).toMatch(/Not read: \d+ beyond `max-diff-tokens` or what the model takes \(`src\/table/);
    expect(messages.join('\n')).toMatch(
      /the model takes about [\d,]+ tokens, so its prompt was shortened: the task/,
    );
  },
);

it.each(SIZES)(
  'a window of $window tokens that the agent names gets $lines lines in parts that fit, without a refusal',
  async ({ window, lines }) => {
    const { stage, step, posted } = await review(window, lines, 'reviewer');
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success', 'memory-saved': 'true' } });
    expect(step.log).not.toContain('leaving out earlier turns');
    const shown = stage.model.prompts().filter(({ messages }) => messages[0]?.includes('You are shown part'));
    if (lines === 100) expect(posted).toContain('Reviewed: the whole pull request, 1 file');
    else {
      expect(shown.length).toBeGreaterThan(1);
      expect(step.outputs['coverage']).toBe(window === 32_768 ? 'whole' : 'part');
    }
  },
);

it('memory of 60 KB does not fill a window of 8,192 tokens, and the newest of it is kept', async () => {
  const workspace = tempDir('workspace');
  const entries = Array.from(
    { length: 10 },
    (_, day) =>
      `## 2026-01-1${day}T00:00:00Z\n**Task:** Day ${day}\n**Result:** ${'It was as on the last one. '.repeat(222)}\n\n`,
  );
  writeFiles(workspace, { '.axe/memory/ask.md': entries.join('') });
  const model = await startModelServer(server(8192));
  const step = await runMain(
    scheduledStep(
      { model },
      {
        workspace,
        inputs: { 'memory-store': 'file', model: 'local/model' },
        env: { AXE_LOCAL_BASE_URL: model.url },
      },
    ),
  );
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success', 'memory-saved': 'true' } });
  const sent = model.prompts().at(-1)?.system;
  expect(sent).toContain('**Task:** Day 9');
  expect(sent).not.toContain('**Task:** Day 5');
  expect(troubles(step)).toMatchObject([
    { message: expect.stringContaining('its prompt was shortened: memory.') },
  ]);
});

it('a server that cuts a prompt without a word is told of, and the review is one in part', async () => {
  const stage = await setStage({
    diff: change(1000),
    model: [
      { ...calls(submit('A table is new.')), usage: { inputTokens: 4096, outputTokens: 20 } },
      { ...text('Reviewed.'), usage: { inputTokens: 4096, outputTokens: 5 } },
    ],
  });
  const step = await stage.run({ inputs: { agent: 'builtin/pr-reviewer', model: 'ollama/qwen3' } });
  expect(step).toMatchObject({ exitCode: 0, outputs: { coverage: 'part' } });
  expect(discussion(stage)).toContain('Reviewed in part: ');
  expect(troubles(step)).toMatchObject([
    {
      message: expect.stringMatching(
        /^`ollama\/qwen3` has read 4,096 of about [\d,]+ tokens; .*OLLAMA_CONTEXT_LENGTH/s,
      ),
    },
  ]);
});

it('no message shows more of a diff than `max-diff-tokens`, in parts neither', async () => {
  const stage = await setStage({
    base: { 'axe/agents/reviewer.toml': AGENT(0) },
    diff: change(1000),
    model: server(100_000),
  });
  await stage.run({
    inputs: { model: 'local/model', 'max-diff-tokens': '3000' },
    env: { AXE_LOCAL_BASE_URL: stage.model.url },
  });
  const diffs = stage.model.prompts().map(({ messages }) =>
    parseFences(messages[0] ?? '')
      .fences.filter(({ source }) => source.startsWith('diff of') || source.startsWith('map of'))
      .reduce((tokens, fenced) => tokens + estimateText(fenced.text), 0),
  );
  expect(diffs.filter((tokens) => tokens > 1000).length).toBeGreaterThan(1);
  expect(Math.max(...diffs)).toBeLessThanOrEqual(3000);
});
