import { expect, it } from '@jest/globals';
import {
  type CheckAnnotation,
  endCheckRun,
  publishCheckRun,
  readCheckRun,
  startCheckRun,
} from '../../../src/github/posting/check-run.js';
import { addCheckRun } from '../../helpers/github-checks.js';
import { HELLO, noAbort } from '../../helpers/github-client-fake.js';
import { BAD_GATEWAY, BAD_GATEWAY_AFTER_EFFECT } from '../../helpers/github-faults.js';
import type { StoredCheckRun } from '../../helpers/github-state.js';
import { type Hello, startHello } from '../hello-fixture.js';

const POST = 'POST /repos/{owner}/{repo}/check-runs';
const PATCH = 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}';
const LIST = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';

function notes(count: number): readonly CheckAnnotation[] {
  return Array.from({ length: count }, (_, index) => ({
    path: 'src/a.ts',
    startLine: index + 1,
    endLine: index + 1,
    message: `Note ${index}`,
    ...(index === 0 ? { title: 'First' } : {}),
  }));
}

async function publish({ client, headSha }: Hello, count: number, name = 'bot') {
  const report = { repository: HELLO, headSha, name, conclusion: 'neutral' } as const;
  const texts = { title: `${count} notes`, summary: 'See the diff.', annotations: notes(count) };
  return await publishCheckRun(client, { ...report, ...texts }, { signal: noAbort() });
}

it.each([0, 50, 70])(
  'a check with %i annotations is one request, with fifty of them at most',
  async (count) => {
    const hello = await startHello();
    await publish(hello, count);
    expect(hello.github.calls()).toEqual([LIST, POST]);
    const [run] = hello.repo.talk.checkRuns;
    expect(run?.annotations.map((note) => (note as { message: string }).message)).toEqual(
      notes(Math.min(count, 50)).map(({ message }) => message),
    );
  },
);

it('a commit has one check of an agent, whichever run writes it, and one of each agent', async () => {
  const hello = await startHello();
  const first = await publish(hello, 2);
  expect(await publish(hello, 2)).toBe(first);
  expect(hello.repo.talk.checkRuns.map(({ annotations }) => annotations.length)).toEqual([2]);
  await publish(hello, 1, 'bot-2');
  expect(hello.repo.talk.checkRuns.map(({ externalId }) => externalId)).toEqual(['bot', 'bot-2']);
});

it.each([
  ['is not repeated if it exists', BAD_GATEWAY_AFTER_EFFECT],
  ['is repeated if it is not', BAD_GATEWAY],
])('C5 70: a creation whose answer was lost %s', async (_, fault) => {
  const hello = await startHello();
  hello.github.fail({ route: POST, ...fault });
  await publish(hello, 7);
  expect(hello.repo.talk.checkRuns.map(({ annotations }) => annotations.length)).toEqual([7]);
});

it('a check is in progress until its end, which needs no search', async () => {
  const hello = await startHello();
  const { client, headSha, repo } = hello;
  const key = { repository: HELLO, headSha, name: 'bot' };
  const started = await startCheckRun(
    client,
    { ...key, title: 'Reading 2 files', summary: 'At work.' },
    noAbort(),
  );
  expect(repo.talk.checkRuns).toMatchObject([{ status: 'in_progress', title: 'Reading 2 files' }]);
  expect(await readCheckRun(client, key, noAbort())).toBeUndefined();
  const report = {
    ...key,
    conclusion: 'success',
    title: 'Fine',
    summary: 'Done.',
    annotations: [],
  } as const;
  expect(await publishCheckRun(client, report, { signal: noAbort(), started })).toBe(started.url);
  expect(hello.github.calls()).toEqual([LIST, POST, LIST, PATCH]);
  expect(repo.talk.checkRuns).toMatchObject([
    { status: 'completed', conclusion: 'success', title: 'Fine' },
  ]);
  expect(await readCheckRun(client, key, noAbort())).toEqual({
    conclusion: 'success',
    title: 'Fine',
  });
  addCheckRun(repo, { headSha, name: 'bot', externalId: 'job-1', title: 'A job of this name' });
  expect(await readCheckRun(client, key, noAbort())).toMatchObject({ title: 'Fine' });
  expect(await endCheckRun(client, { ...report, conclusion: 'cancelled' }, noAbort())).toBe('none');
});

it.each<[string, Partial<StoredCheckRun>, number]>([
  ['the newest of its name is brought up to date', { externalId: 'bot' }, 7],
  ["another program's check of that name is left alone", { externalId: 'x' }, 6],
])('of several checks %s', async (_, patch, id) => {
  const hello = await startHello();
  await publish(hello, 0);
  const [first] = hello.repo.talk.checkRuns;
  if (first === undefined) throw new Error('no check');
  hello.repo.talk.checkRuns.splice(0, 1, { ...first, id: 6 }, { ...first, id: 7, ...patch });
  expect(await publish(hello, 0)).toContain(`/${id}`);
});
