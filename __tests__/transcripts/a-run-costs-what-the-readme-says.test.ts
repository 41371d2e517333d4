import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { estimateText } from '../../src/core/text/estimate-text.js';
import { text } from '../helpers/model-server.js';
import { schedulePayload } from '../helpers/webhooks.js';
import { CHANGE, calls, LOGGED, push, submit, TIMING } from './review-scene.js';
import { AGENT, HEAD, REPO, type StageOptions, setStage } from './stage.js';

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8').replaceAll(/\s+/g, ' ');
const [, review, second, mention, onPull, report, skipped] =
  /a first review with memory on a branch makes (\d+), one after a push (\d+), a mention that is answered (\d+) on an issue and (\d+) on a line of a pull request, a scheduled report (\d+), an event that is turned away up to (\d+)\./.exec(
    README,
  ) ?? [];

/** Something the first review did not see. */
const FRESH = `diff --git a/src/other.ts b/src/other.ts
--- a/src/other.ts
+++ b/src/other.ts
@@ -1 +1 @@
-one
+two
`;

it.each<[string, StageOptions, Readonly<Record<string, string>>, string | undefined]>([
  [
    'a first review',
    { diff: CHANGE, model: [calls(TIMING, submit('One finding.')), text('One finding.')] },
    { agent: 'builtin/pr-reviewer' },
    review,
  ],
  [
    'a mention that is answered',
    { event: { name: 'issue_comment', action: 'created', patch: { 'comment.body': '@axe Why?' } } },
    { agent: 'builtin/ask', 'trigger-phrase': '@axe' },
    mention,
  ],
  [
    'a mention on a line',
    {
      event: {
        name: 'pull_request_review_comment',
        action: 'created',
        patch: { 'comment.body': '@axe Why?' },
      },
    },
    { agent: 'builtin/ask', 'trigger-phrase': '@axe' },
    onPull,
  ],
  [
    'a scheduled report',
    { event: { name: 'schedule', payload: schedulePayload('0 6 * * 1') } },
    { agent: 'builtin/ask', 'report-to': 'issue' },
    report,
  ],
])('%s asks GitHub as often as the README says', async (_, options, inputs, said) => {
  const stage = await setStage(options);
  stage.repo.contents = 'write';
  const step = await stage.run({ inputs: { 'memory-store': 'repo', ...inputs } });
  expect(step.exitCode).toBe(0);
  expect(stage.github.calls()).toHaveLength(Number(said));
});

it('an event that is turned away asks GitHub at most as often as the README says', async () => {
  const stage = await setStage({ base: { 'README.md': '# Hello\n' } });
  stage.github.commit(REPO, { 'axe/agents/reviewer.toml': AGENT }, { branch: 'changes', sha: HEAD });
  const step = await stage.run();
  expect(step.outputs['skip-reason']).toBe('agent-not-merged');
  expect(stage.github.calls()).toHaveLength(Number(skipped));
});

it('a review after a push asks GitHub as often as the README says', async () => {
  const model = [calls(TIMING, submit('One finding.')), text('One finding.')];
  const stage = await setStage({
    diff: CHANGE,
    model: [...model, calls(LOGGED, submit('One more.')), text('One more.')],
  });
  stage.repo.contents = 'write';
  const inputs = { 'memory-store': 'repo', agent: 'builtin/pr-reviewer' };
  await stage.run({ inputs });
  const before = stage.github.calls().length;
  const step = await stage.run({ ...push(stage, 'd'.repeat(40), CHANGE, FRESH), inputs });
  expect(step.exitCode).toBe(0);
  expect(stage.github.calls().length - before).toBe(Number(second));
});

it('sends about as many tokens before the diff as the README says', async () => {
  const stage = await setStage({ model: [calls(submit('Nothing.')), text('Nothing.')] });
  await stage.run({ inputs: { agent: 'builtin/pr-reviewer' } });
  const [first] = stage.model.requests();
  const [, said = ''] = /tools of the built-in reviewer are about ([\d,]+) tokens/.exec(README) ?? [];
  const sent = estimateText(first?.bytes.toString() ?? '');
  expect(Math.round(sent / 500) * 500).toBe(Number(said.replaceAll(',', '')));
});
