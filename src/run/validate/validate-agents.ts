import { dirname } from 'node:path';
import type { AgentConfig } from '../../agent/config.js';
import { errorFault, type Fault, inFileOrder, warningFault } from '../../agent/fault.js';
import { inspectAgent } from '../../agent/inspect.js';
import { type AgentFile, type ListedFile, twinError } from '../../agent/loader.js';
import type { KeyPath, Locator } from '../../agent/locate.js';
import { parseModelRef } from '../../agent/model-ref.js';
import { nearest } from '../../agent/suggest.js';
import { AxeError, ConfigError } from '../../lib/errors.js';
import { compareBytes } from '../../lib/text/bytes.js';
import { PatternError } from '../../lib/text/glob.js';
import { responseFormatOf, schemaOrigin } from '../../loop/structured.js';
import { AGENT_TOOLS } from '../../tools/registry.js';
import { namedNotesTools, notesAreOff } from '../notes.js';
import type { CheckedAgent, Validation, ValidationDependencies, ValidationRequest } from './validation.js';

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
  const queue = createQueue(deps, places);
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

/** An agent that is to be looked at, or why its file cannot be read. */
type Added =
  | { readonly kind: 'text'; readonly text: AgentFile }
  | { readonly kind: 'unreadable'; readonly place: ListedFile; readonly error: ConfigError };

function createQueue(deps: ValidationDependencies, places: readonly ListedFile[]) {
  const listed = new Map(places.map((place) => [place.name, place]));
  const files = new Map<string, string | ConfigError>();
  const pending: Added[] = [];
  const seen = new Set<string>();
  const counted = new Map<string, Promise<number | undefined>>();
  let lookUps = 0;

  function lookUp(): void {
    deps.signal?.throwIfAborted();
    lookUps += 1;
    if (lookUps <= MAX_LOOK_UPS) return;
    throw new ConfigError(`there are more than ${MAX_LOOK_UPS} agents and files that they name`, {
      remedy: 'Look at them one by one: name one with `agent`.',
    });
  }

  /** The file of an agent, or why there is none. */
  async function fileOf(name: string): Promise<string | ConfigError> {
    const known = files.get(name);
    if (known !== undefined) return known;
    lookUp();
    const found = await read(name, listed.get(name));
    files.set(name, found);
    return found;
  }

  async function read(name: string, place: ListedFile | undefined): Promise<string | ConfigError> {
    try {
      const text = await deps.agents.openAgent(name);
      const file = text.file.toLowerCase();
      const twin = places.find((other) => other.file !== text.file && other.file.toLowerCase() === file);
      // A run at a ref asks for the one file, and lists nothing.
      if (twin !== undefined) throw twinError(name, twin.name, dirname(text.file));
      enqueue(text.file, { kind: 'text', text });
      return text.file;
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      if (place === undefined) return thrown;
      enqueue(place.file, { kind: 'unreadable', place, error: thrown });
      return place.file;
    }
  }

  function enqueue(file: string, added: Added): void {
    if (seen.has(file)) return;
    seen.add(file);
    pending.push(added);
  }

  const references: References = {
    ...deps,
    lookUp,
    countFiles(pattern, workdir) {
      const key = JSON.stringify([workdir, pattern]);
      const known = counted.get(key);
      if (known !== undefined) return known;
      lookUp();
      const count = deps.agents.countFiles(pattern, workdir);
      counted.set(key, count);
      return count;
    },
    findSubAgent: async (name) => asError(await fileOf(name)),
  };

  return {
    /** An error is one that has no file of its own to be told at. */
    add: async (name: string) => asError(await fileOf(name)),
    /** Looks at all that were added, and at those they name. */
    async finish(): Promise<readonly CheckedAgent[]> {
      const checked: CheckedAgent[] = [];
      for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
        checked.push(await checkAgent(next, references));
      }
      return checked;
    },
  };
}

function asError(found: string | ConfigError): ConfigError | undefined {
  return found instanceof ConfigError ? found : undefined;
}

async function checkAgent(added: Added, references: References): Promise<CheckedAgent> {
  if (added.kind === 'unreadable') {
    const { place, error } = added;
    const at = { file: place.file };
    return { ...place, config: undefined, faults: [errorFault(error, at)] };
  }
  const { text } = added;
  const { name, file } = text;
  const { config, errors, warnings, workflowWarnings, locator } = inspectAgent(text.text, { name, file });
  const own = [
    ...errors.map((error) => errorFault(error, { file })),
    ...[...warnings, ...workflowWarnings].map((warning) => warningFault(warning, { file })),
  ];
  if (config === undefined) return { name, file, config, faults: own };
  const named = await checkReferences({ ...text, config, locator }, references);
  return { name, file, config, faults: inFileOrder([...own, ...named]) };
}

/** An agent whose file could be read, with what finds its keys. */
interface ReadAgent extends AgentFile {
  readonly config: AgentConfig;
  readonly locator: Locator;
}

/** What an agent names is looked for with. */
interface References extends ValidationDependencies {
  /** Why a sub-agent cannot be loaded, if so. */
  findSubAgent(name: string): Promise<ConfigError | undefined>;
  /** How many files match a pattern, asked once; undefined where that cannot be told. Rejects with what a run would say. */
  countFiles(pattern: string, workdir: string): Promise<number | undefined>;
  /** Counts one more file that has to be looked for. Throws a ConfigError when they become too many. */
  lookUp(): void;
}

/** What is wrong with what an agent names: model, tools, skill, context files, sub-agents, the form of its answer. */
async function checkReferences(agent: ReadAgent, references: References): Promise<readonly Fault[]> {
  return [
    ...modelFaults(agent, references),
    ...toolFaults(agent),
    ...(await skillFaults(agent, references)),
    ...(await fileFaults(agent, references)),
    ...(await subAgentFaults(agent, references)),
    ...(await verifierFaults(agent, references)),
    ...(await formFaults(agent, references)),
  ];
}

function at({ file, locator }: ReadAgent, path: KeyPath): Fault['at'] {
  return { file, ...locator.findNearest(path) };
}

function modelFaults(agent: ReadAgent, { modelProblem }: References): readonly Fault[] {
  const { model } = agent.config;
  const place = at(agent, ['model']);
  if (model.trim() === '') return [];
  try {
    const problem = modelProblem(parseModelRef(model));
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
    ...unknown.map((tool) => warningFault({ message: unknownTool(tool) }, place)),
    ...(isOff ? [warningFault(notesAreOff(name, named), place)] : []),
  ];
}

function unknownTool(tool: string): string {
  const meant = nearest(tool, AGENT_TOOLS);
  const guess = meant === undefined ? '' : ` Did you mean \`${meant}\`?`;
  return `there is no tool ${JSON.stringify(tool)}; a run goes on without it.${guess}`;
}

async function skillFaults(agent: ReadAgent, references: References): Promise<readonly Fault[]> {
  const { skill } = agent.config;
  if (skill === '') return [];
  references.lookUp();
  const missing = await trouble(() => references.agents.loadSkill(skill, agent));
  return missing === undefined ? [] : [errorFault(missing, at(agent, ['skill']))];
}

async function fileFaults(agent: ReadAgent, { countFiles }: References): Promise<readonly Fault[]> {
  const { files, workdir } = agent.config;
  const faults: Fault[] = [];
  for (const [index, pattern] of files.entries()) {
    const count = countFiles(pattern, workdir);
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

async function subAgentFaults(agent: ReadAgent, references: References): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const [index, name] of agent.config.subAgents.entries())
    faults.push(...(await missingAgent(agent, { name, path: ['sub_agents', index] }, references)));
  return faults;
}

async function verifierFaults(agent: ReadAgent, references: References): Promise<readonly Fault[]> {
  const { verifier: name } = agent.config.review;
  return name === '' ? [] : await missingAgent(agent, { name, path: ['review', 'verifier'] }, references);
}

async function missingAgent(
  agent: ReadAgent,
  { name, path }: { readonly name: string; readonly path: KeyPath },
  { findSubAgent }: References,
): Promise<readonly Fault[]> {
  const missing = await findSubAgent(name);
  if (missing === undefined) return [];
  const { message, remedy } = missing;
  const error = new ConfigError(`failed to load agent ${JSON.stringify(name)}: ${message}`, {
    ...(remedy === undefined ? {} : { remedy }),
  });
  return [errorFault(error, at(agent, path))];
}

/** A stranger's schema is held against the rules of schemas, and never made a program of. */
async function formFaults(agent: ReadAgent, { checkSchema }: References): Promise<readonly Fault[]> {
  const wrong = await trouble(() => checkForm(agent.config.params, '', checkSchema));
  return wrong === undefined ? [] : [errorFault(wrong, at(agent, ['params', 'response_format', 'schema']))];
}

/** Refuses a form of the answer that a run could not use. Throws a ConfigError. */
async function checkForm(
  params: Parameters<typeof responseFormatOf>[0],
  outputSchema: string,
  checkSchema: ValidationDependencies['checkSchema'],
): Promise<void> {
  const schema = responseFormatOf(params, outputSchema)?.schema;
  if (schema === undefined) return;
  const origin = schemaOrigin(outputSchema);
  await checkSchema(schema, origin);
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
