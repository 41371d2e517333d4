import { expect, it } from '@jest/globals';
import { faultsOf, type LocalEnd, main } from '../../eval/local.js';
import { startModelServer, text } from '../helpers/model-server.js';

const END: LocalEnd = {
  conclusion: 'success',
  reason: '',
  exitCode: 0,
  words: 'An answer.',
  check: undefined,
  seconds: 60,
};
const FAILED = { conclusion: 'timeout', reason: 'too slow', exitCode: 1, words: '' } as const;

it.each<[string, Partial<LocalEnd>, readonly string[]]>([
  ['an answer', {}, []],
  ['an answer with a green check', { check: 'success' }, []],
  ['a run that was too slow', FAILED, []],
  ['one with a red check', { ...FAILED, check: 'failure' }, []],
  ['an incomplete review', { ...FAILED, conclusion: 'incomplete' }, []],
  ['an answer without a word', { words: ' ' }, ['it succeeded without a word']],
  ['an unknown end', { conclusion: '' }, expect.arrayContaining(['the conclusion is ""']) as never],
  ['no reason', { ...FAILED, reason: '' }, ['it did not succeed, and no reason is given']],
  ['a failure with status 0', { ...FAILED, exitCode: 0 }, ['its exit code is 0']],
  [
    'a green failure',
    { ...FAILED, check: 'success' },
    ['it did not succeed, and its check is green'],
  ],
  ['a limit that was not held', { ...FAILED, seconds: 391 }, ['it took 391 s']],
])('the end of %s is judged', (_, patch, faults) => {
  expect(faultsOf({ ...END, ...patch }, 300)).toEqual(faults);
});

async function start(args: readonly string[]) {
  const lines: string[] = [];
  const keep = (line: string) => void lines.push(line);
  const status = await main({ args, env: {}, print: keep, say: keep });
  return { status, said: lines.join('\n') };
}

it('a model that only talks answers a question and reviews nothing, and every end is true', async () => {
  const server = await startModelServer(() => text('It adds a page.'));
  const { status, said } = await start(['--url', `${server.url}/v1`, '--model', 'talker']);
  expect(said).toMatch(/^ask: success, \d+ s: It adds a page\.$/m);
  expect(said).toMatch(/^pr-reviewer, a small change: incomplete/m);
  expect(said).toContain('Every end is true.');
  expect(status).toBe(0);
});

it.each([
  ['no address', ['--model', 'm'], /^npm run try:local/],
  ['a text that is no address', ['--url', 'x', '--model', 'm'], /^npm run try:local/],
  ['no server', ['--url', 'http://127.0.0.1:9', '--model', 'm'], /^There is no server at/],
])('%s is refused', async (_, args, words) => {
  expect(await start(args)).toEqual({ status: 2, said: expect.stringMatching(words) });
});
