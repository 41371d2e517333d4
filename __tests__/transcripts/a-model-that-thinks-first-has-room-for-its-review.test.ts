import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { RecordedRequest } from '../helpers/loopback.js';
import { type ModelReply, startModelServer, text } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { afterThinking, limitIn, type ThinkingModel } from '../helpers/thinking-model.js';
import { calls, submit } from './review-scene.js';
import { expectNoEntry, setStage, troubles } from './stage.js';

/** A change of 100 lines. */
const CHANGE = [
  'diff --git a/src/table.ts b/src/table.ts',
  'index 3f2a1b0..9c4d5e6 100644',
  '--- a/src/table.ts',
  '+++ b/src/table.ts',
  '@@ -0,0 +1,100 @@',
  ...Array.from({ length: 100 }, (_, line) => `+export const row${line} = lookUp(${line}, rows);`),
  '',
].join('\n');

const REVIEW = calls(
  {
    name: 'add_review_comment',
    input: {
      path: 'src/table.ts',
      line: 7,
      code: 'export const row6 = lookUp(6, rows);',
      title: 'The rows are read before they are there',
      category: 'correctness',
      effect: 'wrong-result',
      reach: 'always',
      body: 'Nothing awaits `rows`, so every look-up finds an empty table.',
    },
  },
  submit('A table of 100 rows.'),
);

const WORKER = `name = "worker"
model = "anthropic/claude-sonnet-5-5"
`;

/** One review and a word at its end, by a model that thinks before each. */
function reviews(model: ThinkingModel) {
  return (request: RecordedRequest): ModelReply => {
    if (JSON.stringify(request.body).includes('"give_verdict"')) {
      const holds = { verdict: 'holds', reason: 'Nothing awaits `rows`.' };
      return afterThinking(calls({ name: 'give_verdict', input: holds }), request, model);
    }
    const isReviewed = JSON.stringify(request.body).includes('A table of 100 rows.');
    return afterThinking(isReviewed ? text('One finding.') : REVIEW, request, model);
  };
}

const MODELS = [
  ['anthropic/claude-sonnet-5-5', 128_000],
  ['anthropic/claude-opus-5-5', 128_000],
  ['openai/gpt-6.1-sol', 128_000],
  ['google/gemini-3.1-pro-preview', 65_536],
  ['ollama/qwen3.5:9b', 100_000],
] as const;

it.each(MODELS.flatMap(([model, most]) => [5_000, 30_000].map((thinks) => ({ model, most, thinks }))))(
  'the built-in reviewer posts its review by $model, which thinks $thinks tokens first',
  async ({ model, most, thinks }) => {
    const isLocal = model.startsWith('ollama/');
    const stage = await setStage({
      diff: CHANGE,
      model: reviews({ thinks, most, ...(isLocal ? { window: 8192 } : {}) }),
    });
    const step = await stage.run({
      inputs: { agent: 'builtin/pr-reviewer', model },
      env: { GEMINI_API_KEY: 'AIza-test-0123456789abcdef', AXE_GOOGLE_BASE_URL: stage.model.url },
    });
    expect(troubles(step)).toEqual([]);
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success', 'memory-saved': 'true' } });
    expect(stage.repo.talk.reviews).toHaveLength(1);
    expect(stage.repo.talk.reviewComments).toMatchObject([{ path: 'src/table.ts', line: 7 }]);
    // The thoughts of the first reply do not fit into the small window, and are left out.
    expect(stage.model.requests()).toHaveLength(isLocal ? 4 : 3);
  },
);

it('a limit of the agent that the thoughts use up is raised once, which is told', async () => {
  const model = await startModelServer((request) =>
    afterThinking(text('Done.'), request, { thinks: 5000, most: 128_000 }),
  );
  const cwd = tempDir('limits');
  writeFiles(cwd, { 'axe/agents/worker.toml': `${WORKER}\n[params]\nmax_tokens = 4096\n` });
  const result = await runCli(['run', 'worker'], { cwd, env: model.env });
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Done.' });
  expect(result.stderr).toContain('is asked once more with a limit of 128,000 tokens');
  expect(model.requests().map(({ body }) => limitIn(body))).toEqual([4096, 128_000]);
});

it('garbage collection has room for its analysis, and trims', async () => {
  const model = await startModelServer((request) =>
    afterThinking(text('## Patterns Found\nNone.'), request, { thinks: 30_000, most: 128_000 }),
  );
  const cwd = tempDir('limits');
  const entry = (day: number) => `## 2026-02-1${day}T10:00:00Z\n**Task:** Look.\n**Result:** Seen.\n\n`;
  writeFiles(cwd, {
    'axe/agents/worker.toml': `${WORKER}\n[memory]\nenabled = true\nlast_n = 1\n`,
    'data/axe/memory/worker.md': [1, 2, 3].map(entry).join(''),
  });
  const env = { ...model.env, XDG_DATA_HOME: join(cwd, 'data') };
  expect(await runCli(['gc', 'worker'], { cwd, env })).toMatchObject({ exitCode: 0 });
  expect(model.requests().map(({ body }) => limitIn(body))).toEqual([128_000]);
  expect(readFileSync(join(cwd, 'data/axe/memory/worker.md'), 'utf8')).toBe(entry(3));
});

const ENDLESS = (request: RecordedRequest) =>
  afterThinking(text('Done.'), request, { thinks: 500_000, most: 128_000 });

it('a reply without a word that a limit cut is no success and no entry in a workflow', async () => {
  const stage = await setStage({ model: ENDLESS });
  const step = await stage.run({ inputs: { model: 'anthropic/claude-sonnet-5-5' } });
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'incomplete' } });
  expectNoEntry(step);
});

it('nor is it on the command line', async () => {
  const model = await startModelServer(ENDLESS);
  const cwd = tempDir('limits');
  writeFiles(cwd, { 'axe/agents/worker.toml': `${WORKER}\n[memory]\nenabled = true\n` });
  const env = { ...model.env, XDG_DATA_HOME: join(cwd, 'data') };
  expect(await runCli(['run', 'worker'], { cwd, env })).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringContaining('the answer was cut at 128,000 output tokens'),
  });
  expect(existsSync(join(cwd, 'data/axe/memory'))).toBe(false);
});
