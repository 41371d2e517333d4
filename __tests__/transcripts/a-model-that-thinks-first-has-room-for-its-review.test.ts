import { expect, it } from '@jest/globals';
import type { RecordedRequest } from '../helpers/loopback.js';
import { type ModelReply, text } from '../helpers/model-server.js';
import { calls, raise, submit } from './review-scene.js';
import { expectNoEntry, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';
import { afterThinking, type ThinkingModel } from './thinking-model.js';

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
  raise('src/table.ts', 7, {
    code: 'export const row6 = lookUp(6, rows);',
    title: 'The rows are read before they are there',
    category: 'correctness',
    effect: 'wrong-result',
    reach: 'always',
    body: 'Nothing awaits `rows`, so every look-up finds an empty table.',
  }),
  submit('A table of 100 rows.'),
);

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

it.each(
  MODELS.flatMap(([model, most]) => [5_000, 30_000].map((thinks) => ({ model, most, thinks }))),
)(
  'the built-in reviewer posts its review by $model, which thinks $thinks tokens first',
  async ({ model, most, thinks }) => {
    const isLocal = model.startsWith('ollama/');
    const stage = await setStageInProcess({
      diff: CHANGE,
      model: reviews({ thinks, most, ...(isLocal ? { window: 8192 } : {}) }),
    });
    const step = await stage.run({
      inputs: { agent: 'builtin/pr-reviewer', model },
      env: { GEMINI_API_KEY: 'AIza-test-0123456789abcdef', AXE_GOOGLE_BASE_URL: stage.model.url },
    });
    expect(troubles(step)).toEqual([]);
    expect(step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: 'success', 'memory-saved': 'true' },
    });
    expect(stage.repo.talk.reviews).toHaveLength(1);
    expect(stage.repo.talk.reviewComments).toMatchObject([{ path: 'src/table.ts', line: 7 }]);
    // The thoughts of the first reply do not fit into the small window, and are left out.
    expect(stage.model.requests()).toHaveLength(isLocal ? 4 : 3);
  },
);

const ENDLESS = (request: RecordedRequest) =>
  afterThinking(text('Done.'), request, { thinks: 500_000, most: 128_000 });

it('a reply without a word that a limit cut is no success and no entry in a workflow', async () => {
  const stage = await setStageInProcess({ model: ENDLESS });
  const step = await stage.run({ inputs: { model: 'anthropic/claude-sonnet-5-5' } });
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'incomplete' } });
  expectNoEntry(step);
});
