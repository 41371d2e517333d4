import { expect, it } from '@jest/globals';
import type { KeptFinding } from '../../../src/findings/kept-finding.js';
import { testHash } from '../../../src/findings/post/test-block.js';
import type { ChangeAnswer } from '../../../src/run/github.js';
import { runPipeline } from '../../../src/run/run.js';
import {
  createFakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../../helpers/dependencies-fake.js';
import { dismissed, findingLine, kept, reviewLine } from '../../helpers/marks.js';
import { WRITER } from '../../helpers/reports.js';
import { ours, seen, thread } from '../../helpers/seen.js';
import { comment } from '../../helpers/triggers.js';

const TEXT = 'the test';
const TEST = {
  sha256: testHash(TEXT),
  path: 'a.test.js',
  command: 'node --test a.test.js',
  saw: ['2', '1'],
  fixed: ['src/a.ts'],
  words: 'own',
  head: 'a'.repeat(40),
} as const;

const CHANGE: ChangeAnswer = {
  kind: 'read',
  head: 'b'.repeat(40),
  base: 'c'.repeat(40),
  isFork: false,
  diff: 'diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-old\n+new\n',
};

/** `/axe test FQ7K2` on these findings; the bench ends each run with what the test saw. */
async function ask(
  findings: readonly KeptFinding[],
  {
    saw = '2',
    bench = undefined as string | undefined,
    block = `\`\`\`\n${TEXT}\n\`\`\``,
    ...parts
  }: FakeDependenciesParts & { saw?: string; bench?: string; block?: string } = {},
) {
  const body = reviewLine({ agent: 'bot', head: 'b'.repeat(40) }, ...findings);
  const review = { id: 7, url: '', state: 'COMMENTED', body } as const;
  const conversation = seen({
    reviews: [{ ...review, headSha: undefined, submittedAt: undefined }],
    threads: [thread({ first: ours({ body: `${findingLine()}\nIt is wrong.\n\n${block}` }) })],
  });
  const deps = createFakeDependencies({
    permissions: WRITER,
    said: { 42: { kind: 'read', seen: conversation } },
    change: CHANGE,
    ...parts,
  });
  const ran: string[] = [];
  const opened = {
    texts: async () => new Map(),
    exists: () => false,
    run: async ({ test }: { readonly test: string }) => {
      ran.push(test);
      return { exit: saw === '1' ? 0 : 1, saw, output: '', ms: 1 };
    },
  };
  const trigger = comment({ on: 'pull_request', number: 42, body: '/axe test FQ7K2' });
  const report = await runPipeline(makeRequest({ trigger }), {
    ...deps,
    openTestBench: async () => bench ?? opened,
  });
  return { report, ran, answer: deps.replies[0]?.text ?? '' };
}

it.each([
  ['2', 1, 'At bbbbbbb the test of FQ7K2 still fails: it sees `2`.'],
  ['1', 2, 'the test of FQ7K2 passes: it sees `1`. `/axe done FQ7K2` settles it.'],
  ['x', 1, 'the test of FQ7K2 has no clear result'],
])(
  'a test that a finding has is run again, without a model: it saw %j',
  async (saw, times, text) => {
    const { report, ran, answer } = await ask([kept({ test: TEST })], { saw });
    expect(report).toMatchObject({ kind: 'memory-command', result: { kind: 'done' } });
    expect(ran).toEqual(Array(times).fill(`${TEXT}\n`));
    expect(answer).toContain(text);
  },
);

const five = [0, 1, 2, 3, 4].map((number) =>
  kept({ id: `${number}`.repeat(16), handle: `FQ7K${number + 3}`, test: TEST }),
);

it.each<[string, readonly KeptFinding[], Parameters<typeof ask>[1], string]>([
  ['there is no such finding', [], {}, 'no finding FQ7K2'],
  ['it is not open', [dismissed()], {}, 'FQ7K2 is not open'],
  ['a rule found it', [kept({ rule: 'hidden-line' })], {}, 'a fixed rule found it'],
  ['five others have a test', [kept({ handle: 'FQ7K2' }), ...five], {}, '5 open findings'],
  ['it comes from a fork', [kept()], { change: { ...CHANGE, isFork: true } }, 'from a fork'],
  ['no command is run here', [kept()], { bench: 'there is no jail' }, 'there is no jail'],
  ['its block was edited', [kept({ test: TEST })], { block: '```\nother\n```' }, 'was edited'],
])('a finding is not shown by a test, and no model is asked, if %s', async (...row) => {
  const [, findings, parts, text] = row;
  const { report, ran, answer } = await ask(findings, parts);
  expect(report).toMatchObject({ kind: 'memory-command', result: { kind: 'failed' } });
  expect([ran, answer]).toEqual([[], expect.stringContaining(text)]);
});
