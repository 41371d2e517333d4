import type { AgentLibrary } from '../../src/agent/agent-source.js';
import { formatModelRef } from '../../src/agent/config.js';
import type { ContextFile } from '../../src/agent/context-files.js';
import { parseAgent } from '../../src/agent/inspect.js';
import type { TriggerContext } from '../../src/event/context.js';
import { DEFAULT_ADMISSION_POLICY, type PermissionAnswer } from '../../src/event/trust.js';
import {
  DEFAULT_PUBLISH_RULES,
  NO_PUBLICATIONS,
} from '../../src/findings/buffered-publications.js';
import { findingRecords, type ReviewResult } from '../../src/findings/post/record.js';
import type { ChangesSince } from '../../src/github/reading/changes.js';
import { AxeError, NotFoundError, type Warning } from '../../src/lib/errors.js';
import type { OpenModel } from '../../src/loop/asker.js';
import type { LanguageModel } from '../../src/loop/messages.js';
import { applyChanges, type MemoryChange } from '../../src/memory/change.js';
import type {
  MemoryLocation,
  MemoryStore,
  ReadRequest,
  RestoreResult,
  SaveResult,
} from '../../src/memory/store.js';
import { readLogIn } from '../../src/memory/stores/read-log.js';
import { DEFAULT_DIFF_POLICY } from '../../src/prompt/diff-policy.js';
import type {
  Dependencies,
  PublishRequest,
  Reply,
  RunEvent,
  ToldFindings,
  ToolBox,
  ToolRequest,
  TurnedFindings,
} from '../../src/run/dependencies.js';
import type { ChangeAnswer, PullAtStart, SaidAnswer } from '../../src/run/github.js';
import type { PublicationResult, RunRequest } from '../../src/run/records.js';
import type { Secrets } from '../../src/safety/secrets.js';
import type { Tool, ToolEffect, ToolResult } from '../../src/tools/tool.js';
import { createFakeClock } from '../memory/stores/fake-clock.js';
import { createFakeModel, says } from './model-fake.js';
import { seen } from './seen.js';

/** What a fake world holds; everything has a harmless default. */
export interface FakeDependenciesParts {
  /** TOML by agent name. */
  readonly agents?: Readonly<Record<string, string>>;
  /** TOML by agent name, as the pull request's head has it; left out, nobody looks there. */
  readonly headAgents?: Readonly<Record<string, string | Error>>;
  readonly skills?: Readonly<Record<string, string>>;
  readonly files?: readonly ContextFile[];
  /** Guidance of the base; an error is thrown by reading it. */
  readonly guidance?: readonly ContextFile[] | Error;
  readonly model?: LanguageModel;
  /**
   * Models by `provider/model`, where not all agents have the same; an error is thrown by opening.
   */
  readonly models?: Readonly<Record<string, LanguageModel | Error>>;
  /** What is known of models, by `provider/model`. */
  readonly facts?: Readonly<
    Record<string, Partial<Pick<OpenModel, 'price' | 'windowTokens' | 'thinking'>>>
  >;
  /**
   * What agents get, and what is reported, when their tools are opened, by name; nobody else has
   * any.
   */
  readonly boxes?: Readonly<
    Record<string, (Partial<Pick<ToolBox, 'tools'>> & { warnings?: readonly Warning[] }) | Error>
  >;
  /** What is thrown instead, by step. */
  readonly fails?: Partial<Record<'loadAgent' | 'configure' | 'files' | 'open' | 'context', Error>>;
  /** Run logs by place. */
  readonly memory?: Readonly<Record<string, string>>;
  /** What reading memory gives instead. */
  readonly restore?: RestoreResult;
  /** What saving gives instead; nothing is kept then. */
  readonly save?: SaveResult;
  /** By login; anybody else is unknown. Left out, there is no GitHub. */
  readonly permissions?: Readonly<Record<string, PermissionAnswer>>;
  readonly context?: TriggerContext;
  /** What is new since any commit; left out, it is unknown. */
  readonly newSince?: ChangesSince;
  /** What is said on a pull request, by its number; elsewhere nothing. */
  readonly said?: Readonly<Record<number, SaidAnswer>>;
  /** Files of the head by path; all others are empty. */
  readonly headFiles?: Readonly<Record<string, string>>;
  /** The change that the event is about; left out: it cannot be read. */
  readonly change?: ChangeAnswer;
  readonly published?: PublicationResult;
  /** What comes of turning conversations. */
  readonly turned?: TurnedFindings;
  /** The list itself is used, so that a test can add to it. */
  readonly secrets?: readonly string[];
}

/** The smallest agent. */
export const AGENT = 'name = "bot"\nmodel = "openai/m"\nsystem_prompt = "You help."\n';

/** The smallest agent with memory. */
export const AGENT_WITH_MEMORY = `${AGENT}[memory]\nenabled = true\n`;

/** A world in memory that writes down what was done in it, in order. */
export type FakeDependencies = ReturnType<typeof createFakeDependencies>;

/** Puts a world together. */
export function createFakeDependencies(parts: FakeDependenciesParts = {}) {
  const steps: string[] = [];
  const events: RunEvent[] = [];
  const warnings: Warning[] = [];
  const limitsMs: number[] = [];
  /** Changes as they were written down before they were saved. */
  const journaled: (readonly MemoryChange[])[] = [];
  /** Changes that were written off after they were saved. */
  const settled: (readonly MemoryChange[])[] = [];
  const found: string[] = [];
  /** What tools were asked for. */
  const toolRequests: ToolRequest[] = [];
  /** What was answered to commands, and what was published, by run. */
  const replies: Reply[] = [];
  const requests: PublishRequest[] = [];
  const controller = new AbortController();
  const closing = new AbortController();
  const clock = createFakeClock();
  const startedAt = clock.now().getTime();
  const { store, files, reads } = createFakeStore(parts, steps);
  const { fails = {}, permissions, headAgents } = parts;
  const step = (name: string, failure?: Error) => {
    steps.push(name);
    if (failure !== undefined) throw failure;
  };
  const { context = { kind: 'none', warnings: [] } } = parts;
  const github = {
    async permission(login: string): Promise<PermissionAnswer> {
      step(`ask for permission of ${login}`);
      return permissions?.[login] ?? { kind: 'unknown', message: `nobody knows ${login}` };
    },
    async context() {
      step('fetch context', fails.context);
      return context;
    },
    async pull(): Promise<PullAtStart | undefined> {
      if (context.kind !== 'pull_request' || context.pinned === undefined) return undefined;
      return { head: context.pinned.head, changedPaths: undefined };
    },
    compareWithLastReview: async () => undefined,
    async newSince({ from, head }: { readonly from: string; readonly head: string }) {
      step(`compare ${from} with ${head}`);
      return parts.newSince ?? ({ kind: 'unread' } as const);
    },
    async said(pull: number, { isFresh }: { readonly isFresh: boolean }): Promise<SaidAnswer> {
      step(`read #${pull}${isFresh ? ' again' : ''}`);
      return parts.said?.[pull] ?? { kind: 'read', seen: seen() };
    },
    async saidElsewhere(pulls: readonly number[]) {
      step(`read answers on ${pulls.map((pull) => `#${pull}`).join(', ')}`);
      const answers = pulls.map((pull) => [pull, parts.said?.[pull]] as const);
      return new Map(
        answers.flatMap(([pull, answer]) =>
          answer?.kind === 'unread' ? [] : [[pull, answer?.seen ?? seen()] as const],
        ),
      );
    },
    async filesAt(_: string, paths: readonly string[]) {
      step(`read ${paths.join(', ')}`);
      return new Map(paths.map((path) => [path, parts.headFiles?.[path] ?? '']));
    },
    async change(): Promise<ChangeAnswer> {
      step('read change');
      return parts.change ?? { kind: 'unread', message: 'there is no change.' };
    },
  };
  const library = createFakeLibrary(parts, step);
  const loadHeadAgent = async (name: string) => {
    step(`look at agent ${name} of the head`);
    return load(name, headAgents ?? {}, 'octocat/hello@head');
  };
  const world: Dependencies = {
    clock,
    agents: library,
    ...(headAgents === undefined ? {} : { headAgents: { ...library, loadAgent: loadHeadAgent } }),
    models: {
      configure: async () => step('read config', fails.configure),
      open: async (ref) => {
        step('open model', fails.open);
        const model =
          parts.models?.[formatModelRef(ref)] ??
          parts.model ??
          createFakeModel([says('the answer')]);
        if (model instanceof Error) throw model;
        return listened(model, steps);
      },
      facts: (ref) => ({
        price: undefined,
        windowTokens: undefined,
        ...parts.facts?.[formatModelRef(ref)],
      }),
    },
    async openTools(request) {
      toolRequests.push(request);
      const { name } = request.agent;
      const box = parts.boxes?.[name];
      if (box === undefined) return { tools: [], close: async () => {} };
      step(`open tools of ${name}`, box instanceof Error ? box : undefined);
      const { tools = [], warnings: told = [] } = box instanceof Error ? {} : box;
      for (const warning of told) request.warn(warning);
      return { tools, close: async () => step(`close tools of ${name}`) };
    },
    openMemory: () => store,
    ...(permissions === undefined ? {} : { github }),
    publisher: {
      async publish(requested) {
        step(`publish ${requested.outcome.kind}`);
        requests.push(requested);
        return parts.published ?? { posts: [] };
      },
      async tellFindings(findings) {
        step('tell findings');
        return resultOf(findings);
      },
      async turn() {
        step('turn conversations');
        return parts.turned ?? { facts: [], isChanged: false };
      },
      async reply(answer) {
        step('reply');
        replies.push(answer);
        return parts.published ?? { posts: [] };
      },
    },
    journal: {
      async pending(changes) {
        step('journal pending');
        journaled.push(changes);
      },
      async forget() {
        step('journal forget');
      },
      async found(markdown) {
        found.push(markdown);
      },
      async accepted() {},
      async spent() {},
      async done(changes) {
        step('journal done');
        settled.push(changes);
      },
    },
    reporter: {
      event: (event) => void events.push(event),
      warn: (warning) => void warnings.push(warning),
    },
    deadline: {
      signal: controller.signal,
      closing: closing.signal,
      limit: (ms) => void limitsMs.push(ms),
      leftMs: () =>
        (limitsMs.at(-1) ?? Number.POSITIVE_INFINITY) - (clock.now().getTime() - startedAt),
      cancel: (reason) => controller.abort(reason),
      clear: () => {},
    },
    closeTools: async () => {},
    publishRules: DEFAULT_PUBLISH_RULES,
    cwd: '/work',
    program: 'axe-action',
    secrets: fakeSecrets(parts.secrets),
  };
  const record = {
    found,
    steps,
    events,
    warnings,
    journaled,
    settled,
    toolRequests,
    replies,
    requests,
  };
  return {
    ...world,
    ...record,
    /** The fake itself: tests let its time pass. */
    clock,
    memory: files,
    reads,
    /** Ends the run with this reason, as a deadline or a cancellation does. */
    abort: (reason: Error) => controller.abort(reason),
  };
}

/** What the publisher hands to other programs. */
function resultOf({ agent, head, pull, ledger, news }: ToldFindings): ReviewResult {
  const findings = findingRecords({ ledger, news, buffered: NO_PUBLICATIONS });
  return {
    agent,
    report: { head, base: '', pull, coverage: undefined, findings },
    isUnpublished: false,
  };
}

/** A tool that says something. */
export function fakeTool(
  name: string,
  effect: ToolEffect = 'read',
  result: Partial<ToolResult> = {},
): Tool {
  const said = { text: 'done', isError: false, ...result };
  return {
    name,
    effect,
    description: name,
    inputSchema: { type: 'object' },
    execute: async () => said,
  };
}

/** A request as the command line makes it, with nothing given. */
export function makeRequest(patch: Partial<RunRequest> = {}): RunRequest {
  return {
    agent: 'bot',
    model: '',
    skill: '',
    workdir: '',
    prompt: '',
    trigger: { kind: 'local' },
    readChange: async () => undefined,
    origin: undefined,
    inWorkflow: false,
    readStdin: async () => '',
    admissionPolicy: DEFAULT_ADMISSION_POLICY,
    readCheckout: async () => undefined,
    isMemoryReadOnly: false,
    diffPolicy: DEFAULT_DIFF_POLICY,
    // A scripted model has no reply for a second look.
    review: { depth: 'quick' },
    isMemoryHidden: false,
    maxTurns: 50,
    tokenLimit: (agentMaxTokens) => agentMaxTokens,
    outputSchema: '',
    maxCostUsd: 0,
    spendLimits: { perPullUsd: 0, perDayUsd: 0 },
    fallbackModels: [],
    timeLimit: (agentSeconds) => (agentSeconds > 0 ? agentSeconds : 120),
    dryRun: false,
    ...patch,
  };
}

type Step = (name: string, failure?: Error) => void;

function createFakeLibrary(
  { agents, skills, files, guidance = [], fails = {} }: FakeDependenciesParts,
  step: Step,
): AgentLibrary {
  return {
    async loadAgent(name) {
      step('load agent', fails.loadAgent);
      return load(name, agents ?? { bot: AGENT_WITH_MEMORY }, `${name}.toml`);
    },
    async loadSkill(path) {
      step('load skill');
      const skill = skills?.[path];
      if (skill === undefined) throw new NotFoundError('skill', path);
      return skill;
    },
    async loadGuidance() {
      if (guidance instanceof Error) throw guidance;
      return guidance;
    },
    async loadContextFiles() {
      step('load files', fails.files);
      return { files: files ?? [], warnings: [] };
    },
  };
}

function load(name: string, agents: Readonly<Record<string, string | Error>>, source: string) {
  const toml = agents[name];
  if (toml === undefined) throw new NotFoundError('agent', name);
  if (toml instanceof Error) throw toml;
  return { name, source, ...parseAgent(toml, { name, file: source }) };
}

/** A store with the real rules for reading and changing run logs, over a map. */
function createFakeStore({ memory = {}, restore, save }: FakeDependenciesParts, steps: string[]) {
  const files = new Map(Object.entries(memory));
  const reads: ReadRequest[] = [];
  const store: MemoryStore = {
    kind: 'file',
    async read(request) {
      steps.push('read memory');
      reads.push(request);
      if (restore !== undefined) return restore;
      return readLogIn(files, request, { ...placeOf(request.path), warnings: [] });
    },
    readTree: async () => ({ kind: 'tree', tree: files, warnings: [], location: '/memory' }),
    async write(changes, signal) {
      steps.push('write memory');
      if (signal.aborted)
        return { kind: 'failed', reason: 'timeout', message: 'the run was stopped' };
      if (save !== undefined) return save;
      for (const [path, text] of applyChanges(files, changes)) files.set(path, text);
      return { kind: 'saved', ...placeOf(changes[0]?.path), attempts: 1 };
    },
  };
  return { store, files, reads };
}

function placeOf(path = ''): MemoryLocation {
  return { location: `/memory/${path}`, prefix: '/memory/' };
}

function listened(model: LanguageModel, steps: string[]): LanguageModel {
  return {
    ...model,
    doGenerate(options) {
      steps.push('ask model');
      return model.doGenerate(options);
    },
  };
}

/** The error of a step that failed on purpose. */
export function broken(step: string): AxeError {
  return new AxeError(`${step} is broken`);
}

/** Secrets of any strength, each of the variable `A_SECRET`. */
function fakeSecrets(values: readonly string[] = []): Secrets {
  return { values, guessedNames: [], nameOf: () => 'A_SECRET', add: () => undefined };
}
