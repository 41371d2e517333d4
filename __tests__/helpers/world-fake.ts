import { parseAgent } from '../../src/axe/agent/parse.js';
import { AxeError, ConfigError } from '../../src/axe/errors.js';
import type { RunEvent } from '../../src/axe/loop/events.js';
import { applyChanges, type Change } from '../../src/axe/memory/change.js';
import { countEntries, lastEntries } from '../../src/axe/memory/run-log.js';
import type {
  AgentLibrary,
  ContextFile,
  LanguageModel,
  MemoryStore,
  PermissionAnswer,
  Published,
  ReadRequest,
  RestoreResult,
  SaveResult,
  World,
} from '../../src/axe/ports.js';
import type { TriggerContext } from '../../src/axe/prompt/context.js';
import type { Warning } from '../../src/axe/warning.js';
import type { RunRequest } from '../../src/pipeline/request.js';
import { createFakeClock, type FakeClock } from '../memory-stores/fake-clock.js';
import { createFakeModel, says } from './model-fake.js';

/** What a fake world holds; everything has a harmless default. */
export interface FakeWorldParts {
  /** TOML by agent name. */
  readonly agents?: Readonly<Record<string, string>>;
  /** TOML by agent name, as the pull request's head has it; left out, nobody looks there. */
  readonly headAgents?: Readonly<Record<string, string | Error>>;
  readonly skills?: Readonly<Record<string, string>>;
  readonly files?: readonly ContextFile[];
  readonly model?: LanguageModel;
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
  readonly published?: Published;
  readonly secrets?: readonly string[];
}

/** A world in memory that writes down what was done in it, in order. */
export interface FakeWorld extends World {
  readonly steps: readonly string[];
  readonly events: readonly RunEvent[];
  readonly warnings: readonly Warning[];
  readonly memory: ReadonlyMap<string, string>;
  readonly reads: readonly ReadRequest[];
  /** Changes as they were written down before they were saved. */
  readonly journaled: readonly (readonly Change[])[];
  readonly limitsMs: readonly number[];
  readonly clock: FakeClock;
  /** Ends the run with this reason, as a deadline or a cancellation does. */
  abort(reason: Error): void;
}

/** The smallest agent. */
export const AGENT = 'name = "bot"\nmodel = "openai/m"\nsystem_prompt = "You help."\n';

/** The smallest agent with memory. */
export const AGENT_WITH_MEMORY = `${AGENT}[memory]\nenabled = true\n`;

/** Puts a world together. */
export function createFakeWorld(parts: FakeWorldParts = {}): FakeWorld {
  const steps: string[] = [];
  const events: RunEvent[] = [];
  const warnings: Warning[] = [];
  const limitsMs: number[] = [];
  const journaled: (readonly Change[])[] = [];
  const controller = new AbortController();
  const clock = createFakeClock();
  const store = createFakeStore(parts, steps);
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
  };
  const library = createFakeLibrary(parts, step);
  return {
    steps,
    events,
    warnings,
    journaled,
    limitsMs,
    clock,
    memory: store.files,
    reads: store.reads,
    agents: library,
    ...(headAgents === undefined
      ? {}
      : {
          headAgents: {
            ...library,
            async loadAgent(name: string) {
              step(`look at agent ${name} of the head`);
              return load(name, headAgents, 'octocat/hello@head');
            },
          },
        }),
    models: {
      configure: async () => step('read config', fails.configure),
      open: async () => {
        step('open model', fails.open);
        return listened(parts.model ?? createFakeModel([says('the answer')]), steps);
      },
    },
    openMemory: () => store,
    ...(permissions === undefined ? {} : { github }),
    publisher: {
      async publish(_plan, outcome) {
        step(`publish ${outcome.kind}`);
        return parts.published ?? { line: undefined, url: undefined };
      },
    },
    journal: {
      async pending(changes) {
        step('journal pending');
        journaled.push(changes);
      },
      done: async () => step('journal done'),
    },
    reporter: { event: (event) => void events.push(event), warn: (warning) => void warnings.push(warning) },
    deadline: { signal: controller.signal, limit: (ms) => void limitsMs.push(ms) },
    saveSignal: new AbortController().signal,
    cwd: '/work',
    secrets: parts.secrets ?? [],
    abort: (reason) => controller.abort(reason),
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
    wantCount: false,
    maxTurns: 50,
    timeLimit: (agentSeconds) => (agentSeconds > 0 ? agentSeconds : 120),
    dryRun: false,
    ...patch,
  };
}

type Step = (name: string, failure?: Error) => void;

function createFakeLibrary({ agents, skills, files, fails = {} }: FakeWorldParts, step: Step): AgentLibrary {
  return {
    async loadAgent(name) {
      step('load agent', fails.loadAgent);
      return load(name, agents ?? { bot: AGENT_WITH_MEMORY }, `${name}.toml`);
    },
    async loadSkill(path) {
      step('load skill');
      const skill = skills?.[path];
      if (skill === undefined) throw new ConfigError(`skill not found: ${path}`);
      return skill;
    },
    async loadContextFiles() {
      step('load files', fails.files);
      return { files: files ?? [], warnings: [] };
    },
  };
}

function load(name: string, agents: Readonly<Record<string, string | Error>>, source: string) {
  const toml = agents[name];
  if (toml === undefined) throw new ConfigError(`agent config not found: ${name}`);
  if (toml instanceof Error) throw toml;
  return { name, source, ...parseAgent(toml, { name, file: source }) };
}

interface FakeStore extends MemoryStore {
  readonly files: ReadonlyMap<string, string>;
  readonly reads: readonly ReadRequest[];
}

/** A store with the real rules for reading and changing a run log, over a map. */
function createFakeStore({ memory = {}, restore, save }: FakeWorldParts, steps: string[]): FakeStore {
  const files = new Map(Object.entries(memory));
  const reads: ReadRequest[] = [];
  return {
    kind: 'file',
    files,
    reads,
    async read(request) {
      steps.push('read memory');
      reads.push(request);
      if (restore !== undefined) return restore;
      const location = `/memory/${request.path}`;
      const all = files.get(request.path);
      if (all === undefined || all === '') return { kind: 'empty', location, warnings: [] };
      const text = lastEntries(all, request.lastN);
      const total = request.count ? countEntries(all) : undefined;
      const loaded = countEntries(text);
      return { kind: 'restored', text, loaded, total, truncated: undefined, location, warnings: [] };
    },
    async write(changes, signal) {
      steps.push('write memory');
      if (signal.aborted) return { kind: 'failed', reason: 'timeout', message: 'the run was stopped' };
      if (save !== undefined) return save;
      for (const [path, text] of applyChanges(files, changes)) files.set(path, text);
      return { kind: 'saved', location: `/memory/${changes[0]?.path ?? ''}`, attempts: 1 };
    },
  };
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
