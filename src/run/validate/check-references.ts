import type { AgentConfig } from '../../agent/config.js';
import { errorFault, type Fault, warningFault } from '../../agent/fault.js';
import type { AgentFile } from '../../agent/loader.js';
import type { KeyPath, Locator } from '../../agent/locate.js';
import { parseModelRef } from '../../agent/model-ref.js';
import { nearest } from '../../agent/suggest.js';
import { AxeError, ConfigError } from '../../lib/errors.js';
import { PatternError } from '../../lib/text/glob.js';
import { responseFormatOf, schemaOrigin } from '../../loop/structured.js';
import { AGENT_TOOLS } from '../../tools/registry.js';
import { namedNotesTools, notesAreOff } from '../plan-notes.js';
import type { ValidationDependencies } from './validation.js';

/** An agent whose file could be read, with what finds its keys. */
interface ReadAgent extends AgentFile {
  readonly config: AgentConfig;
  readonly locator: Locator;
}

/** What an agent names is looked for with. */
export interface References extends ValidationDependencies {
  /** Why a sub-agent cannot be loaded, if so. */
  findSubAgent(name: string): Promise<ConfigError | undefined>;
  /** How many files match a pattern, asked once; undefined where that cannot be told. Rejects with what a run would say. */
  countFiles(pattern: string, workdir: string): Promise<number | undefined>;
  /** Counts one more file that has to be looked for. Throws a ConfigError when they become too many. */
  lookUp(): void;
}

/** What is wrong with what an agent names: model, tools, skill, context files, sub-agents, the form of its answer. */
export async function checkReferences(agent: ReadAgent, references: References): Promise<readonly Fault[]> {
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
export async function checkForm(
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
