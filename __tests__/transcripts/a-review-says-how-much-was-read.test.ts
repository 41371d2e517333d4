import { expect, it } from '@jest/globals';
import { type ModelReply, text } from '../helpers/model-server.js';
import { CHANGE, calls, DOCS, push, REVIEWER, submit } from './review-scene.js';
import { DIFF, type StageOptions, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const LOGO = `diff --git a/logo.png b/logo.png
index 3f2a1b0..9c4d5e6 100644
Binary files a/logo.png and b/logo.png differ
`;

const TOO_LARGE = {
  route: 'GET /repos/{owner}/{repo}/compare/{basehead}',
  accept: 'diff',
  status: 406,
  body: { message: 'Sorry, the diff exceeded the maximum number of files (300)' },
} as const;

const CLEAN: readonly ModelReply[] = [calls(submit('I found nothing wrong.')), text('Reviewed.')];

async function review(diff: string, inputs: Readonly<Record<string, string>> = {}, more: StageOptions = {}) {
  const base = { 'axe/agents/reviewer.toml': REVIEWER };
  const stage = await setStageInProcess({ base, diff, model: [...CLEAN], ...more });
  // As GitHub does: a diff of so many files never comes.
  if (diff.split('diff --git ').length > 300) stage.github.fail({ ...TOO_LARGE, times: 9 });
  const step = await stage.run({ inputs: { 'check-run': 'true', ...inputs } });
  expect(step.exitCode).toBe(0);
  const [check] = stage.repo.talk.checkRuns;
  return { stage, step, check, body: stage.repo.talk.reviews[0]?.body };
}

it('coverage is complete in review, summary and check, and only then a success', async () => {
  const sentence = 'Reviewed: the whole pull request, 1 file, at `ec26c3e`';
  const { step, check, body } = await review(CHANGE);
  for (const place of [step.summary, check?.summary, body]) expect(place).toContain(sentence);
  expect(check).toMatchObject({ conclusion: 'success', title: 'No findings · whole' });
  expect(troubles(step)).toEqual([]);
});

it.each<[string, string, Readonly<Record<string, string>>, string]>([
  ['`paths`', CHANGE + DOCS, { paths: 'src/**' }, '1 left out by `paths` (`docs/guide.md`)'],
  [
    'a binary file',
    CHANGE + LOGO,
    {},
    '1 without readable lines, binary or too large for GitHub to show (`logo.png`)',
  ],
])('what was not read because of %s is named, and is not a success', async (_, diff, inputs, missing) => {
  const sentence = `Reviewed: 1 of 2 files at \`ec26c3e\`. Not read: ${missing}. Nothing is known about it`;
  const { step, check, body } = await review(diff, inputs);
  for (const place of [step.summary, check?.summary, body]) expect(place).toContain(sentence);
  expect(check).toMatchObject({ conclusion: 'neutral', title: 'No findings in 1 of 2 files' });
});

it('files that GitHub does not list are counted', async () => {
  const { step, check, body } = await review(manyFiles(3200, 'y'), { 'max-diff-tokens': '0' });
  const sentence =
    'Reviewed: 3,000 of 3,200 files at `ec26c3e`. Not read: 200 that GitHub does not list. Nothing is known about those';
  for (const place of [step.summary, check?.summary, body]) expect(place).toContain(sentence);
  expect(check).toMatchObject({ conclusion: 'neutral', title: 'No findings in 3,000 of 3,200 files' });
});

function manyFiles(number: number, line: string): string {
  const paths = Array.from({ length: number }, (_, index) => `src/${index}.ts`);
  return paths
    .map(
      (path) => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-x\n+${line}\n`,
    )
    .join('');
}

it('is never whole by a push of more files than GitHub compares: everything is read again', async () => {
  const stage = await setStageInProcess({
    base: { 'axe/agents/reviewer.toml': REVIEWER },
    diff: CHANGE,
    model: [...CLEAN, ...CLEAN],
  });
  const inputs = {
    'check-run': 'true',
    'memory-store': 'branch',
    'max-diff-tokens': '0',
  };
  await stage.run({ inputs });
  const pushed = manyFiles(310, 'y');
  const step = await stage.run({ ...push(stage, '6'.repeat(40), CHANGE + pushed, pushed), inputs });
  expect(step.exitCode).toBe(0);
  const sentence =
    'Reviewed: the whole pull request, 311 files, at `6666666`, because GitHub does not show all that is new since the last review';
  expect(step.summary).toContain(sentence);
  expect(stage.repo.talk.checkRuns.at(-1)).toMatchObject({ conclusion: 'success' });
  const [request = ''] = stage.model.prompts().at(-2)?.messages ?? [];
  for (const path of ['src/0.ts', 'src/309.ts', 'src/auth.ts']) expect(request).toContain(`+++ b/${path}`);
});

it('grows with `paths`: what they kept from the first review is read by the next', async () => {
  const stage = await setStageInProcess({
    base: { 'axe/agents/reviewer.toml': REVIEWER },
    diff: CHANGE + DOCS,
    model: [...CLEAN, ...CLEAN],
  });
  const inputs = { 'check-run': 'true', 'memory-store': 'branch' };
  const next = CHANGE.replaceAll('src/auth.ts', 'src/next.ts');
  await stage.run({ inputs: { ...inputs, paths: 'src/**' } });
  const wide = await stage.run({ ...push(stage, '6'.repeat(40), CHANGE + DOCS + next, next), inputs });
  expect(wide.exitCode).toBe(0);
  const [request = ''] = stage.model.prompts()[2]?.messages ?? [];
  expect(request).toContain('+++ b/src/next.ts');
  expect(request).toContain('+++ b/docs/guide.md');
  expect(request).not.toContain('+++ b/src/auth.ts');
  expect(stage.repo.talk.reviews[0]?.body).toContain(
    'Reviewed: 1 of 2 files at `ec26c3e`. Not read: 1 left out by `paths` (`docs/guide.md`). Nothing is known about it',
  );
  expect(wide.summary).toContain('Reviewed: `ec26c3e..6666666`, 1 of 3 files, and what was not read before');
});

it('coverage is above an answer that read a part, and below one that read everything', async () => {
  const run = async (inputs: Readonly<Record<string, string>>) => {
    const stage = await setStageInProcess({ diff: DIFF + DOCS, model: () => text('All is well.') });
    await stage.run({ inputs });
    return stage.repo.comments[0]?.body;
  };
  expect(await run({ paths: 'src/**' })).toContain('-->\n*Read: 1 of 2 files. Not read: 1 left out by');
  expect(await run({})).toMatch(/All is well\.\n\n<sub>Read: the whole change, 2 files\. Written by/);
});
