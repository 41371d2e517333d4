import { expect, it } from '@jest/globals';
import type { TestRun } from '../../src/findings/decide/demonstration.js';
import type { FindingToFix } from '../../src/findings/known-finding.js';
import type { Edit } from '../../src/github/posting/commit-edits.js';
import { createFixTests } from '../../src/run/fix-tests.js';
import { fakeTool } from '../helpers/dependencies-fake.js';
import { completed } from '../helpers/reports.js';

const finding = (handle: string, testText?: string) =>
  ({
    handle,
    testText,
    test: {
      sha256: '',
      path: 'a.test.js',
      command: 'node --test',
      saw: ['2', '1'],
      fixed: [],
      words: 'own',
      head: '',
    },
  }) as unknown as FindingToFix;

const FAILS: TestRun = { exit: 1, saw: '2', output: 'not ok 1', ms: 1 };
const PASSES: TestRun = { exit: 0, saw: '1', output: '', ms: 1 };
const OTHER: TestRun = { exit: 1, saw: '', output: '', ms: 1 };
const EDIT = { before: Buffer.from('a[1]'), after: Buffer.from('a[0]') };

/** Commits with these messages, one after the other, while the test ends so. */
async function commit(
  findings: readonly FindingToFix[],
  runs: readonly TestRun[],
  messages: readonly string[] = ['Fix it'],
  problem?: string,
) {
  const seen: string[] = [];
  const left = [...runs];
  const bench = {
    texts: async () => new Map(),
    exists: () => false,
    async run(_: object, changed: ReadonlyMap<string, string | undefined>) {
      seen.push([...changed].map(([path, text]) => `${path}: ${text ?? 'gone'}`).join(', '));
      return left.shift() ?? PASSES;
    },
  };
  const edits = new Map<string, Edit>([
    ['src/a.js', EDIT],
    ['src/b.js', { ...EDIT, after: undefined }],
  ]);
  const tests = createFixTests(findings, bench, { edits, problem });
  const [, tool] = tests.before([fakeTool('read_file'), fakeTool('push_to_pull_request')]);
  const answers: (string | undefined)[] = [];
  for (const message of messages)
    answers.push((await tool?.execute({ message }, new AbortController().signal))?.text);
  const outcome = tests.withResults(completed('Done.'));
  return { seen, answers, said: outcome.kind === 'completed' ? outcome.answer : '' };
}

const GOAL = finding('FQ7K2', 'the test');

it('a test runs over the changes before they are committed, and the answer says how it ended', async () => {
  const { seen, answers, said } = await commit([GOAL], [PASSES]);
  expect([seen, answers]).toEqual([['src/a.js: a[0], src/b.js: gone'], ['done']]);
  expect(said).toBe('Done.\n\nWith this change, the test of FQ7K2 passes: it sees `1`.');
});

it.each([
  [FAILS, /does not pass over your changes, it fails as before[\s\S]*not ok 1/, 'still fails'],
  [OTHER, /does not pass over your changes, it has no clear result now/, 'has no clear result.'],
])('a test that does not pass is reported to the model once: %j', async (run, told, end) => {
  const { answers, said } = await commit([GOAL], [run, run], ['Fix it', 'Fix it']);
  expect(answers).toEqual([expect.stringMatching(told), 'done']);
  expect(said).toContain(end);
});

it('a test over changes that are not committed after it is not said of a commit', async () => {
  const { said } = await commit([GOAL], [FAILS]);
  expect(said).toContain('Over changes that were not committed, the test of FQ7K2 still fails');
});

it('of several findings that one is tested whose name the message has', async () => {
  const both = [GOAL, finding('FM3T8')];
  const messages = ['Fix it', 'Fix FM3T8', 'Fix FQ7K2'];
  expect((await commit(both, [], messages)).seen).toHaveLength(1);
});

it('no test runs over changes that cannot be committed, and none without its text', async () => {
  expect((await commit([GOAL], [], ['Fix it'], 'no file was changed')).seen).toEqual([]);
  const { seen, said } = await commit([finding('FQ7K2')], []);
  const notRun =
    'The test of FQ7K2 was not run: its test was edited in the comment, or removed from it.';
  expect([seen, said]).toEqual([[], `Done.\n\n${notRun}`]);
});

it('a test that cannot run is said', () => {
  const tests = createFixTests([GOAL], 'there is no jail', {
    edits: new Map(),
    problem: undefined,
  });
  expect(tests.withResults(completed('Done.'))).toMatchObject({
    answer: 'Done.\n\nThe test of FQ7K2 was not run: there is no jail.',
  });
});
