import { expect, it } from '@jest/globals';
import { type ModelReply, text } from '../helpers/model-server.js';
import { CHANGE, calls, push, REVIEWER, submit } from './review-scene.js';
import { DIFF, type Stage, type StageOptions, setStage } from './stage.js';

const SECOND = '6dcb09b5b57875f334f61aebed695e2e4193db5e';
const THIRD = '7fd1a60b01f91b314f59955a4e4d4e80d8edf11d';

/** A file that fits alone, but not together with the change of the scene. */
const RATES = `diff --git a/src/rates.ts b/src/rates.ts
new file mode 100644
index 0000000..1f7a7a4
--- /dev/null
+++ b/src/rates.ts
@@ -0,0 +1,12 @@
${Array.from({ length: 12 }, (_, index) => `+export const RATE_OF_ZONE_${index} = ${index} / 100;`).join('\n')}
`;

/** What a push changes in the file that was shown. */
const FIX = `diff --git a/src/auth.ts b/src/auth.ts
index 9c4d5e6..77aa001 100644
--- a/src/auth.ts
+++ b/src/auth.ts
@@ -11 +11 @@
-  console.log(token);
+  console.log('read');
`;
const FIXED = CHANGE.replace('console.log(token)', "console.log('read')");

const CLEAN: readonly ModelReply[] = [calls(submit('I found nothing wrong.')), text('Reviewed.')];
const INPUTS = { 'max-diff-tokens': '215', 'check-run': 'true' };
const NOT_READ =
  'Not read: 1 beyond `max-diff-tokens` or what the model takes (`src/rates.ts`). Nothing is known about it';

async function stageWith(options: StageOptions = {}): Promise<Stage> {
  return await setStage({
    base: { 'axe/agents/reviewer.toml': REVIEWER },
    diff: CHANGE + RATES,
    model: [...CLEAN, ...CLEAN, ...CLEAN],
    ...options,
  });
}

/** The first message of the last conversation with the model. */
function asked({ model }: Stage): string {
  return model.prompts().at(-2)?.messages[0] ?? '';
}

it('the review, the summary and the check state what was not shown, and the next review shows it', async () => {
  const stage = await stageWith();
  const first = await stage.run({ inputs: INPUTS });
  expect(first.exitCode).toBe(0);
  expect(asked(stage)).toContain('console.log(token)');
  expect(asked(stage)).not.toContain('RATE_OF_ZONE_1 ');
  expect(stage.repo.talk.reviews[0]?.body).toContain(
    `<sub>Reviewed: 1 of 2 files at \`ec26c3e\`. ${NOT_READ} · `,
  );
  expect(first.summary).toContain(`\nReviewed: 1 of 2 files at \`ec26c3e\`. ${NOT_READ}.\n`);
  expect(stage.repo.talk.checkRuns).toMatchObject([
    { conclusion: 'neutral', title: 'No findings in 1 of 2 files' },
  ]);
  expect(first.annotations.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(
      /\(src\/rates\.ts\)\. Raise `max-diff-tokens`, take a model with a larger window, or leave files out with `paths`\.$/,
    ),
  );

  const second = await stage.run({ ...push(stage, SECOND, FIXED + RATES, FIX), inputs: INPUTS });
  expect(asked(stage)).toContain('1 file of the pull request was not shown to you before, or not whole.');
  expect(asked(stage)).toContain('+export const RATE_OF_ZONE_11 = 11 / 100;');
  expect(asked(stage)).not.toContain('The rest of the pull request');
  expect(second.summary).toContain(
    '\nReviewed: `ec26c3e..6dcb09b`, 1 of 2 files, and what was not read before.\n',
  );
  expect(second.summary).not.toContain('Not read');
  expect(stage.repo.talk.checkRuns[1]).toMatchObject({ conclusion: 'success', title: 'No findings · whole' });

  await stage.run({ ...push(stage, THIRD, FIXED + RATES, FIX), inputs: INPUTS });
  expect(asked(stage)).not.toContain('RATE_OF_ZONE_11');
  expect(asked(stage)).toContain('The rest of the pull request, 1 file: not changed since that review');
});

it('they state it again for as long as it does not fit', async () => {
  const stage = await stageWith();
  const inputs = { ...INPUTS, 'max-diff-tokens': '120' };
  await stage.run({ inputs });
  const second = await stage.run({ ...push(stage, SECOND, FIXED + RATES, FIX), inputs });
  expect(asked(stage)).toContain('added src/rates.ts +12 -0');
  expect(asked(stage)).toContain('Say in your answer what you have not seen');
  expect(second.summary).toContain(`\nReviewed: \`ec26c3e..6dcb09b\`, 1 of 2 files. ${NOT_READ}.\n`);
  expect(stage.repo.talk.checkRuns[1]).toMatchObject({
    conclusion: 'neutral',
    summary: expect.stringContaining(NOT_READ),
  });
});

it('an answer in a comment states it at its top', async () => {
  const stage = await setStage({ diff: DIFF + RATES, model: () => text('All is well.') });
  await stage.run({ inputs: { 'max-diff-tokens': '150' } });
  expect(stage.repo.comments[0]?.body).toContain(`-->\n*Read: 1 of 2 files. ${NOT_READ}.*\n\nAll is well.\n`);
});
