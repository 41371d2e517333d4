import type { Trigger } from '../../../src/event/trigger.js';
import {
  DEFAULT_PUBLISH_RULES,
  type PublishRules,
} from '../../../src/findings/buffered-publications.js';
import { createCheckProgress } from '../../../src/findings/post/check-progress.js';
import type { Warning } from '../../../src/lib/errors.js';
import { encodeBytes } from '../../../src/lib/text/bytes.js';
import type { MemoryStore, SaveResult } from '../../../src/memory/store.js';
import { createActionPublisher } from '../../../src/publish/publisher.js';
import type { FinishedRun } from '../../../src/report/conclusion.js';
import { annotationsOf } from '../../../src/report/views/annotations.js';
import { outputsOf, reviewOutputs } from '../../../src/report/views/outputs.js';
import { formatSummary } from '../../../src/report/views/summary.js';
import { collectAgentMemory } from '../../../src/run/gc/gc.js';
import { createGitHubPort } from '../../../src/run/github.js';
import type { RunRequest } from '../../../src/run/records.js';
import { runPipeline } from '../../../src/run/run.js';
import { sanitize } from '../../../src/safety/sanitize.js';
import { Changes } from '../../../src/tools/workspace/changes.js';
import { type Hello, startHello } from '../../github/hello-fixture.js';
import { createFakeDependencies, makeRequest } from '../../helpers/dependencies-fake.js';
import { call, createFakeModel, type FakeReply, reply, says } from '../../helpers/model-fake.js';
import { recordOf } from '../../helpers/reports.js';
import { pullRequest } from '../../helpers/triggers.js';

export const AGENT = `name = "reviewer"
model = "openai/m"
system_prompt = "You review changes."
tools = ["add_review_comment", "submit_review", "set_labels"]
[memory]
enabled = true
`;

/** An agent that sets labels. */
export const TRIAGER = AGENT.replace('"add_review_comment", "submit_review", ', '');

/** An agent that answers, and reviews nothing. */
export const HELPER = AGENT.replace(/tools = .*\n/, '');

export const CODE = `diff --git a/src/pay.ts b/src/pay.ts
--- a/src/pay.ts
+++ b/src/pay.ts
@@ -1,3 +1,8 @@
 import { gateway } from './gateway.js';
+
+export function pay(order) {
+  const total = sum(order.items);
+  gateway.charge(order.card, total);
+  console.log(order.card);
+  return total;
 }
 export const currency = 'EUR';
diff --git a/src/list.ts b/src/list.ts
--- a/src/list.ts
+++ b/src/list.ts
@@ -1,2 +1,5 @@
 import { page } from './page.js';
+
+export function first(items) {
+  return items[1];
 }
`;

type RaisedFinding = Readonly<Record<string, unknown>> & {
  readonly path: string;
  readonly title: string;
};

export const CHARGE: RaisedFinding = {
  path: 'src/pay.ts',
  line: 5,
  code: '  gateway.charge(order.card, total);',
  title: 'A failed charge is never noticed',
  body: '`charge` returns a promise that nobody awaits.',
  trigger: 'The gateway refuses the card.',
  category: 'error-handling',
  effect: 'data-loss',
  reach: 'common',
};

export const LOGGED: RaisedFinding = {
  path: 'src/pay.ts',
  line: 6,
  code: '  console.log(order.card);',
  title: 'Card numbers are written to the log',
  body: 'Everybody who reads the log has the card.',
  trigger: 'Any order.',
  category: 'security',
  effect: 'breach',
  reach: 'rare',
  suggestion: '  console.log(order.id);',
};

export const SECOND: RaisedFinding = {
  path: 'src/list.ts',
  line: 4,
  code: '  return items[1];',
  title: '`first` returns the second item',
  body: 'Arrays begin with 0.',
  trigger: 'Any list.',
  category: 'correctness',
  effect: 'wrong-result',
  reach: 'always',
};

/** The model raises these findings, sums up, and is done. */
export function reviews(summary: string, ...findings: readonly RaisedFinding[]): FakeReply[] {
  return [
    ...findings.map((finding, index) => reply([call(`c${index}`, 'add_review_comment', finding)])),
    reply([call('s', 'submit_review', { summary })]),
    says(summary),
  ];
}

/** The model settles the finding of this title, by its name in the prompt. */
export function settles(title: string, input: Readonly<Record<string, unknown>>): FakeReply {
  return async ({ prompt }) => {
    const lines = prompt.flatMap(({ content }) =>
      typeof content === 'string'
        ? [content]
        : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    );
    const line = lines
      .join('\n')
      .split('\n')
      .find((text) => text.startsWith('- F') && text.includes(title));
    const finding = line?.slice(2, 7) ?? '';
    return reply([call('e', 'settle_finding', { finding, ...input })]);
  };
}

/** What a situation says about a run. */
export interface Run {
  readonly replies?: readonly FakeReply[];
  readonly agent?: string;
  readonly trigger?: Trigger;
  readonly request?: Partial<RunRequest>;
  readonly rules?: Partial<PublishRules>;
  readonly save?: SaveResult;
  readonly reportTo?: string;
  readonly secrets?: readonly string[];
  /** Files that the agent has edited, with the text before and after. */
  readonly edits?: Readonly<Record<string, readonly [before: string, after: string]>>;
  /** The branch that the run has read. */
  readonly branch?: string;
  /** Garbage collection in place of a run. */
  readonly isGc?: true;
}

/** An agent that changes files. */
export const CHANGER = AGENT.replace(/tools = .*\n/, 'tools = ["open_pull_request"]\n');

const FIXER = `name = "builtin/fix"
model = "openai/m"
system_prompt = "You fix findings."
tools = ["push_to_pull_request"]
`;

/** Pull request 42 of octocat's, and the memory of its reviewer. */
export class Scene {
  #store: MemoryStore | undefined;
  #head = 0;
  readonly #clock = createFakeDependencies().clock;

  private constructor(readonly hello: Hello) {}

  static async start(): Promise<Scene> {
    const hello = await startHello();
    hello.repo.roles.set('octocat', 'write');
    hello.repo.talk.labels.push('bug');
    hello.repo.issues.set(7, { number: 7, title: 'Login is broken', body: '', author: 'octocat' });
    const scene = new Scene(hello);
    scene.push(CODE);
    return scene;
  }

  get talk() {
    return this.hello.repo.talk;
  }

  /** The next commit of the pull request. */
  push(diff: string): void {
    const { repo } = this.hello;
    const pull = repo.pulls.get(42);
    if (pull === undefined) throw new Error('there is no pull request 42');
    const before = pull.head.sha;
    this.#head += 1;
    const sha = `${this.#head}`.repeat(40).slice(0, 40);
    repo.pulls.set(42, { ...pull, head: { ...pull.head, sha }, diff });
    repo.comparisons.set(`${before}...${sha}`, diff);
    repo.comparisons.set(`${this.hello.baseSha}...${sha}`, diff);
  }

  get trigger() {
    const pull = this.hello.repo.pulls.get(42);
    return pullRequest({
      action: this.#head === 1 ? 'opened' : 'synchronize',
      head: { sha: pull?.head.sha ?? '', ref: 'topic', repository: 'octocat/hello' },
      base: { sha: this.hello.baseSha, ref: 'main' },
      title: 'Take payments',
    });
  }

  /** What people see after a run, as Markdown. */
  async run({ replies = [], agent = AGENT, save, ...run }: Run): Promise<string> {
    const { client } = this.hello;
    const { trigger = this.trigger } = run;
    const rules = {
      ...DEFAULT_PUBLISH_RULES,
      blockOn: 'major',
      labels: ['bug'],
      ...run.rules,
    } as const;
    const warnings: Warning[] = [];
    const reporter = {
      event: () => undefined,
      warn(warning: Warning) {
        // The fake of GitHub has no commit for a push, and lists its files instead.
        if (!warning.message.startsWith('GitHub did not send the whole diff'))
          warnings.push(warning);
      },
    };
    const runUrl = 'https://github.com/octocat/hello/actions/runs/7';
    const clean = (markdown: string) => sanitize(markdown, 'untrusted-comment', []);
    const progress = createCheckProgress({
      client,
      runUrl,
      clean,
      log: () => undefined,
      keep: async () => undefined,
    });
    const fake = createFakeDependencies({
      agents: { reviewer: agent, 'builtin/fix': FIXER },
      secrets: run.secrets ?? [],
      model: createFakeModel(replies, 'm'),
      permissions: {},
    });
    this.#store ??= fake.openMemory({} as never, {} as never);
    const store = this.#store;
    const before = {
      reviews: this.talk.reviews.length,
      comments: this.hello.repo.comments.length,
      lines: this.talk.reviewComments.length,
      check: JSON.stringify(this.talk.checkRuns.at(-1)),
      issues: this.hello.repo.issues.size,
    };
    const port = createGitHubPort(client, trigger);
    const { hello } = this;
    const github = port && {
      ...port,
      async change() {
        const pull = hello.repo.pulls.get(42);
        const { diff = '', head } = pull ?? {};
        const sides = { head: head?.sha ?? '', base: hello.baseSha, into: 'main' };
        return { kind: 'read', isFork: false, ...sides, diff, hasAllFiles: true } as const;
      },
    };
    const edits = new Changes({
      allowed: ['**'],
      memoryRoots: [],
      agentsDirs: [],
      instructionFiles: () => [],
      secrets: [],
    });
    const { branch = 'topic' } = run;
    for (const [path, [unedited, edited]] of Object.entries(run.edits ?? {})) {
      edits.note(path, { before: encodeBytes(unedited), after: encodeBytes(edited) });
      this.hello.github.commit('octocat/hello', { [path]: unedited }, { branch });
    }
    const deps = {
      ...fake,
      ...(run.edits !== undefined && { changes: edits }),
      clock: this.#clock,
      github,
      progress,
      reporter,
      publishRules: rules,
      openMemory: () => (save === undefined ? store : { ...store, write: async () => save }),
      publisher: createActionPublisher({
        client,
        progress,
        comment: 'auto',
        rules,
        reportTo: run.reportTo ?? '',
        checkRun: true,
        reporter,
        secrets: run.secrets ?? [],
        runUrl,
        docsUrl: '',
        offersCommands: true,
        changes: run.edits && {
          made: edits,
          head: async () => ({ branch, isForeign: false }),
        },
        workflow: '.github/workflows/axe.yml',
        run: '7/1/review',
        now: () => this.#clock.now(),
      }),
    };
    const origin = { runId: '7', attempt: '1', sha: 'head' in trigger ? trigger.head.sha : '' };
    const request = makeRequest({
      agent: 'reviewer',
      trigger,
      origin,
      inWorkflow: true,
      ...run.request,
    });
    let report: FinishedRun;
    try {
      report =
        run.isGc === true
          ? await collectAgentMemory(request, suggestNothing, deps)
          : await runPipeline(request, deps);
    } catch (thrown) {
      report = { kind: 'failed', thrown };
    }
    const record = recordOf(report, { trigger, warnings });
    const cleanForSummary = (markdown: string) => sanitize(markdown, 'summary', []);
    const { reviews: all, reviewComments, checkRuns } = this.talk;
    const check = checkRuns.at(-1);
    const isChecked = check?.status === 'completed' && JSON.stringify(check) !== before.check;
    return steady(
      [
        ...all.slice(before.reviews).map(({ state, body }) => section(`Review (${state})`, body)),
        ...reviewComments
          .slice(before.lines)
          .map(({ inReplyTo, body }) =>
            section(
              inReplyTo === undefined ? 'Comment on a line' : 'Reply in a conversation',
              body,
            ),
          ),
        ...this.hello.repo.comments
          .slice(before.comments)
          .map(({ body }) => section('Comment', body)),
        ...[...this.hello.repo.issues.values()]
          .slice(before.issues)
          .map(({ title, body }) => section(`Issue: ${title}`, body ?? '')),
        check === undefined || !isChecked
          ? ''
          : section(`Check: ${check.title} (${check.conclusion})`, check.summary ?? ''),
        section('Job summary', cleanForSummary(formatSummary(record, cleanForSummary))),
        section(
          'Annotations',
          annotationsOf(record)
            .map(({ level, message }) => `- **${level}**: ${message}`)
            .join('\n'),
        ),
        section(
          'Outputs',
          Object.entries({ ...outputsOf(record), ...reviewOutputs(record) })
            .filter(([name, value]) => value !== undefined && value !== '' && !LONG.has(name))
            .map(([name, value]) => `- \`${name}\`: ${value}`)
            .join('\n'),
        ),
      ]
        .filter((part) => part !== '')
        .join('\n\n'),
    );
  }
}

const suggestNothing = async () => ({ kind: 'none' }) as const;

/** Outputs whose text is in another section. */
const LONG: ReadonlySet<string> = new Set(['response', 'memory-entry']);

function section(title: string, markdown: string): string {
  const text = markdown.replace(/<!--[\s\S]*?-->\n?/g, '').trim();
  return text === '' ? '' : `# ${title}\n\n${text}`;
}

/** Without what differs from one test process to the next. */
function steady(markdown: string): string {
  const text = markdown
    .replaceAll(/http:\/\/(?:127\.0\.0\.1|localhost):\d+/g, 'https://api.github.com')
    .replaceAll(/(?<=Pushed )[0-9a-f]{7}/g, '1a2b3c4');
  return `${text}\n`;
}
