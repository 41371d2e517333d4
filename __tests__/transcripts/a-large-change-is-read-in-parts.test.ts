import { expect, it } from '@jest/globals';
import type { RecordedRequest } from '../helpers/loopback.js';
import { type ModelReply, promptOf, text } from '../helpers/model-server.js';
import { CAREFUL_REVIEWER, calls, discussion, submit } from './review-scene.js';
import { expectTranscript, setStage, steady, troubles } from './stage.js';

const NAMES = ['src/cart.ts', 'src/login.ts', 'src/mail.ts'];
const DIFF = `${NAMES.map(newFile).join('\n')}\n`;
const AGENT = `${CAREFUL_REVIEWER}\n[review]\npart_tokens = 1200\nverify_model = "openai/gpt-4o"\n`;
const INPUTS = { 'max-diff-tokens': '2000' };

function newFile(path: string): string {
  const lines = Array.from(
    { length: 60 },
    (_, index) => `+export const value${index} = read('${path}', ${index});`,
  );
  return `diff --git a/${path} b/${path}\nnew file mode 100644\nindex 0000000..3f2a1b0\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,60 @@\n${lines.join('\n')}`;
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
    return {
      kind: 'raw',
      status: 400,
      body: { type: 'error', error: { type: 'invalid_request_error', message: 'no' } },
    };
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
  const stage = await setStage({
    base: { 'axe/agents/reviewer.toml': AGENT },
    diff: DIFF,
    model: (asked) => answer(asked),
  });
  const step = await stage.run({ inputs: INPUTS });
  expect(step.exitCode).toBe(0);
  const parts = stage.model
    .prompts()
    .filter(({ messages }) => messages.length === 1 && messages[0]?.includes('You are shown part'));
  expect(parts).toHaveLength(3);
  expect(stage.repo.talk.reviews).toHaveLength(1);
  expect(stage.repo.talk.reviewComments.map(({ path, line }) => `${path}:${line}`).toSorted()).toEqual(
    NAMES.map((name) => `${name}:7`),
  );
  const posted = discussion(stage);
  for (const name of NAMES) expect(posted).toContain(`Read ${name}.`);
  expect(posted.match(/A second look in a fresh context/g)).toHaveLength(3);
  expect(step.outputs['memory-entry']).toContain('Read src/cart.ts.');
  expect(step.log).toContain('Joined 3 parts: 3 findings');
  // Who was asked how often, of which model, at what cost; the three are asked at once, so their order is not known.
  for (const part of [1, 2, 3])
    expect(step.summary).toContain(
      `| reviewer, part ${part} of 3 | claude-sonnet-4-5 | 2 | 832 | 44 | $0.0032 |`,
    );
  expect(step.summary).toMatch(/^\| verifier × 3 \| gpt-4o \| 3 \|/m);
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
    .replaceAll(/(?:src\/\w+\.ts:7(?:, )?){3}/g, (list) => list.split(', ').toSorted().join(', '));
}

it('a review names the files of a part that failed, and posts the findings of the others', async () => {
  const stage = await setStage({
    base: { 'axe/agents/reviewer.toml': AGENT },
    diff: DIFF,
    model: (asked) => answer(asked, 'src/mail.ts'),
  });
  const step = await stage.run({ inputs: INPUTS });
  expect(stage.repo.talk.reviewComments.map(({ path }) => path).toSorted()).toEqual([
    'src/cart.ts',
    'src/login.ts',
  ]);
  expect(discussion(stage)).toMatch(/Not read: 1 in a part of the review that failed .*`src\/mail\.ts`/);
  expect(
    troubles(step)
      .map(({ message }) => message)
      .join('\n'),
  ).toContain('1 part of the review did not come to an end: part ');
});
