import { describe, expect, it } from '@jest/globals';
import type { RecordedRequest } from '../helpers/loopback.js';
import { type ModelReply, promptOf, startModelServer, text } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { scheduledStep } from './memory-scene.js';
import {
  CAREFUL_REVIEWER,
  calls,
  discussion,
  reviewStage,
  submit,
  usageIn,
} from './review-scene.js';
import { expectTranscript, steady, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';
import { afterThinking } from './thinking-model.js';
import { checkout } from './tool-scene.js';

/** The diff of a new file with these lines. */
function added(path: string, lines: readonly string[]): string {
  return `diff --git a/${path} b/${path}\nnew file mode 100644\nindex 0000000..3f2a1b0\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${lines.join('')}`;
}

describe('parts', () => {
  const NAMES = ['src/cart.ts', 'src/login.ts', 'src/mail.ts'];
  const DIFF = NAMES.map(newFile).join('');
  const AGENT = `${CAREFUL_REVIEWER}\n[review]\npart_tokens = 1200\nverify_model = "openai/gpt-4o"\n`;
  const OPTIONS = { base: { 'axe/agents/reviewer.toml': AGENT }, diff: DIFF };
  const INPUTS = { 'max-diff-tokens': '2000' };

  function newFile(path: string): string {
    const lines = Array.from(
      { length: 60 },
      (_, at) => `+export const value${at} = read('${path}', ${at});\n`,
    );
    return added(path, lines);
  }

  /** One finding in each part, each of which holds; `broken` names a file whose part fails. */
  function answer(request: RecordedRequest, broken = ''): ModelReply {
    const { messages, tools } = promptOf(request);
    const told = messages.join('\n');
    if (tools.includes('give_verdict')) {
      return calls({ name: 'give_verdict', input: { verdict: 'holds', reason: 'I followed it.' } });
    }
    if (messages.length > 1) return text('I have read my part.');
    const [path = ''] = NAMES.filter((name) => told.includes(`diff --git a/${name} `));
    if (path === broken) {
      const error = { type: 'invalid_request_error', message: 'no' };
      return { kind: 'raw', status: 400, body: { type: 'error', error } };
    }
    const finding = {
      path,
      line: 7,
      code: `export const value6 = read('${path}', 6);`,
      title: `A failing read of ${path} is not caught`,
      body: `\`read\` throws for \`${path}\` where the table is empty.`,
      category: 'error-handling',
      effect: 'failure',
      reach: 'common',
    };
    return calls({ name: 'add_review_comment', input: finding }, submit(`Read ${path}.`));
  }

  it('a large change becomes one review, in which every finding had a second look', async () => {
    const stage = await reviewStage((asked) => answer(asked), OPTIONS);
    const step = await stage.run({ inputs: INPUTS });
    expect(step.exitCode).toBe(0);
    const parts = stage.model
      .prompts()
      .filter(
        ({ messages }) => messages.length === 1 && messages[0]?.includes('You are shown part'),
      );
    expect(parts).toHaveLength(3);
    expect(stage.repo.talk.reviews).toHaveLength(1);
    expect(
      stage.repo.talk.reviewComments.map(({ path, line }) => `${path}:${line}`).toSorted(),
    ).toEqual(NAMES.map((name) => `${name}:7`));
    const posted = discussion(stage);
    for (const name of NAMES) expect(posted).toContain(`Read ${name}.`);
    expect(posted.match(/An independent second check/g)).toHaveLength(3);
    expect(step.outputs['memory-entry']).toContain('Read src/cart.ts.');
    expect(step.log).toContain('Joined 3 parts: 3 findings');
    // Who was asked how often, of which model, at what cost; the three are asked at once, so their
    // order is not known.
    const cost = { turns: 2, inputTokens: 832, outputTokens: 44 };
    for (const part of [1, 2, 3])
      expect(usageIn(step)).toContainEqual(
        expect.objectContaining({ name: `reviewer, part ${part} of 3`, ...cost }),
      );
    const looks = { name: 'verifier', modelId: 'gpt-4o', conversations: 3, turns: 3 };
    expect(usageIn(step)).toContainEqual(expect.objectContaining(looks));
    expectTranscript(
      'a-large-change-is-read-in-parts',
      inOneOrder(steady(`${stage.repo.talk.reviews[0]?.body}\n\n=== the summary\n${step.summary}`)),
    );
  });

  /** Places and rows that stand in the order in which the parts ended. */
  function inOneOrder(said: string): string {
    const rows = /(?:^\| (?:🟠|A failing|reviewer, part) .*\n)+/gm;
    return said
      .replaceAll(rows, (block) => `${block.trimEnd().split('\n').toSorted().join('\n')}\n`)
      .replaceAll(/(?:src\/\w+\.ts:7(?:, )?){3}/g, (list) =>
        list.split(', ').toSorted().join(', '),
      );
  }

  it('a review names the files of a part that failed, and posts the findings of the others', async () => {
    const stage = await reviewStage((asked) => answer(asked, 'src/mail.ts'), OPTIONS);
    const step = await stage.run({ inputs: INPUTS });
    expect(stage.repo.talk.reviewComments.map(({ path }) => path).toSorted()).toEqual([
      'src/cart.ts',
      'src/login.ts',
    ]);
    expect(discussion(stage)).toMatch(
      /Not read: 1 in a part of the review that failed .*`src\/mail\.ts`/,
    );
    expect(
      troubles(step)
        .map(({ message }) => message)
        .join('\n'),
    ).toContain('1 part of the review did not finish: ');
  });
});

describe('a small window', () => {
  /** A change of so many lines in files of 100. */
  function change(lines: number): string {
    const files = Array.from({ length: Math.ceil(lines / 100) }, (_, file) => {
      const length = Math.min(100, lines - file * 100);
      const rows = Array.from(
        { length },
        (__, at) => `+export const row${at} = lookUp(${at}, rows);\n`,
      );
      return added(`src/table${file}.ts`, rows);
    });
    return files.join('');
  }

  /**
   * A server that refuses what is longer than its window, and a model that reviews what it is
   * shown.
   */
  function server(window: number) {
    return (request: RecordedRequest): ModelReply => {
      const { messages, tools } = promptOf(request);
      const isFirst = messages.length === 1 && tools.length > 0;
      const summary = calls({ name: 'write_summary', input: { summary: 'A table is new.' } });
      const review = tools.includes('write_summary') ? summary : calls(submit('A table is new.'));
      return afterThinking(isFirst ? review : text('Reviewed.'), request, {
        thinks: 0,
        most: 1000,
        window,
      });
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
    const stage = await setStageInProcess({
      base: { 'axe/agents/reviewer.toml': AGENT(window), ...files },
      diff: change(lines),
      model: server(window),
    });
    const step = await stage.run({
      inputs: { agent, model: 'local/model' },
      env: { AXE_LOCAL_BASE_URL: stage.model.url },
    });
    return {
      stage,
      step,
      posted: discussion(stage),
      messages: troubles(step).map(({ message }) => message),
    };
  }

  it.each(SIZES)(
    'a window of $window tokens that the error names gets a review of what fits of $lines lines',
    async ({ window, lines }) => {
      const { stage, step, posted, messages } = await review(window, lines, 'builtin/pr-reviewer');
      expect(step).toMatchObject({
        exitCode: 0,
        outputs: { conclusion: 'success', 'memory-saved': 'true' },
      });
      expect(stage.repo.talk.reviews).toHaveLength(1);
      if (lines === 100) {
        expect(posted).toContain('Reviewed: the whole pull request, 1 file');
        return;
      }
      expect(step.outputs['coverage']).toBe('part');
      expect(posted).toMatch(
        /Not read: \d+ beyond `max-diff-tokens` or what the model takes \(`src\/table/,
      );
      expect(messages.join('\n')).toMatch(
        /the model takes about [\d,]+ tokens, so its prompt was shortened/,
      );
    },
  );

  it.each(SIZES)(
    'a window of $window tokens that the agent names gets $lines lines in parts that fit, without a refusal',
    async ({ window, lines }) => {
      const { stage, step, posted } = await review(window, lines, 'reviewer');
      expect(step).toMatchObject({
        exitCode: 0,
        outputs: { conclusion: 'success', 'memory-saved': 'true' },
      });
      expect(step.log).not.toContain('leaving out earlier turns');
      const shown = stage.model
        .prompts()
        .filter(({ messages }) => messages[0]?.includes('You are shown part'));
      if (lines === 100) expect(posted).toContain('Reviewed: the whole pull request, 1 file');
      else {
        expect(shown.length).toBeGreaterThan(1);
        expect(step.outputs['coverage']).toBe(window === 32_768 ? 'whole' : 'part');
      }
    },
  );

  it('memory of 60 KB does not fill a window of 8,192 tokens, and the newest of it is kept', async () => {
    const result = 'It was as on the last one. '.repeat(222);
    const days = Array.from(
      { length: 10 },
      (_, day) => `## 2026-01-1${day}T00:00:00Z\n**Task:** Day ${day}\n`,
    );
    const memory = days.map((day) => `${day}**Result:** ${result}\n\n`).join('');
    const model = await startModelServer(server(8192));
    const workspace = checkout({ '.axe/memory/ask.md': memory });
    const inputs = { 'memory-store': 'file', model: 'local/model' };
    const env = { AXE_LOCAL_BASE_URL: model.url };
    const step = await runMain(scheduledStep({ model }, { workspace, inputs, env }));
    expect(step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: 'success', 'memory-saved': 'true' },
    });
    const sent = model.prompts().at(-1)?.system;
    expect(sent).toContain('**Task:** Day 9');
    expect(sent).not.toContain('**Task:** Day 5');
    expect(troubles(step)).toMatchObject([
      {
        message: expect.stringContaining(
          'its prompt was shortened (8 of 10 memory entries left out).',
        ),
      },
    ]);
  });

  it('a server that silently cuts the prompt causes a warning, and the review is partial', async () => {
    const stage = await setStageInProcess({
      diff: change(1000),
      model: [
        { ...calls(submit('A table is new.')), usage: { inputTokens: 4096, outputTokens: 20 } },
        { ...text('Reviewed.'), usage: { inputTokens: 4096, outputTokens: 5 } },
      ],
    });
    const step = await stage.run({
      inputs: { agent: 'builtin/pr-reviewer', model: 'ollama/qwen3' },
    });
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
});
