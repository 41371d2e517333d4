import {
  type CommentableLines,
  commentableLines,
  type PlacedFinding,
  placeOnLines,
} from '../../src/findings/change/diff-lines.js';
import { linesOfDiff, ShownFiles } from '../../src/findings/decide/evidence.js';
import { createHandle, type Finding, mintId } from '../../src/findings/finding.js';
import { parseDiff } from '../../src/lib/text/diff.js';

/**
 * What git prints for one change: a new and a deleted file, a binary one, a quoted path, a file
 * renamed as it was and one with changes, a missing newline at the end, three hunks, Windows line
 * ends.
 */
export const CHANGE = `diff --git a/fresh.ts b/fresh.ts
new file mode 100644
index 0000000..72ab60e
--- /dev/null
+++ b/fresh.ts
@@ -0,0 +1,2 @@
+export const a = 1;
+export const b = 2;
diff --git a/gone.ts b/gone.ts
deleted file mode 100644
index ff6e6b1..0000000
--- a/gone.ts
+++ /dev/null
@@ -1,3 +0,0 @@
-first
-second
-third
diff --git a/logo.png b/logo.png
index d0463d4..2ee55da 100644
Binary files a/logo.png and b/logo.png differ
diff --git a/moved-only.ts b/moved.ts
similarity index 100%
rename from moved-only.ts
rename to moved.ts
diff --git "a/na\\303\\257ve \\"file\\".ts" "b/na\\303\\257ve \\"file\\".ts"
index 814f4a4..99b356d 100644
--- "a/na\\303\\257ve \\"file\\".ts"\t
+++ "b/na\\303\\257ve \\"file\\".ts"\t
@@ -1,2 +1,2 @@
 one
-two
+2
diff --git a/no-end.txt b/no-end.txt
index 91896af..b9e9ab4 100644
--- a/no-end.txt
+++ b/no-end.txt
@@ -1,2 +1,3 @@
 alpha
-beta
\\ No newline at end of file
+beta
+gamma
\\ No newline at end of file
diff --git a/src/auth.ts b/src/auth.ts
index c1adcf6..0800b2a 100644
--- a/src/auth.ts
+++ b/src/auth.ts
@@ -7,7 +7,8 @@ line 6;
 line 7;
 line 8;
 line 9;
-line 10;
+query("SELECT " + user.id);
+return user;
 line 11;
 line 12;
 line 13;
@@ -37,7 +38,6 @@ line 36;
 line 37;
 line 38;
 line 39;
-line 40;
 line 41;
 line 42;
 line 43;
@@ -48,7 +48,7 @@ line 47;
 line 48;
 line 49;
 line 50;
-line 51;
+}
 line 52;
 line 53;
 line 54;
diff --git a/src/old-name.ts b/src/new-name.ts
similarity index 93%
rename from src/old-name.ts
rename to src/new-name.ts
index 9c83316..1cb4287 100644
--- a/src/old-name.ts
+++ b/src/new-name.ts
@@ -2,7 +2,7 @@ const v1 = 1;
 const v2 = 2;
 const v3 = 3;
 const v4 = 4;
-const v5 = 5;
+const v5 = five();
 const v6 = 6;
 const v7 = 7;
 const v8 = 8;
diff --git a/win.ts b/win.ts
index fd1a011..1c0acf6 100644
--- a/win.ts
+++ b/win.ts
@@ -1,2 +1,2 @@
 a();\r
-b();\r
+c();\r
`;

/** The commentable lines of {@link CHANGE}. */
export const LINES: CommentableLines = commentableLines(CHANGE);

/** A finding about the query in `src/auth.ts`, with other parts where a test names them. */
export function finding(parts: Partial<Finding> = {}): Finding {
  return {
    id: '0123456789abcdef',
    handle: 'FQ7K2',
    agent: 'bot',
    state: 'open',
    path: 'src/auth.ts',
    line: 10,
    side: 'RIGHT',
    title: 'The query is built from the id',
    body: 'The id reaches the query unescaped. Bind it.',
    category: 'security',
    effect: 'breach',
    reach: 'rare',
    severity: 'major',
    confidence: 'likely',
    evidence: [],
    ...parts,
  };
}

/** That finding in its place in {@link CHANGE}; its id follows from its place. */
export function placed(parts: Partial<Finding> = {}): PlacedFinding {
  const { path, title, line } = finding(parts);
  const id = mintId(`${path} ${title}`, line);
  return placeInDiff(finding({ id, handle: createHandle(id, () => false), ...parts }), LINES);
}

/** A finding that names its own lines. */
export function placeInDiff(named: Finding, lines: CommentableLines): PlacedFinding {
  const placement = placeOnLines(named, lines);
  const code = lines.get(named.path)?.[named.side].get(named.line)?.text ?? named.code;
  return { finding: { ...named, code }, placement };
}

/** What a finding is held against in a first review whose model was shown the diff. */
export function scopeRest(diff = CHANGE) {
  const shown = new ShownFiles(linesOfDiff(parseDiff(diff)));
  return {
    fresh: undefined,
    overrides: {},
    isRead: () => true,
    run: '7/1/review',
    shown,
    hasTitles: true,
    isInScope: () => true,
    isLaterReview: false,
  };
}
