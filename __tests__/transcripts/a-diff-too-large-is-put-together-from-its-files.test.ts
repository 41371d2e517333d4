import { expect, it } from '@jest/globals';
import { setStage, troubles } from './stage.js';

const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';

it('the review covers the hunks that GitHub lists and states that the diff is not complete', async () => {
  const stage = await setStage();
  const message = 'Sorry, the diff exceeded the maximum number of lines (20000)';
  stage.github.fail({ route: COMPARE, accept: 'diff', status: 406, body: { message } });
  const step = await stage.run();
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect(troubles(step)).toMatchObject([
    {
      level: 'warning',
      title: 'Context not complete',
      message: expect.stringMatching(/^GitHub did not send the diff whole; it was put together from /),
    },
  ]);
  expect(step.summary).toContain('- GitHub did not send the diff whole');
  const [prompt] = stage.model.prompts();
  expect(prompt?.messages.join()).toContain(`<third-party-text source="diff of pull request #2">
diff --git a/src/auth.ts b/src/auth.ts
--- a/src/auth.ts
+++ b/src/auth.ts
@@ -10,4 +10,4 @@ export function isValid(token: string): boolean {
   const expected = readToken();
-  return timingSafeEqual(expected, token);
+  return expected == token;
 }`);
  expect(stage.repo.comments).toHaveLength(1);
});

it('the review leaves out what does not fit into the message, and states how much', async () => {
  const line = `+const filler = '${'x'.repeat(90)}';\n`;
  const count = 3000;
  const diff = `diff --git a/src/big.ts b/src/big.ts
new file mode 100644
index 0000000..9c4d5e6
--- /dev/null
+++ b/src/big.ts
@@ -0,0 +1,${count} @@
${line.repeat(count)}`;
  const stage = await setStage({ diff });
  const step = await stage.run();
  expect(step.exitCode).toBe(0);
  expect(troubles(step)).toMatchObject([{ level: 'warning', title: 'Context cut to fit' }]);
  const message = stage.model.prompts()[0]?.messages.join() ?? '';
  expect(message).toContain('+const filler');
  expect(Buffer.byteLength(message)).toBeLessThan(220 * 1024);
});
