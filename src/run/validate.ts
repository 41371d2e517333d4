import { dirname } from 'node:path';
import type { AgentConfig } from '../agent/config.js';
import { errorFault, type Fault, inFileOrder, warningFault } from '../agent/fault.js';
import { inspectAgent } from '../agent/inspect.js';
import { type AgentFile, type AgentLoader, type ListedFile, twinError } from '../agent/loader.js';
import type { KeyPath, Locator } from '../agent/locate.js';
import { type ModelRef, parseModelRef } from '../agent/model-ref.js';
import { AxeError, ConfigError, shownFile, sourcePosition } from '../lib/errors.js';
import { compareBytes } from '../lib/text/bytes.js';
import { PatternError } from '../lib/text/glob.js';
import { count } from '../lib/text/number.js';
import { type JsonSchema, responseFormatOf, schemaOrigin } from '../loop/structured.js';
import { namedNotesTools, notesAreOff } from './notes.js';
import type { CheckedAgent, Validation } from './records.js';
import { AGENT_TOOLS, unknownTool } from './tool-registry.js';

/** Most files and patterns that are looked for: anybody may have written what agents name, and each one costs a request or a walk. */
const MAX_LOOK_UPS = 300;

/**
 * Looks at agents, and at the sub-agents they name, without running any of them. Throws a ConfigError where there is
 * nothing to look at, for a name that was asked for and is none, and for an `output-schema` that is none.
 */
export async function validateAgents(
  { names, outputSchema, isFolderNamed }: ValidationRequest,
  deps: ValidationDependencies,
): Promise<Validation> {
  const { agents: loader } = deps;
  await checkForm({ responseFormat: undefined }, outputSchema, deps.checkSchema);
  const places = await loader.listFiles();
  if (names.length === 0 && places.length === 0) throw noAgents(loader.folders, deps);
  const [named = ''] = isFolderNamed ? loader.folders : [];
  if (named !== '' && !places.some(({ file }) => file.startsWith(`${named}/`))) throw noAgents([named], deps);
  const queue = new AgentQueue(deps, places);
  const requested = names.length === 0 ? places.map(({ name }) => name) : names;
  for (const name of requested) {
    const missing = await queue.add(name);
    if (missing !== undefined) throw missing;
  }
  const agents = await queue.finish();
  return { where: deps.where, agents: agents.toSorted((a, b) => compareBytes(a.file, b.file)) };
}

function noAgents(folders: readonly string[], { where }: ValidationDependencies): ConfigError {
  const named = listFolders(folders);
  return new ConfigError(`there are no agents in ${named} of ${where}`, {
    remedy:
      'Name another folder with `agents-dir` (`--agents-dir`), or an agent by the path of its file. `axe-action init` writes an agent.',
  });
}

function listFolders(folders: readonly string[]): string {
  const quoted = folders.map((folder) => `\`${folder}\``);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} and ${last}`;
}

/** The agents that were found so far, each looked at once, with what they name. */
class AgentQueue {
  private readonly listed: ReadonlyMap<string, ListedFile>;
  private readonly files = new Map<string, string | ConfigError>();
  private readonly seen = new Set<string>();
  private readonly pending: (() => CheckedAgent | Promise<CheckedAgent>)[] = [];
  private readonly counted = new Map<string, Promise<number | undefined>>();
  private lookUps = 0;

  constructor(
    readonly deps: ValidationDependencies,
    private readonly places: readonly ListedFile[],
  ) {
    this.listed = new Map(places.map((place) => [place.name, place]));
  }

  /** Adds an agent by its name; an error is one that has no file of its own to be told at. */
  async add(name: string): Promise<ConfigError | undefined> {
    const file = this.files.get(name) ?? (await this.find(name));
    this.files.set(name, file);
    return file instanceof ConfigError ? file : undefined;
  }

  /** Looks at all that were added, and at those they name. */
  async finish(): Promise<readonly CheckedAgent[]> {
    const checked: CheckedAgent[] = [];
    for (let next = this.pending.shift(); next !== undefined; next = this.pending.shift())
      checked.push(await next());
    return checked;
  }

  /** Counts one more file that has to be looked for. Throws a ConfigError when they become too many. */
  lookUp(): void {
    this.deps.signal?.throwIfAborted();
    this.lookUps += 1;
    if (this.lookUps <= MAX_LOOK_UPS) return;
    throw new ConfigError(`there are more than ${MAX_LOOK_UPS} agents and files that they refer to`, {
      remedy: 'Check them one at a time: name one with `agent`.',
    });
  }

  /** How many files match a pattern, asked once; undefined where that cannot be told. Rejects with what a run would say. */
  countFiles(pattern: string, workdir: string): Promise<number | undefined> {
    const key = JSON.stringify([workdir, pattern]);
    const known = this.counted.get(key);
    if (known !== undefined) return known;
    this.lookUp();
    const count = this.deps.agents.countFiles(pattern, workdir);
    this.counted.set(key, count);
    return count;
  }

  private async find(name: string): Promise<string | ConfigError> {
    this.lookUp();
    try {
      const agent = await this.deps.agents.openAgent(name);
      const file = agent.file.toLowerCase();
      const twin = this.places.find(
        (other) => other.file !== agent.file && other.file.toLowerCase() === file,
      );
      // A run at a ref asks for the one file, and lists nothing.
      if (twin !== undefined) throw twinError(name, twin.name, dirname(agent.file));
      return this.enqueue(agent.file, () => checkAgent(agent, this));
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      const place = this.listed.get(name);
      if (place === undefined) return thrown;
      const faults = [errorFault(thrown, { file: place.file })];
      return this.enqueue(place.file, () => ({ ...place, config: undefined, faults }));
    }
  }

  private enqueue(file: string, check: () => CheckedAgent | Promise<CheckedAgent>): string {
    if (!this.seen.has(file)) this.pending.push(check);
    this.seen.add(file);
    return file;
  }
}

/** An agent whose file could be read, with what finds its keys. */
interface ReadAgent extends AgentFile {
  readonly config: AgentConfig;
  readonly locator: Locator;
}

async function checkAgent(found: AgentFile, queue: AgentQueue): Promise<CheckedAgent> {
  const { name, file } = found;
  const { config, errors, warnings, workflowWarnings, locator } = inspectAgent(found.text, { name, file });
  const own = [
    ...errors.map((error) => errorFault(error, { file })),
    ...[...warnings, ...workflowWarnings].map((warning) => warningFault(warning, { file })),
  ];
  if (config === undefined) return { name, file, config, faults: own };
  const agent = { ...found, config, locator };
  // What it names: model, tools, skill, context files, other agents, the form of its answer.
  const named = [
    ...modelFaults(agent, queue),
    ...toolFaults(agent),
    ...(await skillFaults(agent, queue)),
    ...(await fileFaults(agent, queue)),
    ...(await agentFaults(agent, queue)),
    ...(await formFaults(agent, queue)),
  ];
  return { name, file, config, faults: inFileOrder([...own, ...named]) };
}

function at({ file, locator }: ReadAgent, path: KeyPath): Fault['at'] {
  return { file, ...locator.findNearest(path) };
}

function modelFaults(agent: ReadAgent, { deps }: AgentQueue): readonly Fault[] {
  const { model } = agent.config;
  const place = at(agent, ['model']);
  if (model.trim() === '') return [];
  try {
    const problem = deps.modelProblem(parseModelRef(model));
    return problem === undefined ? [] : [errorFault(problem, place)];
  } catch (thrown) {
    return [asFault(thrown, place)];
  }
}

function toolFaults(agent: ReadAgent): readonly Fault[] {
  const { name, config } = agent;
  const place = at(agent, ['tools']);
  const unknown = [...new Set(config.tools)].filter((tool) => !AGENT_TOOLS.includes(tool));
  const named = namedNotesTools(config.tools);
  const isOff = named.length > 0 && !(config.memory.enabled && config.memory.notes);
  return [
    ...unknown.map((tool) => errorFault(unknownTool(tool), place)),
    ...(isOff ? [warningFault(notesAreOff(name, named), place)] : []),
  ];
}

async function skillFaults(agent: ReadAgent, queue: AgentQueue): Promise<readonly Fault[]> {
  const { skill } = agent.config;
  if (skill === '') return [];
  queue.lookUp();
  const missing = await trouble(() => queue.deps.agents.loadSkill(skill, agent));
  return missing === undefined ? [] : [errorFault(missing, at(agent, ['skill']))];
}

async function fileFaults(agent: ReadAgent, queue: AgentQueue): Promise<readonly Fault[]> {
  const { files, workdir } = agent.config;
  const faults: Fault[] = [];
  for (const [index, pattern] of files.entries()) {
    const count = queue.countFiles(pattern, workdir);
    try {
      if ((await count) !== 0) continue;
      const message = `${JSON.stringify(pattern)} in \`files\` matches no file`;
      const remedy = 'Correct the pattern, or remove it.';
      faults.push(warningFault({ message, remedy }, at(agent, ['files', index])));
    } catch (thrown) {
      const isPattern = thrown instanceof PatternError;
      faults.push(asFault(thrown, at(agent, isPattern || workdir === '' ? ['files', index] : ['workdir'])));
      if (!isPattern) break;
    }
  }
  return faults;
}

/** Sub-agents, and the agent that verifies. */
async function agentFaults(agent: ReadAgent, queue: AgentQueue): Promise<readonly Fault[]> {
  const { subAgents, review } = agent.config;
  const named: { readonly name: string; readonly path: KeyPath }[] = [
    ...subAgents.map((name, index) => ({ name, path: ['sub_agents', index] })),
    ...(review.verifier === '' ? [] : [{ name: review.verifier, path: ['review', 'verifier'] }]),
  ];
  const faults: Fault[] = [];
  for (const { name, path } of named) {
    const missing = await queue.add(name);
    if (missing === undefined) continue;
    const { message, remedy } = missing;
    const error = new ConfigError(`failed to load agent ${JSON.stringify(name)}: ${message}`, { remedy });
    faults.push(errorFault(error, at(agent, path)));
  }
  return faults;
}

/** A stranger's schema is held against the rules of schemas, and never made a program of. */
async function formFaults(agent: ReadAgent, { deps }: AgentQueue): Promise<readonly Fault[]> {
  const wrong = await trouble(() => checkForm(agent.config.params, '', deps.checkSchema));
  return wrong === undefined ? [] : [errorFault(wrong, at(agent, ['params', 'response_format', 'schema']))];
}

/** Refuses a form of the answer that a run could not use. Throws a ConfigError. */
async function checkForm(
  params: Parameters<typeof responseFormatOf>[0],
  outputSchema: string,
  checkSchema: ValidationDependencies['checkSchema'],
): Promise<void> {
  const schema = responseFormatOf(params, outputSchema)?.schema;
  if (schema !== undefined) await checkSchema(schema, schemaOrigin(outputSchema));
}

/** What is thrown that a person can fix in the agent; undefined if nothing is. */
async function trouble(work: () => Promise<unknown>): Promise<ConfigError | undefined> {
  try {
    await work();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown;
    throw thrown;
  }
}

function asFault(thrown: unknown, place: Fault['at']): Fault {
  if (thrown instanceof ConfigError || (thrown instanceof AxeError && thrown.name === 'AxeError'))
    return errorFault(thrown, place);
  throw thrown;
}

export interface ValidationRequest {
  /** Empty for all there are. Their sub-agents are looked at too. */
  readonly names: readonly string[];
  /** The input `output-schema`; empty for none. */
  readonly outputSchema: string;
  /** Whether a folder of agents was named, which is the first that is searched then. */
  readonly isFolderNamed: boolean;
}

/** What agents are held against. Nothing of it asks a model, needs a key or touches memory. */
export interface ValidationDependencies {
  readonly agents: Pick<AgentLoader, 'folders' | 'listFiles' | 'openAgent' | 'loadSkill' | 'countFiles'>;
  /** Half a sentence for people: whose files these are. */
  readonly where: string;
  /** Why a run with this environment could not open a model, if so; a key is not asked for. */
  modelProblem(ref: ModelRef): AxeError | undefined;
  /** When it is aborted, nothing more is looked for. */
  readonly signal?: AbortSignal | undefined;
  /** Refuses an invalid JSON schema, and makes no program of it. Throws a ConfigError. */
  checkSchema(schema: JsonSchema, origin: string): Promise<void>;
}

function countFaults(faults: readonly Fault[], severity: Fault['severity']): number {
  return faults.filter((fault) => fault.severity === severity).length;
}

export function allFaults({ agents }: Validation): readonly Fault[] {
  return agents.flatMap(({ faults }) => faults);
}

/** Whether no agent has an error; warnings are none. */
export function isValid(validation: Validation): boolean {
  return countFaults(allFaults(validation), 'error') === 0;
}

/** Faults that are listed; the rest is counted. Files are anybody's, and an output holds a megabyte. */
const MAX_LISTED = 200;

/** All that was found, a line each with its remedy below, and how many agents that were. */
export function formatValidation(validation: Validation): readonly string[] {
  const { agents } = validation;
  const faults = allFaults(validation);
  const left = faults.length - MAX_LISTED;
  return [
    ...agents.filter(({ faults: own }) => own.length === 0).map(({ file }) => `${shownFile(file)}: valid`),
    ...faults.slice(0, MAX_LISTED).flatMap((fault) => formatFault(fault)),
    ...(left > 0 ? [`and ${left} more`] : []),
    '',
    `${count(agents.length, 'agent')}: ${formatCounts(faults) || 'valid'}`,
  ];
}

/** `axe/agents/a.toml:3:1: error: …`, as editors and compilers write it. */
function formatFault({ at, severity, message, remedy }: Fault): readonly string[] {
  const [first = '', ...others] = `${message}${remedy === '' ? '' : `\n${remedy}`}`.split('\n');
  const place = sourcePosition({ ...at, file: shownFile(at.file) });
  return [`${place}: ${severity}: ${first}`, ...others.map((line) => `  ${line}`)];
}

/** The same for programs: one line of JSON; what is not known is null. */
export function formatValidationJson(validation: Validation): string {
  const agents = validation.agents.map(({ name, file, faults }) => ({
    name,
    file,
    valid: countFaults(faults, 'error') === 0,
    faults: faults.map(({ severity, message, remedy, at }) => ({
      severity,
      message,
      remedy: remedy === '' ? null : remedy,
      file: at.file,
      line: at.line ?? null,
      column: at.column ?? null,
    })),
  }));
  return JSON.stringify({ valid: isValid(validation), agents });
}

/** `2 errors, 1 warning`, or `valid`. */
export function formatVerdict({ faults }: CheckedAgent): string {
  return formatCounts(faults) || 'valid';
}

function formatCounts(faults: readonly Fault[]): string {
  const counts = (['error', 'warning'] as const).map((severity) => ({
    severity,
    number: countFaults(faults, severity),
  }));
  return counts.flatMap(({ severity, number }) => (number === 0 ? [] : [count(number, severity)])).join(', ');
}
