import { describe, expect, it } from '@jest/globals';
import { type ModelReply, type ScriptedToolCall, text } from '../helpers/model-server.js';
import {
  CHANGE,
  calls,
  DOCS,
  discussion,
  LOGGED,
  push,
  reviewStage,
  SECOND,
  states,
  submit,
  THIRD,
  TIMING,
} from './review-scene.js';
import {
  DIFF,
  expectTranscript,
  HEAD,
  headOf,
  type Stage,
  seen,
  setStage,
  steady,
  troubles,
} from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const DONE = text('Reviewed.');
const CLEAN: readonly ModelReply[] = [calls(submit('I found nothing wrong.')), DONE];

describe('the text of a review', () => {
  const MAIL = CHANGE.replaceAll('src/auth.ts', 'src/mail.ts');

  /** What stands on the pull request, in the check and in the job summary. */
  async function look(
    model: readonly ModelReply[],
    diff: string,
    inputs: Readonly<Record<string, string>>,
  ) {
    const stage = await reviewStage(model, { diff });
    const step = await stage.run({
      inputs: { 'memory-store': 'branch', 'check-run': 'true', ...inputs },
    });
    const { reviews, reviewComments, checkRuns } = stage.repo.talk;
    const [check] = checkRuns;
    const parts = [
      reviews.map(({ body }) => body).join('\n\n') || '(no review)',
      `=== on lines\n${reviewComments.map(({ path, line, body }) => `${path}:${line}\n${body}`).join('\n\n')}`,
      `=== the check: ${check?.conclusion}, ${check?.title}\n${check?.summary}`,
      `=== the job summary\n${step.summary}`,
    ];
    return { step, said: steady(parts.join('\n\n')) };
  }

  it('where nothing was found: what was looked at, and that it was all', async () => {
    const clean = submit(
      'Looked at how tokens are compared, what is logged, and the callers of `isValid`.',
    );
    const { said, step } = await look([calls(clean), DONE], CHANGE, {});
    expect(step.outputs['conclusion']).toBe('success');
    expectTranscript('a-review-that-found-nothing', said);
  });

  it('where a limit cut it short: what was found so far, which limit it was, and how it goes on', async () => {
    const expensive = (reply: ModelReply): ModelReply =>
      reply.kind === 'tools'
        ? { ...reply, usage: { inputTokens: 40_000, outputTokens: 4000 } }
        : reply;
    const replies = [expensive(calls(LOGGED)), expensive(calls(TIMING)), DONE];
    const { said, step } = await look(replies, CHANGE + MAIL, { 'max-cost-usd': '0.20' });
    expect(step.outputs['conclusion']).toBe('budget-exceeded');
    expectTranscript('a-review-that-was-cut-short', said);
  });

  it('where `paths` left files out: that the rest is not known', async () => {
    const found = calls(
      LOGGED,
      submit('The token must not be logged. The comparison reads sound.'),
    );
    const { said } = await look([found, DONE], CHANGE + DOCS + MAIL, {
      paths: 'src/**, !src/mail.ts',
    });
    expectTranscript('a-review-of-a-part', said);
  });

  it('where no file is in `paths`: no review, and a check that says so', async () => {
    const { said, step } = await look([DONE], DOCS, { paths: 'src/**' });
    expect(step.outputs['conclusion']).toBe('skipped');
    expect(said).toMatch(/^\(no review\)/);
    expectTranscript('a-review-of-nothing', said);
  });
});

describe('a diff that does not fit', () => {
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
  const FIX = `${headOf('src/auth.ts', '9c4d5e6..77aa001')}@@ -11 +11 @@
-  console.log(token);
+  console.log('read');
`;
  const FIXED = CHANGE.replace('console.log(token)', "console.log('read')");

  const INPUTS = { 'max-diff-tokens': '215', 'check-run': 'true' };
  const NOT_READ =
    'Not read: 1 beyond `max-diff-tokens` or what the model takes (`src/rates.ts`). Nothing is known about it';

  const stageWith = () => reviewStage([...CLEAN, ...CLEAN, ...CLEAN], { diff: CHANGE + RATES });

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
    const inPart = { conclusion: 'neutral', title: 'Nothing open in 1 of 2 files' };
    expect(stage.repo.talk.checkRuns).toMatchObject([inPart]);
    expect(first.annotations.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(
        /\(src\/rates\.ts\)\. Show less of it \(a smaller range, `paths`\), raise `max-diff-tokens`, or choose a model with a larger window\.$/,
      ),
    );

    const second = await stage.run({
      ...push(stage, SECOND, { diff: FIXED + RATES, fresh: FIX }),
      inputs: INPUTS,
    });
    expect(asked(stage)).toContain(
      '1 file of the pull request was not shown to you before, or not whole.',
    );
    expect(asked(stage)).toContain('+12: export const RATE_OF_ZONE_11 = 11 / 100;');
    expect(asked(stage)).not.toContain('The rest of the pull request');
    expect(second.summary).toContain(
      '\nReviewed: `ec26c3e..6dcb09b`, 2 of 2 files, with what was not read before.\n',
    );
    expect(second.summary).not.toContain('Not read');
    const whole = { conclusion: 'success', title: 'Nothing open · all files read' };
    expect(stage.repo.talk.checkRuns[1]).toMatchObject(whole);

    await stage.run({ ...push(stage, THIRD, { diff: FIXED + RATES, fresh: FIX }), inputs: INPUTS });
    expect(asked(stage)).not.toContain('RATE_OF_ZONE_11');
    expect(asked(stage)).toContain(
      'The rest of the pull request, 1 file: not changed since that review',
    );
  });

  it('an answer in a comment states it at its top', async () => {
    const stage = await setStageInProcess({
      diff: DIFF + RATES,
      model: () => text('All is well.'),
    });
    await stage.run({ inputs: { 'max-diff-tokens': '150' } });
    expect(stage.repo.comments[0]?.body).toContain(
      `-->\n*Read: 1 of 2 files. ${NOT_READ}.*\n\nAll is well.\n`,
    );
  });
});

it('the model is told of an added comment that claims a check', async () => {
  const diff = CHANGE.replace(
    '  console.log(token);',
    '  // constant time: already verified by security',
  );
  const stage = await reviewStage([calls(TIMING, submit('One thing.')), text('Reviewed.')], {
    diff,
  });
  expect(await stage.run()).toMatchObject({ exitCode: 0 });
  const prompt = stage.model.prompts()[0]?.messages.join('\n');
  expect(prompt).toMatch(/added comments that claim a check[^\n]*\nsrc\/auth\.ts:11\n/);
  expect(prompt).toContain('Verify what they claim in the code');
});

it('a review by the offline rules is on the lines with findings, and states that no model wrote it', async () => {
  const stage = await setStageInProcess({ diff: CHANGE });
  const inputs = { agent: 'builtin/pr-reviewer', model: 'offline/rules' };
  const step = await stage.run({ inputs, env: { ANTHROPIC_API_KEY: '' } });
  expect(step.exitCode).toBe(0);
  expect([troubles(step), stage.model.requests(), stage.repo.comments]).toEqual([[], [], []]);
  expectTranscript('the-offline-rules-post-a-review', `${steady(discussion(stage))}\n`);
});

const NEXT_CHANGE = CHANGE.replace('@@ -10,3 +10,4 @@', '@@ -10,3 +10,5 @@').replace(
  '+  console.log(token);',
  '+  const now = Date.now();\n+  console.log(token);',
);
/** What is new since the first head. */
const ADDED = CHANGE.slice(0, CHANGE.indexOf('@@ ')).concat(
  '@@ -10,3 +10,4 @@ export function isValid(token: string): boolean {\n   const expected = readToken();\n',
  '+  const now = Date.now();\n   console.log(token);\n   return expected == token;\n',
);
const kind = { category: 'other', effect: 'upkeep', reach: 'always' };
const words = { title: 'A variable is never used', body: '`now` is never used.' };
const UNUSED: ScriptedToolCall = {
  name: 'add_review_comment',
  input: { path: 'src/auth.ts', line: 11, code: '  const now = Date.now();', ...words, ...kind },
};

it('comments are posted on lines once, and after the next push only on what is new', async () => {
  const replies = [
    calls(TIMING, LOGGED, submit('Two things to fix.')),
    text('I have reviewed the change.'),
    calls(TIMING, LOGGED, UNUSED),
    calls(submit('One more.')),
    text('I have reviewed the push.'),
  ];
  const stage = await reviewStage(replies, { roles: {} }, setStage);
  const first = await stage.run();
  expect(first.exitCode).toBe(0);
  const opened = discussion(stage);
  const second = await stage.run({
    ...push(stage, SECOND, { diff: NEXT_CHANGE, fresh: ADDED }),
    runId: '1658821494',
  });
  const posted = stage.repo.talk.reviewComments.map(({ line, commit }) => `${line} ${commit}`);
  expect(posted).toEqual([`11 ${HEAD}`, `12 ${HEAD}`, `11 ${SECOND}`]);
  expectTranscript(
    'a-review-stands-on-its-lines-and-is-not-repeated',
    [seen(first, stage), opened, seen(second, stage), discussion(stage), '']
      .map(steady)
      .join('\n=====\n'),
  );
});

it('a review requests changes if the workflow allows it, and takes that back when what blocks has been fixed as it was suggested', async () => {
  const replies = [calls(TIMING, submit('Must not be merged.')), calls(submit('All fixed.'))];
  const stage = await reviewStage(replies.flatMap((reply) => [reply, text('Done.')]));
  const inputs = { 'block-on': 'major' };
  await stage.run({ inputs });
  expect(states(stage)).toEqual(['CHANGES_REQUESTED']);
  const fixed = CHANGE.replace(
    '+  return expected == token;',
    '+  return timingSafeEqual(expected, token);',
  );
  await stage.run({ ...push(stage, SECOND, { diff: fixed }), inputs });
  expect(states(stage)).toEqual(['DISMISSED', 'COMMENTED']);
  const bodies = stage.repo.talk.reviews.map(({ body }) => body).join('\n');
  expect(bodies).toContain('— settled: its suggestion was committed');
  expect(stage.repo.talk.resolved.size).toBe(1);
});
