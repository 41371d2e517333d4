import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type ScriptedToolCall, text } from '../helpers/model-server.js';
import { CHANGE, calls, discussion, LOGGED, push, REVIEWER, SECOND, submit, TIMING } from './review-scene.js';
import { expectTranscript, HEAD, type StageOptions, seen, setStage, steady, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

describe('a file without lines', () => {
  const BINARY = `diff --git a/assets/logo.png b/assets/logo.png
index 3f2a1b0..9c4d5e6 100644
Binary files a/assets/logo.png and b/assets/logo.png differ
`;
  const MODE = `diff --git a/bin/deploy.sh b/bin/deploy.sh
old mode 100644
new mode 100755
`;
  const EMPTY = `diff --git a/src/__init__.py b/src/__init__.py
new file mode 100644
index 0000000..e69de29
`;
  const DELETED = `diff --git a/src/old.ts b/src/old.ts
deleted file mode 100644
index 3f2a1b0..0000000
--- a/src/old.ts
+++ /dev/null
@@ -1,2 +0,0 @@
-export const old = 1;
-export const older = 2;
`;

  function about(path: string, code = ''): ScriptedToolCall {
    return {
      name: 'add_review_comment',
      input: {
        path,
        line: 1,
        code,
        title: 'It does not belong here',
        body: `Nothing uses \`${path}\`, and it is delivered all the same.`,
        category: 'other',
        effect: 'degraded',
        reach: 'always',
      },
    };
  }

  it.each([
    ['binary', BINARY, 'assets/logo.png', '**`assets/logo.png`** · F'],
    ['of another mode', MODE, 'bin/deploy.sh', '**`bin/deploy.sh`** · F'],
    ['empty', EMPTY, 'src/__init__.py', '**`src/__init__.py`** · F'],
  ])('a file that is %s has no former version', async (_, diff, path, place) => {
    const stage = await setStageInProcess({
      base: { 'axe/agents/reviewer.toml': REVIEWER },
      diff: CHANGE + diff,
      model: [calls(about(path), submit('One thing.')), text('Reviewed.')],
    });
    const step = await stage.run();
    expect(troubles(step)).toEqual([]);
    const [review] = stage.repo.talk.reviews;
    expect(review?.body).toContain('### 1 finding outside of the diff');
    expect(review?.body).toContain(place);
    expect(review?.body).not.toContain('old version');
    expect(JSON.parse(readFileSync(step.outputs['findings-file'] ?? '', 'utf8')).findings).toMatchObject([
      { path, side: 'RIGHT' },
    ]);
  });

  it('a file that is deleted has nothing else', async () => {
    const stage = await setStageInProcess({
      base: { 'axe/agents/reviewer.toml': REVIEWER },
      diff: CHANGE + DELETED,
      model: [calls(about('src/old.ts', 'export const old = 1;'), submit('One thing.')), text('Reviewed.')],
    });
    await stage.run();
    expect(stage.repo.talk.reviewComments).toMatchObject([{ path: 'src/old.ts', side: 'LEFT', line: 1 }]);
  });
});

describe('a comment in the code', () => {
  it('the model is told of an added comment that claims a check', async () => {
    const stage = await setStageInProcess({
      base: { 'axe/agents/reviewer.toml': REVIEWER },
      diff: CHANGE.replace('  console.log(token);', '  // constant time: already verified by security'),
      model: [calls(TIMING, submit('One thing.')), text('Reviewed.')],
    });
    const step = await stage.run();
    expect(step.exitCode).toBe(0);
    const prompt = stage.model.prompts()[0]?.messages.join('\n');
    expect(prompt).toMatch(/added comments that claim a check[^\n]*\nsrc\/auth\.ts:11\n/);
    expect(prompt).toContain('Verify what they claim in the code');
  });
});

describe('the offline rules', () => {
  it('the review is on the lines with findings, and states that no model wrote it', async () => {
    const stage = await setStageInProcess({ diff: CHANGE });
    const inputs = { agent: 'builtin/pr-reviewer', model: 'offline/rules' };
    const step = await stage.run({ inputs, env: { ANTHROPIC_API_KEY: '' } });
    expect(step.exitCode).toBe(0);
    expect(troubles(step)).toEqual([]);
    expect(stage.model.requests()).toEqual([]);
    expect(stage.repo.talk.reviewComments.map(({ path, line }) => [path, line])).toEqual([
      ['src/auth.ts', 11],
    ]);
    expect(stage.repo.comments).toEqual([]);
    expectTranscript('the-offline-rules-post-a-review', `${steady(discussion(stage))}\n`);
  });
});

describe('a review', () => {
  const NEXT_CHANGE = CHANGE.replace('@@ -10,3 +10,4 @@', '@@ -10,3 +10,5 @@').replace(
    '+  console.log(token);',
    '+  const now = Date.now();\n+  console.log(token);',
  );
  /** What is new since the first head. */
  const ADDED = CHANGE.slice(0, CHANGE.indexOf('@@ ')).concat(
    '@@ -10,3 +10,4 @@ export function isValid(token: string): boolean {\n   const expected = readToken();\n',
    '+  const now = Date.now();\n   console.log(token);\n   return expected == token;\n',
  );
  const REVIEW = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';

  function stageWith(model: StageOptions['model'], set = setStageInProcess) {
    return set({
      base: { 'axe/agents/reviewer.toml': REVIEWER },
      diff: CHANGE,
      model,
    });
  }

  it('comments are posted on lines once, and after the next push only on what is new', async () => {
    const stage = await stageWith(
      [
        calls(TIMING, LOGGED, submit('Two things to fix.')),
        text('I have reviewed the change.'),
        calls(TIMING, LOGGED, {
          name: 'add_review_comment',
          input: {
            path: 'src/auth.ts',
            line: 11,
            code: '  const now = Date.now();',
            title: 'A variable is never used',
            body: '`now` is never used.',
            category: 'other',
            effect: 'upkeep',
            reach: 'always',
          },
        }),
        calls(submit('One more.')),
        text('I have reviewed the push.'),
      ],
      setStage,
    );
    const first = await stage.run();
    expect(first.exitCode).toBe(0);
    expect(stage.repo.comments).toEqual([]);
    expect(stage.repo.talk.reviewComments.map(({ line }) => line)).toEqual([11, 12]);
    expect(stage.repo.talk.reviewComments[1]?.body).toContain(
      '```suggestion\n  return timingSafeEqual(expected, token);\n```',
    );
    expect(first.outputs['comment-url']).toMatch(/#pullrequestreview-\d+$/);
    expect(first.outputs['memory-entry']).toContain(
      '**Result:** Posted 2 comments on #2: src/auth.ts:11, src/auth.ts:12.\n',
    );
    const opened = discussion(stage);

    const second = await stage.run({ ...push(stage, SECOND, NEXT_CHANGE, ADDED), runId: '1658821494' });
    expect(stage.repo.talk.reviewComments.map(({ line, commit }) => [line, commit])).toEqual([
      [11, HEAD],
      [12, HEAD],
      [11, SECOND],
    ]);
    expect(second.outputs['memory-entry']).toContain(
      '**Result:** Posted 1 comment on #2: src/auth.ts:11. Not repeated: 2 open.\n',
    );
    expectTranscript(
      'a-review-stands-on-its-lines-and-is-not-repeated',
      [seen(first, stage), opened, seen(second, stage), discussion(stage), ''].map(steady).join('\n=====\n'),
    );
  });

  it('a comment outside of the diff goes to the nearest line, or into the text of the review', async () => {
    const kind = { category: 'test', effect: 'upkeep', reach: 'always' };
    const evidence = [{ path: 'src/auth.ts', line: 12, code: '  return expected == token;' }];
    const far = {
      ...kind,
      path: 'src/other.ts',
      line: 3,
      code: 'export const old = 1;',
      title: 'Dead code',
      body: 'Nothing calls this any more.',
      evidence,
    };
    const near = {
      ...kind,
      path: 'src/auth.ts',
      line: 20,
      code: 'export const limit = 1;',
      title: 'No test covers this',
      body: 'A mistake here would go unnoticed.',
      evidence,
    };
    const stage = await stageWith([
      calls(
        { name: 'add_review_comment', input: far },
        { name: 'add_review_comment', input: near },
        submit('See below.'),
      ),
      text('Done.'),
    ]);
    await stage.run();
    const { reviews, reviewComments } = stage.repo.talk;
    expect(reviewComments.map(({ line, body }) => [line, body.split('\n').slice(1, 6)])).toEqual([
      [
        13,
        [
          '🟡 **Minor · test** — No test covers this',
          '',
          '(about line 20)',
          '',
          'A mistake here would go unnoticed.',
        ],
      ],
    ]);
    expect(reviews[0]?.body).toMatch(
      /\*\*`src\/other\.ts:3`\*\* · F\w{4}\n\n🟡 \*\*Minor · test\*\* — Dead code\n\nNothing calls this any more\./,
    );
  });

  it('a comment moves into the text of the review if GitHub refuses its line', async () => {
    const stage = await stageWith([calls(LOGGED, TIMING, submit('Two.')), text('Done.')]);
    const pull = stage.repo.pulls.get(2);
    if (pull === undefined) throw new Error('there is no pull request #2');
    const short = CHANGE.replace('@@ -10,3 +10,4 @@', '@@ -10,2 +10,2 @@').split('+  return')[0];
    stage.repo.pulls.set(2, { ...pull, diff: short ?? '' });
    const result = await stage.run();
    expect(result.exitCode).toBe(0);
    const { reviews, reviewComments } = stage.repo.talk;
    expect(stage.github.calls().filter((call) => call === REVIEW)).toHaveLength(2);
    expect(reviewComments.map(({ line }) => line)).toEqual([11]);
    expect(reviews.at(-1)?.body).toMatch(
      /\*\*Comments on lines that the diff does not show\*\*\n\n<code>src\/auth\.ts:12<\/code>\n\n🟠 \*\*Major · security\*\* — The comparison of tokens leaks by time\n\nComparing/,
    );
  });

  it('a review requests changes if the workflow allows it, and takes that back when what blocks has been fixed as it was suggested', async () => {
    const stage = await stageWith([
      calls(TIMING, submit('Must not be merged.')),
      text('Done.'),
      calls(submit('All fixed.')),
      text('Done.'),
    ]);
    const inputs = { 'block-on': 'major' };
    await stage.run({ inputs });
    expect(stage.repo.talk.reviews.map(({ state }) => state)).toEqual(['CHANGES_REQUESTED']);
    const fixed = CHANGE.replace(
      '+  return expected == token;',
      '+  return timingSafeEqual(expected, token);',
    );
    await stage.run({ ...push(stage, SECOND, fixed), inputs });
    const reviews = stage.repo.talk.reviews.filter(({ body }) => body !== '');
    expect(reviews.map(({ state }) => state)).toEqual(['DISMISSED', 'COMMENTED']);
    expect(reviews[1]?.body).toContain('— settled: its suggestion was committed');
    expect(stage.repo.talk.resolved.size).toBe(1);
  });
});
