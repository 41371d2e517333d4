import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { type CacheServer, startCacheServer } from '../helpers/cache-server.js';
import {
  type GitHubOptions,
  type GitHubServer,
  startGitHubServer,
} from '../helpers/github-server.js';
import type { FileTree, Role, StoredRepo } from '../helpers/github-state.js';
import {
  type ModelScript,
  type ModelServer,
  startModelServer,
  text,
} from '../helpers/model-server.js';
import {
  type RunningStep,
  runPost,
  type StepOptions,
  type StepResult,
  startStep,
} from '../helpers/run-action.js';
import {
  loadWebhook,
  type Payload,
  type PayloadPatch,
  payloadField,
  withWorld,
} from '../helpers/webhooks.js';

/** What is set up before a step runs. */
export interface StageOptions {
  /** Default: GitHub's example of an opened pull request. */
  readonly event?: StageEvent;
  /** Files of the base branch, or of the default branch where there is no pull request. */
  readonly base?: FileTree;
  readonly diff?: string;
  /** Role of the sender, who is also the author in GitHub's examples. Default: write. */
  readonly role?: Role;
  readonly roles?: Readonly<Record<string, Role>>;
  /** Default: the model gives {@link ANSWER} to everything. */
  readonly model?: ModelScript;
  readonly github?: GitHubOptions;
  /** Runs a step. Default: the built action, in a process of its own. */
  readonly runStep?: (options: StepOptions) => Promise<StepResult>;
}

/** GitHub's example of an event, with changes, or a payload of the test's own. */
export interface StageEvent {
  readonly name: string;
  readonly action?: string;
  readonly patch?: PayloadPatch;
  readonly payload?: Payload;
}

/** An event in a repository, with the servers a step talks to. */
export interface Stage {
  readonly github: GitHubServer;
  readonly model: ModelServer;
  readonly cache: CacheServer;
  readonly repo: StoredRepo;
  readonly payload: Payload;
  /** The options of a step on the event, with a cache where the event has one. */
  optionsOf(options?: Partial<StepOptions>): StepOptions;
  /** Starts the built action on the event. */
  start(options?: Partial<StepOptions>): RunningStep;
  /** The same to its end. */
  run(options?: Partial<StepOptions>): Promise<StepResult>;
  /** The post step of a main step that was given the same. */
  post(main: StepResult, options?: Partial<StepOptions>): Promise<StepResult>;
}

/** The repository of GitHub's examples, and the head of its pull request. */
export const REPO = 'Codertocat/Hello-World';
export const HEAD = 'ec26c3e57ca3a959ca5aad62de7213c562f8c821';

/**
 * What git writes before the hunks of a file that a change has; `blobs` are the names of its texts.
 */
export function headOf(path: string, blobs = '3f2a1b0..9c4d5e6'): string {
  return `diff --git a/${path} b/${path}\nindex ${blobs} 100644\n--- a/${path}\n+++ b/${path}\n`;
}

/** The change under review. */
export const DIFF = `${headOf('src/auth.ts')}@@ -10,4 +10,4 @@ export function isValid(token: string): boolean {
   const expected = readToken();
-  return timingSafeEqual(expected, token);
+  return expected == token;
 }
`;

/** What the model finds. */
export const ANSWER =
  '`src/auth.ts:11` compares tokens with `==`, which tells their length by time.';

/** An agent of the repository, with memory. */
export const AGENT = `name = "reviewer"
model = "anthropic/claude-sonnet-4-5"
system_prompt = "You review changes."

[memory]
enabled = true
`;

/** The agent in the folder where axe itself looks for it. */
export const BASE: FileTree = { 'axe/agents/reviewer.toml': AGENT };

/** Sets up the event, the repository it happened in, and everything the step talks to. */
export async function setStage(options: StageOptions = {}): Promise<Stage> {
  const { base = BASE } = options;
  const event: StageEvent = options.event ?? { name: 'pull_request', action: 'opened' };
  const payload = event.payload ?? loadWebhook(event.name, event.action, event.patch);
  const diff = options.diff ?? DIFF;
  const [github, model, cache] = await Promise.all([
    startGitHubServer(options.github),
    startModelServer(options.model ?? (() => text(ANSWER, { inputTokens: 812, outputTokens: 34 }))),
    startCacheServer(),
  ]);
  const repo = github.seed(payload, { base, diff });
  repo.contents = 'write';
  repo.roles.set(String(payloadField(withWorld(payload), 'sender.login')), options.role ?? 'write');
  for (const [login, role] of Object.entries(options.roles ?? {})) repo.roles.set(login, role);
  const isPullRequest = 'pull_request' in payload;
  if (isPullRequest) repo.comparisons.set(comparisonOf(payload), diff);
  seedPush(repo, payload, diff);
  const trunk = `refs/heads/${repo.defaultBranch}`;
  const ref = isPullRequest
    ? `refs/pull/${payloadField(payload, 'pull_request.number')}/merge`
    : trunk;
  const optionsOf = ({ env, inputs, ...step }: Partial<StepOptions> = {}): StepOptions => ({
    event: { name: event.name, payload },
    ...step,
    inputs: { agent: 'reviewer', ...inputs },
    env: { ...model.env, ...github.env, ...cache.env({ ref, readableRefs: [trunk] }), ...env },
  });
  const { runStep = (step) => startStep('main', step).finished } = options;
  return {
    github,
    model,
    cache,
    repo,
    payload,
    optionsOf,
    start: (given) => startStep('main', optionsOf(given)),
    run: (given) => runStep(optionsOf(given)),
    post: (main, given) => runPost(optionsOf(given), main),
  };
}

/**
 * What a push brought, by the commits it names and, where it created its branch, against the
 * default branch.
 */
export function seedPush(repo: StoredRepo, payload: Payload, diff: string): void {
  if (!('after' in payload) || 'pull_request' in payload) return;
  for (const base of [payloadField(payload, 'before'), repo.defaultBranch])
    repo.comparisons.set(`${base}...${payloadField(payload, 'after')}`, diff);
}

/** The event's two commits, as GitHub is asked to compare them. */
export function comparisonOf(payload: Payload): string {
  return `${payloadField(payload, 'pull_request.base.sha')}...${payloadField(payload, 'pull_request.head.sha')}`;
}

/** Where `tempDir` makes its folders. */
const TEMP = `${realpathSync(tmpdir())}/`;

/** Text without what differs from run to run: times, ids, ports, folders of the machine. */
export function steady(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '<server>')
    .replaceAll(TEMP, '/tmp/')
    .replaceAll(/\/tmp\/axe-action-[\w-]+/g, '<folder>')
    .replaceAll(/\b0[0-9a-z]{25}\b/g, '<id>')
    .replaceAll(/\b\d+\.\d s\b|(?<=· )\d+ s$|(?<=\| )\d+ s(?= \|)/gm, '<seconds>')
    .replaceAll(/\b\d+ requests? to GitHub/g, '<n> requests to GitHub')
    .replaceAll(/"requests":\d+/g, '"requests":"<n>"')
    .replaceAll(/\b(in|after) \d+ ms\b/g, '$1 <milliseconds>')
    .replaceAll(/^( {2}\S.*(?:: | after ))(?:\d+ ms|<seconds>)/gm, '$1<milliseconds>');
}

/**
 * `METHOD /path` of every request GitHub got, without the repository, in alphabetical order:
 * several are sent at once.
 */
export function routesOf({ github }: Pick<Stage, 'github'>): readonly string[] {
  const repository = /^\/repos\/[^/]+\/[^/]+/;
  return github
    .requests()
    .map(({ method, path }) => `${method} ${decodeURIComponent(path).replace(repository, '')}`)
    .sort();
}

/** How often GitHub was asked for what stands at a path. */
export function timesAsked(stage: Pick<Stage, 'github'>, path: string): number {
  return routesOf(stage).filter((route) => route === `GET /contents/${path}`).length;
}

/**
 * All that people see of a step and what it left behind, as one text that is the same in every run.
 */
export function seen(result: StepResult, { repo }: Pick<Stage, 'repo'>): string {
  const annotations = result.annotations.map(({ level, title, file, line, message }) => {
    const place = file === undefined ? '' : ` at ${file}${line === undefined ? '' : `:${line}`}`;
    return `${level}: ${title}${place}\n${message}`;
  });
  const outputs = Object.entries(result.outputs).map(([name, value]) => `${name}: ${value}`);
  const comments = repo.comments.map(
    ({ issue, author, body }) => `${author} on #${issue}:\n${body}`,
  );
  const parts = {
    'exit status': String(result.exitCode),
    log: result.log,
    annotations: annotations.join('\n'),
    summary: result.summary,
    outputs: outputs.join('\n'),
    comments: comments.join('\n\n'),
    'standard error': result.stderr,
  };
  return steady(
    Object.entries(parts)
      .map(([name, text]) => `=== ${name}\n${text.trimEnd()}\n`)
      .join('\n'),
  );
}

const TEXTS = join(import.meta.dirname, '../fixtures/transcripts');

/**
 * Text in which ids, handles and moments of findings, which are other ones in every run, are
 * numbered as they appear.
 */
export function numberFindings(text: string): string {
  const ids = [...text.matchAll(/(?:^- finding |\\?"id\\?":\\?")([0-9a-f]{16})\b/gm)].map(
    ([, id = '']) => id,
  );
  const handles = text.match(/\bF(?=[A-Z]*\d)[A-Z0-9]{4}\b/g) ?? [];
  const names = [
    ...[...new Set(ids)].map((id, index) => [id, `<finding ${index + 1}>`] as const),
    ...[...new Set(handles)].map((handle, index) => [handle, `F${index + 1}`] as const),
  ];
  return names
    .reduce((rest, [name, number]) => rest.replaceAll(name, number), text)
    .replaceAll(/(\\?"(?:at|raised|decided)\\?":)\d{13}\b/g, '$1<time>');
}

/**
 * Compares with `__tests__/fixtures/transcripts/<name>.txt`; with UPDATE_TRANSCRIPTS=1 the file is
 * written anew.
 */
export function expectTranscript(name: string, said: string): void {
  const text = numberFindings(said);
  const file = join(TEXTS, `${name}.txt`);
  if (process.env['UPDATE_TRANSCRIPTS'] === '1') {
    mkdirSync(TEXTS, { recursive: true });
    writeFileSync(file, text);
  }
  expect(text).toBe(readFileSync(file, 'utf8'));
}

/** What needs somebody's attention: notices are not among it. */
export function troubles({
  annotations,
}: Pick<StepResult, 'annotations'>): StepResult['annotations'] {
  return annotations.filter(({ level }) => level !== 'notice');
}

/**
 * Nothing was remembered: no run log was saved, only what is kept beside it of runs that did not
 * complete (D27).
 */
export function expectNoEntry(step: Pick<StepResult, 'outputs'>): void {
  expect(step.outputs['memory-saved']).not.toBe('true');
  expect(step.outputs['memory-entry']).toBeUndefined();
}

/** The annotations as a person reads them, without their titles. */
export function told({ annotations }: Pick<StepResult, 'annotations'>): readonly string[] {
  return annotations.map(({ level, message }) => steady(`${level}: ${message}`));
}
