import { rightsOf } from '../../src/event/trust.js';
import {
  type BufferedPublications,
  NO_PUBLICATIONS,
} from '../../src/findings/buffered-publications.js';
import { commentableLines, type PlacedFinding } from '../../src/findings/change/diff-lines.js';
import {
  applyToLedger,
  type Ledger,
  type LedgerContext,
} from '../../src/findings/decide/ledger.js';
import { createHandle, type Finding, mintId } from '../../src/findings/finding.js';
import { recordOfPull } from '../../src/findings/kept-finding.js';
import type { Settlement } from '../../src/findings/known-finding.js';
import {
  factsToKeep,
  turnConversations,
  updateCopy,
} from '../../src/findings/post/conversations.js';
import type { ReviewToPost } from '../../src/findings/post/finding-texts.js';
import { postReview } from '../../src/findings/post/post-review.js';
import { readLedger } from '../../src/findings/read/read-ledger.js';
import type { GitHubClient } from '../../src/github/client/client.js';
import { warningText } from '../../src/lib/errors.js';
import { createGitHubPort } from '../../src/run/github.js';
import { type Hello, startHello } from '../github/hello-fixture.js';
import { noAbort } from '../helpers/github-client-fake.js';
import { pullRequest } from '../helpers/triggers.js';
import { finding, placeInDiff } from './change.js';
import { posting } from './threads.js';

/** Two lines that say which they are, one that does not, and the same far below. */
export const CODE = `diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,5 @@
 one
-two
+const key = sort(name, rows);
+const total = count(rows, key);
+}
 four
@@ -20,2 +22,3 @@
 twenty
+return find(total, key);
 last
`;

/** Pull request 42 with that change. */
export async function startPull(): Promise<Hello> {
  const hello = await startHello();
  push(hello, CODE, hello.headSha);
  return hello;
}

/** The next commit of the pull request. */
export function push({ repo }: Hello, diff: string, sha = 'd'.repeat(40)): string {
  const pull = repo.pulls.get(42);
  if (pull === undefined) throw new Error('no pull request');
  repo.pulls.set(42, { ...pull, head: { ...pull.head, sha }, diff });
  return sha;
}

/** A finding in its place in that change. */
export function placed(patch: Partial<Finding> = {}): PlacedFinding {
  const { line = 2, title = 'It is wrong' } = patch;
  const id = mintId(title, line);
  const handle = createHandle(id, () => false);
  const words = { title, body: 'Wrong.', category: 'correctness' } as const;
  const rest = { path: 'src/a.ts', line, effect: undefined, reach: undefined };
  return placeInDiff(finding({ id, handle, ...words, ...rest, ...patch }), commentableLines(CODE));
}

/** What a test decides besides what the run publishes. */
export interface PostScene
  extends Partial<Omit<ReviewToPost, 'ledger' | 'news' | 'buffered'>>,
    Partial<Pick<LedgerContext, 'lines' | 'record' | 'isFork' | 'isPushByWriter' | 'keepsState'>> {
  readonly client?: GitHubClient;
}

/** Findings as a run of the agent `bot` reads them. hubot may write, nobody else. */
export async function readPull(
  { client, repo }: Hello,
  { agent = 'bot', word = 'own', blockOn = 'major', ...rest }: PostScene = {},
): Promise<Ledger> {
  const { record, keepsState, isFork = false, isPushByWriter = false } = rest;
  const answer = await createGitHubPort(client, pullRequest())?.said(
    42,
    { isFresh: true },
    noAbort(),
  );
  return readLedger(answer?.kind === 'read' ? answer.seen : undefined, {
    agent,
    lines: 'lines' in rest ? rest.lines : commentableLines(repo.pulls.get(42)?.diff ?? ''),
    isFork,
    rights: rightsOf(word),
    isPushByWriter,
    gate: blockOn,
    record,
    keepsState,
    authorMayWrite: true,
    lessons: [],
    isWriter: (login) => repo.roles.get(login) === 'write',
  });
}

/** What a run wants, or what it wants of the findings that it knows. */
export type Wanted = Partial<BufferedPublications> | Acts;

type Acts = (ledger: Ledger) => Partial<BufferedPublications>;

/** The model, and whoever looks a second time, ends the finding of this title. */
export function settle(how: Settlement['how'], title = 'It is wrong', by = ''): Acts {
  return ({ findings }) => ({
    review: { summary: 'Looked again.' },
    settlements: findings
      .filter((one) => one.title === title)
      .map((finding) => ({
        finding,
        how,
        reason: 'It is @bound now.',
        evidence: [],
        by,
        isAgreed: true,
      })),
  });
}

/** The model raises again what it knows under this title. */
export function repeat(title = 'It is wrong', patch: Partial<Finding> = {}): Acts {
  return ({ findings }) => ({
    review: { summary: 'Looked again.' },
    repeated: findings
      .filter((one) => one.title === title)
      .map((of) => ({ of, finding: { ...placed().finding, ...patch } })),
  });
}

/** Posts the review of the agent `bot` on pull request 42, at its newest commit. */
export async function publish(hello: Hello, wanted: Wanted, scene: PostScene = {}) {
  const client = 'client' in scene ? scene.client : hello.client;
  const warnings: string[] = [];
  const ledger = await readPull(hello, scene);
  const buffered = {
    ...NO_PUBLICATIONS,
    ...(typeof wanted === 'function' ? wanted(ledger) : wanted),
  };
  const knew = new Set(ledger.findings.map(({ id }) => id));
  const review = posting({
    agent: 'bot',
    head: hello.repo.pulls.get(42)?.head.sha,
    ledger,
    news: applyToLedger(ledger, buffered, knew, undefined),
    buffered,
    blockOn: 'major',
    extent: 'whole',
    warn: (warning) => void warnings.push(warningText(warning)),
    clean: (markdown) => markdown.replaceAll('@', ''),
    ...scene,
  });
  if (client !== undefined && review.isOver) {
    await turnConversations(client, review);
    await updateCopy(client, review);
  }
  const kept = recordOfPull(factsToKeep(review), 42);
  const part = await postReview(client, review);
  return { part, warnings, kept, open: part.review?.open.length };
}
