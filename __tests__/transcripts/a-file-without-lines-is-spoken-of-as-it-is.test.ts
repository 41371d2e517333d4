import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { type ScriptedToolCall, text } from '../helpers/model-server.js';
import { CHANGE, calls, REVIEWER, submit } from './review-scene.js';
import { setStage, troubles } from './stage.js';

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
  const stage = await setStage({
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
  const stage = await setStage({
    base: { 'axe/agents/reviewer.toml': REVIEWER },
    diff: CHANGE + DELETED,
    model: [calls(about('src/old.ts', 'export const old = 1;'), submit('One thing.')), text('Reviewed.')],
  });
  await stage.run();
  expect(stage.repo.talk.reviewComments).toMatchObject([{ path: 'src/old.ts', side: 'LEFT', line: 1 }]);
});
