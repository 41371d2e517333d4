import { DEFAULT_ADMISSION_POLICY } from '../../../src/event/trust.js';
import { ProviderError } from '../../../src/lib/errors.js';
import { DEFAULT_DIFF_POLICY } from '../../../src/prompt/diff-policy.js';
import { denied, deniedQuery } from '../../github/hello-fixture.js';
import { seedReply } from '../../helpers/github-review-seed.js';
import { call, type FakeReply, reply, says } from '../../helpers/model-fake.js';
import { comment, issue, MERGE_GROUP, SCHEDULE } from '../../helpers/triggers.js';
import {
  AGENT,
  CHANGER,
  CHARGE,
  CODE,
  HELPER,
  LOGGED,
  type Run,
  reviews,
  Scene,
  SECOND,
  settles,
  TRIAGER,
} from './scene.js';

const REVIEW_ROUTE = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';

/** The change after a push that awaits the charge. */
const AWAITED = CODE.replace('+  gateway.charge', '+  await gateway.charge');
/** The change after a push that commits the offered line. */
const SUGGESTED = CODE.replace('+  console.log(order.card);', '+  console.log(order.id);');

const TWO = reviews('Two things to fix before this can be merged.', CHARGE, LOGGED);

const FIXED = {
  how: 'fixed',
  reason: 'The charge is awaited now.',
  evidence: [{ path: 'src/pay.ts', line: 5, code: '  await gateway.charge(order.card, total);' }],
};

/** The model settles the finding about the charge, and raises another one. */
const SAYS_FIXED: readonly FakeReply[] = [
  settles(CHARGE.title, FIXED),
  ...reviews('The charge is awaited.', SECOND),
  reply([
    call('v', 'give_verdict', {
      verdict: 'refuted',
      reason: 'It is awaited.',
      evidence: FIXED.evidence,
    }),
  ]),
  says('Done.'),
];

function newFile(path: string, lines: number): string {
  const text = Array.from({ length: lines }, (_, line) => `+const value${line} = load(${line});`);
  return `diff --git a/${path} b/${path}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines} @@\n${text.join('\n')}\n`;
}

const LARGE = ['src/carts.ts', 'src/orders.ts', 'src/stock.ts']
  .map((path) => newFile(path, 80))
  .join('');

/** Reviews the part that it is shown. */
const reviewPart: FakeReply = async ({ prompt }) => {
  if (prompt.at(-1)?.role === 'tool') return says('I have read my part.');
  const text = JSON.stringify(prompt);
  const isFirst = text.includes('diff --git a/src/pay.ts');
  const [, path] = /diff --git a\/(\S+)/.exec(text) ?? [];
  const summary = isFirst ? 'Payments are not awaited.' : `\`${path}\` is fine.`;
  const findings = isFirst ? [call('c', 'add_review_comment', CHARGE)] : [];
  return reply([...findings, call('s', 'submit_review', { summary })]);
};

const LOGS = 'export function log(order) {\n  console.log(order.card);\n}\n';
const FIX = { 'src/log.ts': [LOGS, LOGS.replace('card', 'id')] } as const;

/** A person asks for a fix of the finding about the log. */
async function fixes(scene: Scene): Promise<string> {
  return await scene.run({
    trigger: comment({ on: 'pull_request', number: 42, body: '/axe fix FMV3P', isFork: false }),
    request: { admissionPolicy: { ...DEFAULT_ADMISSION_POLICY, triggerPhrase: '/axe' } },
    edits: FIX,
    replies: [
      reply([call('p', 'push_to_pull_request', { message: 'Log the order, not its card' })]),
      says('The log has the id of the order now.'),
    ],
  });
}

const PROPOSES = [
  reply([
    call('o', 'open_pull_request', {
      title: 'Keep cards out of the log',
      body: 'The log gets the id of the order.',
    }),
  ]),
  says('I propose to log the id of the order.'),
];

/** A schedule changes a file, and its agent says this. */
async function changes(replies: Run['replies']): Promise<string> {
  const scene = await Scene.start();
  return await scene.run({
    agent: CHANGER,
    trigger: SCHEDULE,
    branch: 'main',
    edits: FIX,
    request: { prompt: 'Keep cards out of the log.' },
    replies,
  });
}

/** A pull request whose first review has found two things. */
async function reviewed(): Promise<Scene> {
  const scene = await Scene.start();
  await scene.run({ replies: TWO });
  return scene;
}

function lineOf(scene: Scene, title: string): number {
  const found = scene.talk.reviewComments.find(({ body }) => body.includes(title));
  if (found === undefined) throw new Error(`no comment says ${title}`);
  return found.id;
}

/** Situations by the name of the file that keeps what people see. */
export const SITUATIONS: Readonly<Record<string, () => Promise<string>>> = {
  'first review with findings': async () => await (await Scene.start()).run({ replies: TWO }),
  'first review without findings': async () => {
    return await (await Scene.start()).run({
      replies: reviews('Tokens expire, and a test shows it.'),
    });
  },
  'a push: new, still open, and fixed': async () => {
    const scene = await reviewed();
    scene.push(AWAITED);
    return await scene.run({ replies: SAYS_FIXED, rules: { blockOn: undefined } });
  },
  'a fork: the model says that a finding is over': async () => {
    const scene = await reviewed();
    scene.push(AWAITED);
    return await scene.run({
      trigger: {
        ...scene.trigger,
        event: 'pull_request_target',
        action: 'labeled',
        isFork: true,
        head: { ...scene.trigger.head, repository: 'eve/hello' },
      },
      replies: SAYS_FIXED,
    });
  },
  'a person resolved a conversation': async () => {
    const scene = await reviewed();
    scene.talk.resolved.set(lineOf(scene, CHARGE.title), 'octocat');
    scene.push(CODE.replace('EUR', 'USD'));
    return await scene.run({ replies: reviews('Nothing else changed.') });
  },
  'a suggestion was committed': async () => {
    const scene = await reviewed();
    scene.push(SUGGESTED);
    return await scene.run({ replies: reviews('The card is not logged any more.') });
  },
  'a finding was dismissed': async () => {
    const scene = await reviewed();
    const body = 'Not a bug: the gateway throws.';
    seedReply(scene.hello.repo, lineOf(scene, CHARGE.title), {
      author: 'octocat',
      body,
      createdAt: '2026-02-04T00:00:00Z',
    });
    scene.push(CODE.replace('EUR', 'USD'));
    return await scene.run({ replies: reviews('Nothing else changed.') });
  },
  'a finding came back': async () => {
    const scene = await reviewed();
    scene.push(SUGGESTED);
    await scene.run({ replies: reviews('The card is not logged any more.') });
    scene.push(CODE);
    return await scene.run({ replies: reviews('The card is in the log again.', LOGGED) });
  },
  'too mild, and not accepted': async () => {
    const mild = { ...SECOND, title: 'A name is short', effect: 'upkeep', reach: 'rare' };
    const wish = {
      ...CHARGE,
      title: 'Consider a cache',
      body: 'Please consider a cache here.',
      trigger: '',
    };
    const unseen = { ...CHARGE, path: 'src/other.ts', title: 'Another file is wrong' };
    const replies = reviews('Nothing that matters.', mild, wish, unseen, unseen);
    return await (await Scene.start()).run({ replies });
  },
  'a review in parts': async () => {
    const scene = await Scene.start();
    scene.push(`${CODE}${LARGE}`);
    return await scene.run({
      agent: `${AGENT}[review]\npart_tokens = 1000\n`,
      replies: Array<FakeReply>(20).fill(reviewPart),
      request: {
        review: { depth: 'standard' },
        diffPolicy: { ...DEFAULT_DIFF_POLICY, maxTokens: 1500 },
      },
    });
  },
  'a fix is committed': async () => await fixes(await reviewed()),
  'a fix that GitHub refused': async () => {
    const scene = await reviewed();
    scene.hello.github.fail(deniedQuery('createCommitOnBranch'));
    return await fixes(scene);
  },
  'a change is proposed': async () => await changes(PROPOSES),
  'a change as a patch alone': async () => {
    const scene = await Scene.start();
    return await scene.run({
      agent: CHANGER,
      trigger: issue({ author: { login: 'monalisa', isBot: false } }),
      branch: 'main',
      edits: FIX,
      replies: PROPOSES,
    });
  },
  'a change that nobody asked for': async () =>
    await changes([says('The log has the id of the order now.')]),
  'a large change, cut': async () => {
    const scene = await Scene.start();
    scene.push(`${CODE}${newFile('src/large.ts', 3000)}`);
    return await scene.run({
      replies: reviews('I could not read all of it.', CHARGE),
      request: { diffPolicy: { ...DEFAULT_DIFF_POLICY, maxTokens: 2000 } },
    });
  },
  'a question in a comment': async () => {
    const scene = await Scene.start();
    const trigger = comment({
      on: 'pull_request',
      number: 42,
      body: '/axe ask why is this a float?',
      isFork: false,
    });
    return await scene.run({
      trigger,
      replies: [says('It is not: `sum` returns cents.')],
      agent: HELPER,
      request: { admissionPolicy: { ...DEFAULT_ADMISSION_POLICY, triggerPhrase: '/axe' } },
    });
  },
  'an issue is triaged': async () => {
    const scene = await Scene.start();
    const labels = reply([call('l', 'set_labels', { add: 'bug, wontfix' })]);
    const replies = [labels, says('It looks like the session cookie.')];
    return await scene.run({
      agent: TRIAGER,
      trigger: issue({ author: { login: 'octocat', isBot: false } }),
      replies,
    });
  },
  'a schedule': async () => {
    const scene = await Scene.start();
    return await scene.run({
      trigger: SCHEDULE,
      replies: [says('Three dependencies are old.')],
      agent: HELPER,
      reportTo: 'issue',
      request: { prompt: 'Look at the dependencies.' },
    });
  },
  'skipped: a fork': async () => {
    const scene = await Scene.start();
    return await scene.run({
      trigger: {
        ...scene.trigger,
        isFork: true,
        actor: { login: 'eve', isBot: false },
        author: { login: 'eve', isBot: false },
      },
    });
  },
  'skipped: a bot': async () => {
    const scene = await Scene.start();
    return await scene.run({
      trigger: { ...scene.trigger, actor: { login: 'renovate[bot]', isBot: true } },
    });
  },
  'skipped: no write access': async () => {
    const scene = await Scene.start();
    return await scene.run({
      trigger: { ...scene.trigger, actor: { login: 'monalisa', isBot: false } },
    });
  },
  'skipped: nothing new': async () => {
    const scene = await reviewed();
    return await scene.run({ trigger: { ...scene.trigger, action: 'synchronize' } });
  },
  'skipped: paused': async () => {
    const scene = await reviewed();
    const body = '/axe pause';
    await scene.run({ trigger: comment({ on: 'pull_request', number: 42, body, isFork: false }) });
    scene.push(AWAITED);
    return await scene.run({});
  },
  'a pull request is paused': async () => {
    const scene = await reviewed();
    const body = '/axe pause';
    return await scene.run({
      trigger: comment({ on: 'pull_request', number: 42, body, isFork: false }),
    });
  },
  'the merge queue': async () => {
    const scene = await reviewed();
    const sha = 'e'.repeat(40);
    const head = { sha, ref: `refs/heads/gh-readonly-queue/main/pr-42-${sha}` };
    return await scene.run({ trigger: { ...MERGE_GROUP, head } });
  },
  'garbage collection': async () => {
    const scene = await reviewed();
    return await scene.run({
      isGc: true,
      trigger: SCHEDULE,
      replies: [says('Findings about payments come back. Write down who owns them.')],
    });
  },
  'the model wrote a secret': async () => {
    const secret = 'hunter2-hunter2-hunter2';
    return await (await Scene.start()).run({
      secrets: [secret],
      replies: [says(`The key is ${secret}.`)],
    });
  },
  'the model failed': async () => {
    const error = new ProviderError('rate_limit', 'too many requests', {
      isLasting: true,
    } as never);
    return await (await Scene.start()).run({ replies: [error] });
  },
  'the model failed after it had found something': async () => {
    const error = new ProviderError('server', 'the server is down', { isLasting: true });
    const [first] = TWO;
    return await (await Scene.start()).run({ replies: first === undefined ? [] : [first, error] });
  },
  'the model refused': async () => {
    const refusal = says('I cannot help with that.', {
      finish: { unified: 'content-filter', raw: 'refusal' },
    });
    return await (await Scene.start()).run({ replies: [refusal] });
  },
  'a limit of turns ended it': async () => {
    const [first, second] = TWO;
    const replies = [first, second].flatMap((one) => one ?? []);
    return await (await Scene.start()).run({ replies, request: { maxTurns: 2 } });
  },
  'the model reviewed nothing': async () => {
    const replies = [says('Looks good to me.'), says('Looks good to me.')];
    return await (await Scene.start()).run({ replies });
  },
  'an answer was cut': async () => {
    const cut = says('The first of three', { finish: { unified: 'length', raw: 'max_tokens' } });
    const scene = await Scene.start();
    return await scene.run({
      trigger: SCHEDULE,
      agent: HELPER,
      replies: [cut, cut, cut],
      request: { prompt: 'List three.' },
    });
  },
  'GitHub could not be read': async () => {
    const scene = await reviewed();
    scene.push(AWAITED);
    scene.hello.github.fail(deniedQuery());
    return await scene.run({ replies: reviews('Not reached.') });
  },
  'GitHub refused the review': async () => {
    const scene = await Scene.start();
    scene.hello.github.fail(denied(REVIEW_ROUTE, 'pull_requests=write'));
    return await scene.run({ replies: TWO });
  },
  'memory was not saved': async () => {
    const message = 'the token cannot write to octocat/hello';
    const save = {
      kind: 'failed',
      reason: 'denied',
      message,
      remedy: 'Add `contents: write`.',
    } as const;
    return await (await Scene.start()).run({ replies: TWO, save });
  },
  'a dry run': async () => {
    return await (await Scene.start()).run({ request: { dryRun: true } });
  },
  'an agent that does not exist': async () => {
    return await (await Scene.start()).run({ request: { agent: 'reviwer' } });
  },
};
