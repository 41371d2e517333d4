import { orGitHubError, repositoryParams } from '../src/github/client/ask.js';
import { GitHubError } from '../src/github/client/errors.js';
import { knownRefusal } from '../src/github/client/refusals.js';
import { publishCheckRun, readCheckRun } from '../src/github/posting/check-run.js';
import { replyInThread, setThreadResolved } from '../src/github/posting/comments.js';
import { commitEdits, type FileEdits, proposeChange } from '../src/github/posting/commit-edits.js';
import { addReaction } from '../src/github/posting/issues.js';
import { dismissReviews, editReview, publishReview } from '../src/github/posting/review.js';
import { fetchComparedDiff } from '../src/github/reading/changes.js';
import { fetchTexts } from '../src/github/reading/contents.js';
import { fetchPermission } from '../src/github/reading/permission.js';
import { fetchSubject } from '../src/github/reading/subject.js';
import { createBranchStore } from '../src/memory/stores/branch/branch-store.js';
import { createMemoryBranch } from '../src/memory/stores/branch/memory-branch.js';
import type { Mark } from '../src/safety/mark.js';
import {
  type Assumption,
  BRANCH_PREFIX,
  branchNames,
  type LeftThread,
  type Outcome,
  type Scene,
} from './live-check.js';

/** The file that the pull request of a check changes. */
const PATH = 'axe-live/sample.js';
const BEFORE = Array.from({ length: 30 }, (_, index) => `const line${index + 1} = ${index + 1};`);
/** Line 10 is changed, and line 20 removed. */
const AFTER = BEFORE.with(9, 'const line10 = 100;').toSpliced(19, 1);

const bytesOf = (lines: readonly string[]) => new TextEncoder().encode(`${lines.join('\n')}\n`);

/** In the order in which they are tried: later ones use what earlier ones left. */
export const ASSUMPTIONS: readonly Assumption[] = [
  {
    id: 'memory-rules',
    assumes: 'the rules of a branch can be asked for before it exists',
    async try({ client, repository, id, signal }) {
      const route = 'GET /repos/{owner}/{repo}/rules/branches/{branch}';
      const params = { ...repositoryParams(repository), branch: branchNames(id).memory };
      const { body } = await client.request(route, { params, signal });
      return { holds: Array.isArray(body), seen: JSON.stringify(body) };
    },
  },
  {
    id: 'memory-create',
    assumes: 'the token can create a branch without a parent by REST (trees, commits, refs)',
    async try(scene) {
      const change = { files: new Map([['a.md', 'one\n']]), message: 'First' };
      const made = await memoryBranch(scene).create(change, scene.signal);
      if (made.kind !== 'committed') return { holds: false, seen: wordsOf(made) };
      scene.left.memory = made.version;
      return { holds: true, seen: made.version.slice(0, 7) };
    },
  },
  {
    id: 'memory-signed',
    assumes: 'GitHub signs a commit that REST makes without author and committer',
    needs: 'memory',
    try: async (scene) => await signatureOf(scene, scene.left.memory ?? ''),
  },
  {
    id: 'ref-exists',
    assumes: 'creating a branch that exists is refused in words that we know',
    needs: 'memory',
    async try({ client, repository, id, left, signal }) {
      const ref = `refs/heads/${branchNames(id).memory}`;
      const params = { ...repositoryParams(repository), ref, sha: left.memory };
      const route = 'POST /repos/{owner}/{repo}/git/refs';
      return isMoved(await orGitHubError(client.request(route, { params, signal })));
    },
  },
  {
    id: 'commit-signed',
    assumes: 'GitHub signs a commit of createCommitOnBranch',
    needs: 'memory',
    async try(scene) {
      const change = { files: new Map([['a.md', 'two\n']]), message: 'Second' };
      const next = await memoryBranch(scene).commit(scene.left.memory ?? '', change, scene.signal);
      return next.kind === 'committed'
        ? await signatureOf(scene, next.version)
        : { holds: false, seen: wordsOf(next) };
    },
  },
  {
    id: 'commit-moved',
    assumes: 'createCommitOnBranch on an old head is refused in words that we know',
    needs: 'memory',
    async try({ client, repository, id, left, signal }) {
      const query = `mutation ($input: CreateCommitOnBranchInput!) {
        createCommitOnBranch(input: $input) { commit { oid } }
      }`;
      const fullName = `${repository.owner}/${repository.name}`;
      const input = {
        branch: { repositoryNameWithOwner: fullName, branchName: branchNames(id).memory },
        expectedHeadOid: left.memory,
        message: { headline: 'Late' },
        fileChanges: { additions: [{ path: 'b.md', contents: 'Yg==' }] },
      };
      return isMoved(await orGitHubError(client.graphql(query, { variables: { input }, signal })));
    },
  },
  {
    id: 'refs-moved',
    assumes: 'updateRefs with a wrong `beforeOid` is refused in words that we know',
    needs: 'memory',
    async try({ client, repository, id, left, signal }) {
      const { owner, name } = repository;
      const idQuery = `query ($owner: String!, $name: String!) {
        repository(owner: $owner, name: $name) { id }
      }`;
      const found = await client.graphql(idQuery, { variables: { owner, name }, signal });
      const repositoryId = (found as { repository: { id: string } }).repository.id;
      const query = `mutation ($input: UpdateRefsInput!) {
        updateRefs(input: $input) { clientMutationId }
      }`;
      const ref = `refs/heads/${branchNames(id).memory}`;
      const refUpdates = [
        { name: ref, beforeOid: left.memory, afterOid: left.memory, force: true },
      ];
      const variables = { input: { repositoryId, refUpdates } };
      return isMoved(await orGitHubError(client.graphql(query, { variables, signal })));
    },
  },
  {
    id: 'memory-read',
    assumes: 'a query reads what was written just before it',
    needs: 'memory',
    async try(scene) {
      const read = await memoryBranch(scene).read(['a.md'], scene.signal);
      if (read.kind !== 'found') return { holds: false, seen: wordsOf(read) };
      const text = read.files.get('a.md');
      return { holds: text === 'two\n', seen: JSON.stringify(text) };
    },
  },
  {
    id: 'snapshot',
    assumes: 'a save on an old snapshot is refused, and saved on top of the newest commit',
    needs: 'memory',
    async try(scene) {
      const [ours, theirs] = [memoryStore(scene), memoryStore(scene)];
      await ours.readTree(scene.signal, ['log.md']);
      const saved = [];
      for (const [store, text] of [
        [theirs, 'theirs'],
        [ours, 'ours'],
      ] as const)
        saved.push(
          await store.write(
            [{ kind: 'append', path: 'log.md', text: `${text}\n`, id: text }],
            scene.signal,
          ),
        );
      const tree = await memoryStore(scene).readTree(scene.signal, ['log.md']);
      const text = tree.kind === 'failed' ? tree.message : (tree.tree.get('log.md') ?? '');
      const holds = saved.every(({ kind }) => kind === 'saved') && text === 'theirs\nours\n';
      const attempts = saved.map((each) => (each.kind === 'saved' ? each.attempts : each.message));
      return { holds, seen: `attempts: ${attempts.join(', ')}` };
    },
  },
  {
    id: 'squash',
    assumes: 'updateRefs replaces the history of a branch by one commit',
    needs: 'memory',
    async try(scene) {
      const branch = memoryBranch(scene);
      const read = await branch.read([], scene.signal);
      if (read.kind !== 'found') return { holds: false, seen: wordsOf(read) };
      const squashed = await branch.squash(read.head, 'All', scene.signal);
      return { holds: squashed.kind === 'committed', seen: wordsOf(squashed) };
    },
  },
  {
    id: 'aliases',
    assumes: 'one query with aliases reads many files, and leaves out those that do not exist',
    needs: 'memory',
    async try({ client, repository, id, signal }) {
      const branch = branchNames(id).memory;
      const names = ['a.md', 'missing.md', 'log.md'].map((path) => `${branch}:${path}`);
      const texts = await fetchTexts(client, repository, names, signal);
      const seen = names.map((name) => texts.get(name)?.text ?? null);
      return {
        holds: seen[0] === 'two\n' && seen[1] === null && seen[2] !== null,
        seen: JSON.stringify(seen),
      };
    },
  },
  {
    id: 'archive',
    assumes: "an archive's address leads to another host, which needs no token",
    async try({ apiUrl, repository, token, fetch, signal }) {
      const { owner, name, defaultBranch } = repository;
      const address = `${apiUrl}/repos/${owner}/${name}/tarball/${defaultBranch}`;
      const headers = { authorization: `Bearer ${token}`, 'user-agent': 'axe-action live check' };
      const answer = await fetch(address, { headers, redirect: 'manual', signal });
      const target = answer.headers.get('location');
      if (answer.status !== 302 || target === null)
        return { holds: false, seen: `status ${answer.status}` };
      const archive = await fetch(target, { signal, redirect: 'error' });
      const { host } = new URL(target);
      return {
        holds: archive.ok && host !== new URL(apiUrl).host,
        seen: `302 to ${host}, then ${archive.status}`,
      };
    },
  },
  {
    id: 'pull',
    assumes: 'a branch, a commit by GitHub and a pull request can be made',
    async try(scene) {
      const { client, repository, id, signal, left, leftBehind } = scene;
      const { base, head } = branchNames(id);
      const here = repositoryParams(repository);
      const newest = await client.request('GET /repos/{owner}/{repo}/git/ref/{ref}', {
        params: { ...here, ref: `heads/${repository.defaultBranch}` },
        signal,
      });
      const { sha } = (newest.body as { readonly object: { readonly sha: string } }).object;
      const ref = { ...here, ref: `refs/heads/${base}`, sha };
      await client.request('POST /repos/{owner}/{repo}/git/refs', { params: ref, signal });
      const sample: FileEdits = new Map([[PATH, { before: undefined, after: bytesOf(BEFORE) }]]);
      const message = { headline: 'Add a sample [skip ci]' };
      await commitEdits(client, { repository, branch: base, edits: sample, message }, signal);

      const edits: FileEdits = new Map([
        [PATH, { before: bytesOf(BEFORE), after: bytesOf(AFTER) }],
      ]);
      const texts = {
        message: 'Change the sample [skip ci]',
        title: `Live check ${id}`,
        body: 'Made by `npm run live`, which closes it at its end.',
      };
      const change = { repository, base, branch: head, edits, mark: markOf(scene), ...texts };
      const { number } = await proposeChange(client, change, signal);
      leftBehind.push(`pull request #${number}, closed`);
      const { pull } = await fetchSubject(client, { repository, number, isPull: true }, signal);
      left.pull = { number, head: pull?.head.sha ?? '', base: pull?.base.sha ?? '' };
      return { holds: left.pull.head !== '', seen: `#${number}` };
    },
  },
  {
    id: 'diff',
    assumes: 'the comparison of base and head is the diff of the pull request',
    needs: 'pull',
    async try({ client, repository, signal, left }) {
      const { number = 0, base = '', head = '' } = left.pull ?? {};
      const pair = { repository, base, head, pull: number };
      const { diff } = await fetchComparedDiff(client, pair, signal);
      const lines = ['-const line10 = 10;', '+const line10 = 100;', '-const line20 = 20;'];
      return {
        holds: lines.every((line) => diff.includes(`\n${line}\n`)),
        seen: `${diff.length} characters`,
      };
    },
  },
  {
    id: 'review',
    assumes: 'one review has comments on an added, a removed and a context line, and on a range',
    needs: 'pull',
    async try(scene) {
      const { client, signal, left } = scene;
      const comments = [
        lineComment(10, 'RIGHT'),
        lineComment(20, 'LEFT'),
        lineComment(12, 'RIGHT'),
        { ...lineComment(10, 'RIGHT'), startLine: 8 },
      ];
      const posted = await publishReview(client, { ...reviewOf(scene), comments }, signal);
      const { pull } = await fetchSubject(client, { ...placeOf(scene), isPull: true }, signal);
      const places = (pull?.threads ?? []).map(({ side, line }) => `${side} ${line}`).toSorted();
      const [thread] = pull?.threads ?? [];
      if (thread !== undefined)
        left.thread = { pull: placeOf(scene).number, id: thread.id, commentId: thread.first.id };
      return { holds: posted.created && places.length === 4, seen: places.join(', ') };
    },
  },
  {
    id: 'review-once',
    assumes: 'a review is found again by its mark, and not posted twice',
    needs: 'thread',
    async try(scene) {
      const { client, signal } = scene;
      if (scene.left.pull === undefined) return { holds: false, seen: 'no pull request' };
      const posted = await publishReview(client, { ...reviewOf(scene), comments: [] }, signal);
      return { holds: !posted.created, seen: 'found' };
    },
  },
  {
    id: 'review-event',
    assumes: 'a request for changes on a pull request of the same account is refused as we know it',
    needs: 'pull',
    async try(scene) {
      const { client, signal } = scene;
      const draft = {
        ...reviewOf(scene, '-event'),
        event: 'REQUEST_CHANGES',
        comments: [],
      } as const;
      const posted = await publishReview(client, draft, signal);
      if (posted.event === 'REQUEST_CHANGES') {
        const { pull } = await fetchSubject(client, { ...placeOf(scene), isPull: true }, signal);
        const asking = (pull?.reviews ?? []).filter(({ state }) => state === 'CHANGES_REQUESTED');
        const ids = asking.map(({ id }) => id);
        await dismissReviews(client, { ...placeOf(scene), ids, message: 'Done' }, signal);
      }
      return { holds: posted.event === 'COMMENT', seen: `posted as ${posted.event}` };
    },
  },
  {
    id: 'bad-line',
    assumes: 'a comment on a line outside of the diff is refused in words that we know',
    needs: 'pull',
    async try(scene) {
      const comments = [{ ...lineComment(900, 'RIGHT'), inText: 'In the text.' }];
      const draft = { ...reviewOf(scene, '-line'), comments };
      const posted = await publishReview(scene.client, draft, scene.signal);
      return { holds: posted.created, seen: 'it went into the text of the review' };
    },
  },
  {
    id: 'review-edit',
    assumes: 'the text of a posted review can be changed',
    needs: 'pull',
    async try(scene) {
      const { client, signal } = scene;
      const read = async () =>
        (await fetchSubject(client, { ...placeOf(scene), isPull: true }, signal)).pull?.reviews ??
        [];
      const [review] = await read();
      if (review === undefined) return { holds: false, seen: 'no review of ours' };
      const body = `${review.body}\n\nChanged.`;
      await editReview(client, { ...placeOf(scene), id: review.id, body }, signal);
      const changed = (await read()).find(({ id }) => id === review.id);
      return { holds: changed?.body.endsWith('Changed.') === true, seen: changed?.state ?? 'gone' };
    },
  },
  {
    id: 'subject',
    assumes: 'the one query of a pull request is answered as a whole, with its checks',
    needs: 'pull',
    async try(scene) {
      const { client, signal, left } = scene;
      const { head } = left.pull ?? {};
      left.subject = await fetchSubject(client, { ...placeOf(scene), isPull: true, head }, signal);
      const { checks, commits, linkedIssues } = left.subject.pull ?? {};
      const refused = [checks?.refused, commits, linkedIssues].find(
        (part) => part instanceof GitHubError,
      );
      if (refused instanceof GitHubError) throw refused;
      return { holds: true, seen: 'whole' };
    },
  },
  {
    id: 'viewer',
    assumes: '`viewerDidAuthor` is true for what this token wrote',
    needs: 'subject',
    async try({ left }) {
      const threads = left.subject?.pull?.threads ?? [];
      const ours = threads.filter(({ first }) => first.isOurs);
      const holds = threads.length > 0 && ours.length === threads.length;
      return { holds, seen: `${ours.length} of ${threads.length}` };
    },
  },
  {
    id: 'reply',
    assumes: 'a reply in a conversation is found again, and not posted twice',
    needs: 'subject',
    async try(scene) {
      const { client, signal, left } = scene;
      const { commentId = 0 } = left.thread ?? {};
      const mark = { ...markOf(scene), kind: 'answer' };
      const reply = { ...placeOf(scene), commentId, mark, body: 'A reply.' };
      const first = await replyInThread(client, { ...reply, firstId: commentId }, signal);
      const second = await replyInThread(client, reply, signal);
      return {
        holds: first.created && !second.created,
        seen: second.created ? 'posted twice' : 'found',
      };
    },
  },
  {
    id: 'react',
    assumes: 'the token can react to a comment on a line',
    needs: 'subject',
    async try({ client, repository, signal, left }) {
      const subject = { kind: 'review-comment', id: left.thread?.commentId ?? 0 } as const;
      await addReaction(client, { repository, subject, content: 'eyes' }, signal);
      return { holds: true, seen: '👀' };
    },
  },
  {
    id: 'resolve',
    assumes: '`viewerCanResolve` says whether the token can resolve a conversation',
    isAboutRefusal: true,
    async try(scene) {
      const { client, signal, left } = scene;
      const thread = left.thread ?? (await earlierThread(scene));
      if (thread === undefined) return { holds: undefined, seen: 'no check left a conversation' };
      const { id } = thread;
      const said = await canResolve(scene, thread);
      const resolved = await setThreadResolved(client, { id, isResolved: true }, signal);
      const opened =
        resolved && (await setThreadResolved(client, { id, isResolved: false }, signal));
      const holds = said === resolved && opened === resolved;
      return { holds, seen: `viewerCanResolve ${said}, resolved ${resolved}, opened ${opened}` };
    },
  },
  {
    id: 'permission',
    assumes: "the token can ask for anybody's permission",
    async try({ client, repository, actor, signal }) {
      const accounts = { 'the actor': actor, octocat: 'octocat' };
      const answers = [];
      for (const login of Object.values(accounts))
        answers.push(await fetchPermission(client, { repository, login }, signal));
      const names = Object.keys(accounts);
      const seen = answers.map((answer, index) =>
        answer.kind === 'known' ? `${names[index]}: ${answer.permission}` : answer.message,
      );
      return { holds: answers.every(({ kind }) => kind === 'known'), seen: seen.join(', ') };
    },
  },
  {
    id: 'check-run',
    assumes: 'the token can write a check run, and finds it again',
    needs: 'pull',
    async try({ client, repository, id, signal, left }) {
      const key = { repository, headSha: left.pull?.head ?? '', name: `live-${id}` };
      const texts = { title: 'Live check', summary: 'Made by `npm run live`.' };
      const report = { ...key, ...texts, conclusion: 'neutral', annotations: [] } as const;
      await publishCheckRun(client, report, { signal });
      const found = await readCheckRun(client, key, signal);
      return { holds: found?.conclusion === 'neutral', seen: found?.conclusion ?? 'not found' };
    },
  },
  {
    id: 'suite',
    assumes: 'a check run has a suite, which can be that of another workflow',
    needs: 'pull',
    async try({ client, repository, id, signal, left }) {
      const { body } = await client.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
        params: { ...repositoryParams(repository), ref: left.pull?.head, check_name: `live-${id}` },
        signal,
      });
      const { check_runs: runs } = body as {
        readonly check_runs: readonly { readonly check_suite: { readonly id: number } | null }[];
      };
      if (runs.length === 0) return { holds: undefined, seen: 'there is no check run' };
      const suite = runs[0]?.check_suite?.id;
      return { holds: suite !== undefined, seen: `suite ${suite}` };
    },
  },
  {
    id: 'large',
    assumes: 'the query of a pull request with 60 conversations and 60 replies is answered',
    needs: 'pull',
    option: 'large',
    async try(scene) {
      const { client, signal } = scene;
      for (const part of ['-large-1', '-large-2']) {
        const comments = Array.from({ length: 30 }, () => lineComment(10, 'RIGHT'));
        await publishReview(client, { ...reviewOf(scene, part), comments }, signal);
      }
      const { pull } = await fetchSubject(client, { ...placeOf(scene), isPull: true }, signal);
      for (const { first } of (pull?.threads ?? []).slice(0, 60)) {
        const reply = {
          ...placeOf(scene),
          commentId: first.id,
          firstId: first.id,
          body: 'A reply.',
        };
        await replyInThread(
          client,
          { ...reply, mark: { ...markOf(scene), kind: 'answer' } },
          signal,
        );
      }
      const whole = await fetchSubject(client, { ...placeOf(scene), isPull: true }, signal);
      const seen = `${whole.pull?.threads.length} conversations`;
      return { holds: whole.openingsOnly === undefined && whole.isComplete, seen };
    },
  },
  {
    id: 'burst',
    assumes: 'GitHub limits 90 writes in a row in words that we know, or does not',
    needs: 'thread',
    option: 'burst',
    try: burst,
  },
  byHand('cache-scope', "a cache of another branch's run is not restored, and that of the base is"),
  byHand('cache-reserve', 'saving a key of the cache that exists is refused, and the run goes on'),
  byHand(
    'runner-post',
    'the post step runs after a cancellation, with the time that is documented',
  ),
  byHand('runner-masks', 'the runner masks inputs in the log, also those of several lines'),
  byHand('runner-summary', 'a summary of 1 MiB is shown, and a longer one is refused'),
  byHand('runner-annotations', 'of a step, ten annotations of a kind are shown'),
  byHand('merge-queue', 'the branch of a merge queue names the number of its pull request'),
  byHand('release', 'a release with an attestation can be verified with `gh attestation verify`'),
];

function byHand(id: string, assumes: string): Assumption {
  return { id, assumes };
}

function memoryBranch({ client, repository: { owner, name }, serverUrl, id }: Scene) {
  const branch = branchNames(id).memory;
  return createMemoryBranch(client, { owner, name, branch, serverUrl, token: 'GITHUB_TOKEN' });
}

function memoryStore(scene: Scene) {
  const { clock } = scene;
  return createBranchStore({ branch: memoryBranch(scene), folder: '', clock, mayCreate: false });
}

function wordsOf(result: { readonly kind: string; readonly message?: string }): string {
  return result.message ?? result.kind;
}

async function signatureOf(
  { client, repository, signal }: Scene,
  commit: string,
): Promise<Outcome> {
  const route = 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}';
  const params = { ...repositoryParams(repository), commit_sha: commit };
  const { body } = await client.request(route, { params, signal });
  const { verification } = body as {
    readonly verification?: { readonly verified: boolean; readonly reason: string };
  };
  return {
    holds: verification?.verified === true,
    seen: `verified: ${verification?.verified}, ${verification?.reason}`,
  };
}

function isMoved(answer: unknown): Outcome {
  if (!(answer instanceof GitHubError)) return { holds: false, seen: 'GitHub accepted it' };
  return { holds: answer.reason === 'moved', seen: answer.message };
}

function placeOf({ repository, left }: Scene) {
  return { repository, number: left.pull?.number ?? 0 };
}

function markOf({ id }: Scene, suffix = ''): Mark {
  return { kind: 'review', agent: `live-${id}${suffix}`, lane: 'trusted' };
}

function reviewOf(scene: Scene, suffix = '') {
  const headSha = scene.left.pull?.head ?? '';
  const mark = markOf(scene, suffix);
  return { ...placeOf(scene), headSha, event: 'COMMENT', body: 'A review.', mark } as const;
}

function lineComment(line: number, side: 'LEFT' | 'RIGHT') {
  return { path: PATH, line, side, body: `On line ${line}, ${side}.`, inText: '' };
}

/** A conversation of an earlier check: so a token that cannot write is asked about one, too. */
async function earlierThread({
  client,
  repository,
  signal,
}: Scene): Promise<LeftThread | undefined> {
  const { body } = await client.request('GET /repos/{owner}/{repo}/pulls', {
    params: { ...repositoryParams(repository), state: 'all', per_page: 100 },
    signal,
  });
  const pulls = body as readonly {
    readonly number: number;
    readonly head: { readonly ref: string };
  }[];
  for (const { number } of pulls.filter(({ head }) => head.ref.startsWith(BRANCH_PREFIX))) {
    const { pull } = await fetchSubject(client, { repository, number, isPull: true }, signal);
    const [thread] = pull?.threads ?? [];
    if (thread !== undefined) return { pull: number, id: thread.id, commentId: thread.first.id };
  }
  return undefined;
}

async function canResolve(
  { client, repository: { owner, name }, signal }: Scene,
  { id, pull: number }: LeftThread,
): Promise<boolean | undefined> {
  const query = `query ($owner: String!, $name: String!, $number: Int!) {
    repository(owner: $owner, name: $name) {
      pullRequest(number: $number) {
        reviewThreads(first: 100) { nodes { id viewerCanResolve } }
      }
    }
  }`;
  const variables = { owner, name, number };
  const { repository } = (await client.graphql(query, { variables, signal })) as {
    readonly repository: {
      readonly pullRequest: {
        readonly reviewThreads: {
          readonly nodes: readonly { readonly id: string; readonly viewerCanResolve: boolean }[];
        };
      };
    };
  };
  const threads = repository.pullRequest.reviewThreads.nodes;
  return threads.find((thread) => thread.id === id)?.viewerCanResolve;
}

const BURST = 90;

/** Around the client, which would wait between them. */
async function burst({ apiUrl, repository, token, fetch, left, signal }: Scene): Promise<Outcome> {
  const { owner, name } = repository;
  const comment = `${apiUrl}/repos/${owner}/${name}/pulls/comments/${left.thread?.commentId}`;
  const headers = {
    authorization: `Bearer ${token}`,
    'user-agent': 'axe-action live check',
    'content-type': 'application/json',
  };
  const kinds = ['+1', 'heart', 'rocket', 'eyes'];
  for (let sent = 0; sent < BURST; sent += 1) {
    const body = JSON.stringify({ content: kinds[sent % kinds.length] });
    const answer = await fetch(`${comment}/reactions`, { method: 'POST', headers, body, signal });
    if (answer.ok) {
      await answer.arrayBuffer();
      continue;
    }
    const text = await answer.text();
    const names = ['retry-after', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
    const limits = names.map((header) => `${header}: ${answer.headers.get(header)}`).join(', ');
    const isKnown = knownRefusal(text)?.reason === 'rate-limited';
    return { holds: isKnown, seen: `write ${sent + 1}: ${answer.status}, ${limits}: ${text}` };
  }
  return { holds: true, seen: `${BURST} writes, none refused` };
}
