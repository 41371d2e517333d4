import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import { loadWebhook } from '../helpers/webhooks.js';
import { comparisonOf, DIFF, expectTranscript, routesOf, seen, setStage, steady } from './stage.js';

const NEXT_HEAD = '6dcb09b5b57875f334f61aebed695e2e4193db5e';
const NEXT_DIFF = DIFF.replace('expected == token', 'expected === token');
const ANSWERS = [
  '`src/auth.ts:11` compares tokens with `==`, which tells their length by time.',
  'Still not in constant time: `src/auth.ts:11` only changed to `===`.',
];

it('a pull request and its next push are reviewed in one comment, and the second review knows the first', async () => {
  const stage = await setStage({
    model: ANSWERS.map((answer) => text(answer, { inputTokens: 812, outputTokens: 34 })),
  });
  const opened = await stage.run();
  expect(opened.exitCode).toBe(0);
  expect(stage.repo.comments.map(({ body }) => body)).toEqual([
    expect.stringContaining(ANSWERS[0] ?? ''),
  ]);
  expect(readFileSync(opened.outputs['response-file'] ?? '', 'utf8')).toBe(ANSWERS[0]);
  expect(steady(opened.outputs['memory-entry'] ?? '')).toBe(`## <time>
**Task:** Review pull request #2: Update the README with new information.
<!-- axe-action v=1 id=<id> run=1658821493/1 sha=ec26c3e actor=Codertocat model=anthropic/claude-sonnet-4-5 on=%232 files=src/auth.ts -->
**Result:** Posted a comment on #2.
${ANSWERS[0]}

`);

  const pull = stage.repo.pulls.get(2);
  if (pull === undefined) throw new Error('there is no pull request #2');
  stage.repo.pulls.set(2, { ...pull, head: { ...pull.head, sha: NEXT_HEAD }, diff: NEXT_DIFF });
  const payload = loadWebhook('pull_request', 'synchronize', {
    'pull_request.head.sha': NEXT_HEAD,
  });
  stage.repo.comparisons.set(comparisonOf(payload), NEXT_DIFF);
  const pushed = await stage.run({ event: { name: 'pull_request', payload }, runId: '1658821494' });

  expect(stage.repo.comments.map(({ body }) => body)).toEqual([
    expect.stringContaining(ANSWERS[1] ?? ''),
  ]);
  expect(pushed.outputs).toMatchObject({ 'memory-loaded': '1', 'memory-saved': 'true' });
  expect(pushed.outputs['comment-url']).toBe(opened.outputs['comment-url']);
  const [first, second] = stage.model.prompts();
  expect(first?.messages.join()).toMatch(/^\+\d+: {3}return expected == token;$/m);
  expect(second?.messages.join()).toMatch(/^\+\d+: {3}return expected === token;$/m);
  // All of an entry is loaded but where it comes from.
  const loaded = opened.outputs['memory-entry']?.replace(/<!-- .* -->\n/, '');
  expect(second?.system).toContain(`\n\n## Memory\n\n${loaded}`);
  expect(second?.system).not.toContain('axe-action v=1');
  expect(routesOf(stage).filter((route) => !/^GET|^POST .graphql$/.test(route))).toEqual([
    'PATCH /issues/comments/1',
    'POST /git/commits',
    'POST /git/refs',
    'POST /git/trees',
    'POST /issues/2/comments',
  ]);
  const texts = [first, second].map((prompt) =>
    steady(`${prompt?.system}\n----\n${prompt?.messages.join('\n')}\n`),
  );
  expectTranscript(
    'a-pull-request-gets-one-comment-and-is-remembered',
    [
      seen(opened, { repo: { ...stage.repo, comments: [] } }),
      texts[0],
      seen(pushed, stage),
      texts[1],
    ].join('\n'),
  );
});
