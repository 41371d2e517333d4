import { lastCommit } from '../adapters/host/git.js';
import type { LocalChange } from '../core/prompt/context.js';

/** The change the demo reviews, and where it is from. */
export interface DemoChange {
  readonly change: LocalChange;
  readonly origin: string;
}

/** The last commit of the repository we stand in; where there is no git history, a small change of our own. */
export async function findDemoChange(cwd: string, signal: AbortSignal): Promise<DemoChange> {
  const commit = await lastCommit(cwd, signal);
  if (commit !== undefined) {
    const change = { range: `${commit.sha} ${commit.subject}`, diff: commit.diff };
    return { change, origin: `the last commit of ${cwd}: ${change.range}` };
  }
  return {
    change: { range: 'of the demo', diff: BUNDLED_DIFF },
    origin: 'a small change that comes with the demo, because there is no git history here',
  };
}

const BUNDLED_DIFF = `diff --git a/src/greeting.ts b/src/greeting.ts
index 3b18e51..9c6f2ad 100644
--- a/src/greeting.ts
+++ b/src/greeting.ts
@@ -1,3 +1,8 @@
 export function greeting(name: string): string {
-  return 'Hello, ' + name;
+  // TODO: translate
+  console.log('greeting', name);
+  if (name === '') {
+    return 'Hello';
+  }
+  return \`Hello, \${name}\`;
 }
`;
