import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { picturesOf } from '../../scripts/docs-images/pictures.js';
import { makeGitRepo } from '../helpers/git-repo.js';
import {
  text as answer,
  type ScriptedToolCall,
  startModelServer,
  toolCall,
} from '../helpers/model-server.js';
import { lastScreen, runCli, startOnTerminal } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';
import { patchPayload } from '../helpers/webhooks.js';
import { calls, push, replyOnLine, settleFirst, submit, withSecondLook } from './review-scene.js';
import { AGENT, headOf, numberFindings, REPO, type Stage, setStage, steady } from './stage.js';

const SOURCES = join(import.meta.dirname, '../../docs/images/sources.json');

const TITLE = 'Charge orders with tax';

const REVIEWER = `name = "reviewer"
model = "anthropic/claude-sonnet-5-5"
system_prompt = "You review changes to a billing system."
tools = ["add_review_comment", "submit_review", "settle_finding"]

[memory]
enabled = true

[review]
depth = "quick"
`;

/** The change, with or without the line that the second push takes out. */
function change(logLine: string): string {
  return `${headOf('src/orders.ts')}@@ -18,6 +18,${logLine === '' ? 8 : 9} @@ export async function settleOrder(id: string): Promise<Receipt> {
   const order = await loadOrder(id);
   if (order.receipt) return order.receipt;
-  const total = sumCents(order.items);
-  return await charge(order.card, total);
+  const total = withTax(sumCents(order.items));
${logLine}+  const receipt = await charge(order.card, total);
+  markPaid(id, receipt);
+  return receipt;
 }
 
`;
}

const LOG_LINE = "+  console.log('charging', order.card);\n";
const FIRST = change(LOG_LINE);
const SECOND = change('');
/** What the second push changed since the first. */
const FRESH = `${FIRST.slice(0, FIRST.indexOf('@@'))}@@ -20,5 +20,4 @@ export async function settleOrder(id: string): Promise<Receipt> {
   const total = withTax(sumCents(order.items));
-  console.log('charging', order.card);
   const receipt = await charge(order.card, total);
   markPaid(id, receipt);
   return receipt;
`;
const NEXT = '6dcb09b5b57875f334f61aebed695e2e4193db5e';

const LOGGED = finding({
  line: 21,
  code: "  console.log('charging', order.card);",
  title: 'The card number is written to the log',
  category: 'security',
  effect: 'breach',
  body: '`order.card` holds the whole number, and logs are kept for a year. Log `order.id` instead.',
  suggestion: "  console.log('charging', order.id);",
});

const UNAWAITED = finding({
  line: 23,
  code: '  markPaid(id, receipt);',
  title: 'An order can be charged twice',
  category: 'correctness',
  effect: 'wrong-result',
  body: '`markPaid` is not awaited. If it fails, the order has no receipt, and the next call charges the card again.',
  suggestion: '  await markPaid(id, receipt);',
});

const RETRIED = finding({
  line: 22,
  code: '  const receipt = await charge(order.card, total);',
  title: 'A failed charge is not tried again',
  category: 'correctness',
  effect: 'degraded',
  body: 'If the card service is busy, the order fails at once. `refund` tries three times.',
});

const REPLY = 'By design: the caller tries again.';

const ROUNDED = finding({
  line: 20,
  code: '  const total = withTax(sumCents(order.items));',
  title: 'Tax is rounded for the sum, not for each item',
  category: 'correctness',
  effect: 'degraded',
  body: 'The invoice in `src/invoice.ts` rounds each item, so the two can differ by a cent.',
});

/**
 * The first finding that the model is told of is over: what it names is not in the change any more.
 */
const GONE = settleFirst('The card is no longer logged.', {
  path: 'src/orders.ts',
  line: 21,
  code: "  console.log('charging', order.card);",
});

/** What a second look says of a finding that is said to be over. */
const GONE_INDEED = {
  verdict: 'refuted',
  reason: 'Nothing is logged here any more.',
  evidence: [
    { path: 'src/orders.ts', line: 21, code: '  const receipt = await charge(order.card, total);' },
  ],
};

/** Handles as people meet them, which are other ones in every run. */
function withHandles(text: string): string {
  const names = ['FQ7K2', 'FM3T8', 'FB94W', 'FC2PD'];
  return names.reduce((rest, name, index) => rest.replaceAll(`F${index + 1}`, name), text);
}

function finding(input: Readonly<Record<string, unknown>>): ScriptedToolCall {
  return {
    name: 'add_review_comment',
    input: { path: 'src/orders.ts', reach: 'always', ...input },
  };
}

const REPLIES = [
  calls(
    LOGGED,
    UNAWAITED,
    RETRIED,
    submit('The card must not be logged, and the receipt has to be saved first.'),
  ),
  answer('I reviewed the change to billing and found three problems.'),
  calls(GONE, ROUNDED, submit('The card is no longer logged. The receipt is still not awaited.')),
  answer('The card is no longer logged; the receipt is still not awaited.'),
];

it('the sources of the pictures equal what the built action and command line print', async () => {
  const stage = await setStage({
    event: { name: 'pull_request', action: 'opened', patch: { 'pull_request.title': TITLE } },
    base: { 'axe/agents/reviewer.toml': REVIEWER },
    diff: FIRST,
    roles: { octocat: 'write' },
    model: withSecondLook(REPLIES, GONE_INDEED),
  });
  const inputs = { 'memory-store': 'branch' };
  await stage.run({ inputs });
  const dismissed = reply(stage);
  const { event } = push(stage, NEXT, { diff: SECOND, fresh: FRESH });
  const payload = patchPayload(event.payload, { 'pull_request.title': TITLE });
  await stage.run({ event: { ...event, payload }, inputs, runId: '1658821494' });
  // Each answer in a conversation is a review without words of its own.
  const review = stage.repo.talk.reviews.findLast(({ body }) => body !== '');
  const memory = lines(stage.github.files(REPO, 'axe-memory')['reviewer.md'] ?? '');
  const sources = {
    'second-review': shown(review?.body ?? ''),
    conversation: conversationOf(stage, dismissed),
    memory,
    terminal: await terminal(),
    demo: lines((await runCli(['demo'])).stdout),
  };
  const text = steady(`${JSON.stringify(sources, null, 2)}\n`).replaceAll(
    /(?<=Duration: )\d+ms/g,
    '<milliseconds>',
  );
  const said = withHandles(numberFindings(text));
  if (process.env['UPDATE_TRANSCRIPTS'] === '1') {
    mkdirSync(dirname(SOURCES), { recursive: true });
    writeFileSync(SOURCES, said);
    for (const [file, svg] of Object.entries(picturesOf(JSON.parse(said))))
      writeFileSync(join(dirname(SOURCES), file), svg);
  }
  expect(said).toBe(readFileSync(SOURCES, 'utf8'));
});

/** What people see of a text, as lines, so that a change of a text is a change of lines. */
function shown(text: string): readonly string[] {
  return lines(text.replaceAll(/<!--[\s\S]*?-->\n*/g, ''));
}

/** A person's reply to a finding. The next run reads it. Returns the number of the finding's comment. */
function reply(stage: Stage): number {
  const title = String(RETRIED.input['title']);
  const comment = stage.repo.talk.reviewComments.find(({ body }) => body.includes(title));
  if (comment === undefined) throw new Error(`no comment says “${title}”`);
  replyOnLine(stage, comment.id, REPLY, 'octocat');
  return comment.id;
}

/** A conversation as people see it: the finding on its line, the reply, and the answer to it. */
function conversationOf({ repo: { talk } }: Stage, id: number) {
  const comment = talk.reviewComments.find((each) => each.id === id);
  const replies = talk.reviewComments.filter(({ inReplyTo }) => inReplyTo === id);
  expect(replies.map(({ body }) => body === REPLY)).toEqual([true, false]);
  const [asked = '', answer = ''] = replies.map(({ body }) => body);
  return {
    path: comment?.path,
    line: comment?.line,
    code: RETRIED.input['code'],
    finding: shown(comment?.body ?? ''),
    reply: shown(asked),
    answer: shown(answer),
  };
}

/** The file of the change before it (`-`) or with it (`+`). */
function sourceOf(diff: string, sign: '-' | '+'): string {
  return `${'\n'.repeat(17)}${lines(diff)
    .slice(5)
    .filter((line) => line.startsWith(sign) || line.startsWith(' '))
    .map((line) => line.slice(1))
    .join('\n')}\n`;
}

/** A run on a laptop over the same change, on a terminal, as it stands there in the end. */
async function terminal() {
  const repo = makeGitRepo(tempDir('laptop'));
  repo.commit('Settle orders', { 'src/orders.ts': sourceOf(FIRST, '-') });
  repo.commit(TITLE, {
    'src/orders.ts': sourceOf(FIRST, '+'),
    '.axe/agents/reviewer.toml': LAPTOP_REVIEWER,
  });
  const model = await startModelServer([
    toolCall('read_file', { path: 'src/orders.ts' }),
    answer(
      '`src/orders.ts:24` does not await `markPaid`: if it fails, the order is charged twice.',
      {
        inputTokens: 2412,
        outputTokens: 64,
      },
    ),
  ]);
  const words = ['run', 'reviewer', '--git', 'HEAD~1..HEAD'];
  const { exitCode, stdout } = await startOnTerminal(words, { cwd: repo.path, env: model.env })
    .finished;
  expect(exitCode).toBe(0);
  return { command: `axe-action ${words.join(' ')}`, screen: lines(lastScreen(stdout)) };
}

const LAPTOP_REVIEWER = AGENT.replace('sonnet-4-5', 'sonnet-5-5').replace(
  '\n\n[memory]',
  '\ntools = ["read_file"]\n\n[memory]',
);

function lines(said: string): readonly string[] {
  return said.replace(/\n$/, '').split('\n');
}
