import { dirname } from 'node:path';
import { type AgentConfig, type ModelRef, parseModelRef } from '../agent/config.js';
import { inFileOrder, inspectAgent } from '../agent/inspect.js';
import type { KeyPath } from '../agent/keys.js';
import { type AgentFile, type AgentLoader, sameNameError } from '../agent/loader.js';
import type { ModelParams } from '../agent/model-keys.js';
import {
  AxeError,
  ConfigError,
  displayFile,
  type SourcePosition,
  sourcePosition,
} from '../lib/errors.js';
import { compareBytes } from '../lib/text/bytes.js';
import { count, cutToCharacters } from '../lib/text/format.js';
import { PatternError } from '../lib/text/glob.js';
import { inspectSchema, responseFormatOf, schemaOrigin } from '../loop/structured.js';
import { AGENT_CHECKS } from './agent-checks.js';
import { namedNotesTools, notesAreOff } from './notes.js';
import type { CheckedAgent, Fault, SetupProblem, Validation } from './records.js';
import { AGENT_TOOLS, unknownTool } from './tools.js';

/** Maximum files and patterns to search: anybody can write agents, and each costs a request. */
const MAX_LOOK_UPS = 300;

/** The checks never ask a model, need an API key or touch memory. */
export interface ValidationDependencies {
  readonly agents: AgentLoader;
  /** Half a sentence for people that names the place of the files. */
  readonly where: string;
  /**
   * The reason if a run with this environment could not open a model, apart from a missing key, or
   * could not limit its cost. `params` is undefined for a model that only verifies.
   */
  modelProblem(ref: ModelRef, params: Pick<ModelParams, 'price'> | undefined): AxeError | undefined;
  /** Aborting it ends the search for files. */
  readonly signal?: AbortSignal;
}

/**
 * Checks agents, and the sub-agents they name, without running them. Throws a ConfigError if there
 * are no agents, if a requested name does not exist, and for an invalid `output-schema`.
 */
export async function validateAgents(
  request: {
    /** Empty for all agents. Their sub-agents are checked too. */
    readonly names: readonly string[];
    /** The input `output-schema`; empty for none. */
    readonly outputSchema: string;
    /** The caller named a folder of agents, which is then the first one to search. */
    readonly isFolderNamed: boolean;
  },
  deps: ValidationDependencies,
): Promise<Validation> {
  const { agents: loader, where } = deps;
  await checkForm({ responseFormat: undefined }, request.outputSchema);

  const listed = await loader.listFiles();
  const names = request.names.length === 0 ? listed.map(({ name }) => name) : request.names;
  const folders = loader.folders.slice(0, request.isFolderNamed ? 1 : undefined);
  const isEmpty =
    request.isFolderNamed && !listed.some(({ file }) => file.startsWith(`${folders[0]}/`));
  if (isEmpty || names.length === 0) {
    const folderList = folders.map((folder) => `\`${folder}\``).join(', ');
    throw new ConfigError(`there are no agents in ${folderList} of ${where}`, {
      remedy:
        'Name another folder with `agents-dir` (`--agents-dir`), or an agent by the path of its file. `axe-action init --agent NAME` writes an agent.',
    });
  }

  const checker = new AgentChecker(deps, { listed, checks: AGENT_CHECKS });
  for (const name of names) {
    const missing = await checker.visit(name);
    if (missing !== undefined) throw missing;
  }
  const agents = [...checker.checked.values()].toSorted((a, b) => compareBytes(a.file, b.file));
  return {
    where,
    agents: agents.map((agent) => ({ ...agent, faults: inFileOrder(agent.faults) })),
  };
}

/** Checks an agent as its run finds it; undefined if it has no file to report a mistake in. */
export async function checkAgent(
  name: string,
  deps: ValidationDependencies,
): Promise<CheckedAgent | undefined> {
  // Only what ends a run: its task can replace the instructions, for example.
  const checker = new AgentChecker(deps, { listed: [], checks: [] });
  await checker.visit(name);
  return [...checker.checked.values()].find((checked) => checked.name === name);
}

type ListedAgents = Awaited<ReturnType<AgentLoader['listFiles']>>;

/** Records a problem at the place of a key in the agent's file. */
type ReportFault = (
  severity: Fault['severity'],
  problem: Parameters<typeof faultOf>[1],
  path: KeyPath,
) => void;

class AgentChecker {
  /** Results by the path of the agent's file. */
  readonly checked = new Map<string, CheckedAgent>();
  /** Visited names, with the error of each agent that has no file to report it in. */
  readonly #visited = new Map<string, ConfigError | undefined>();
  readonly #deps: ValidationDependencies;
  readonly #listed: ListedAgents;
  readonly #checks: typeof AGENT_CHECKS;
  #lookUps = 0;

  constructor(
    deps: ValidationDependencies,
    rules: { readonly listed: ListedAgents; readonly checks: typeof AGENT_CHECKS },
  ) {
    this.#deps = deps;
    this.#listed = rules.listed;
    this.#checks = rules.checks;
  }

  /** Checks an agent and those it names. Returns an error that has no file to report it in. */
  async visit(name: string): Promise<ConfigError | undefined> {
    if (this.#visited.has(name)) return this.#visited.get(name);
    // Before the check, since agents can name each other.
    this.#visited.set(name, undefined);
    this.#countLookUp();

    const listedFile = this.#listed.find((agent) => agent.name === name);
    const opened = await this.#deps.agents.openAgent(name).catch((thrown: unknown) => {
      if (thrown instanceof ConfigError) return thrown;
      throw thrown;
    });
    if (!(opened instanceof ConfigError)) await this.#check(opened);
    else if (listedFile === undefined) this.#visited.set(name, opened);
    else {
      const faults = [faultOf('error', opened, { file: listedFile.file })];
      this.checked.set(listedFile.file, { ...listedFile, config: undefined, faults });
    }
    return this.#visited.get(name);
  }

  /** Throws a ConfigError if there are too many files to search. */
  #countLookUp(): void {
    this.#deps.signal?.throwIfAborted();
    this.#lookUps += 1;
    if (this.#lookUps <= MAX_LOOK_UPS) return;
    throw new ConfigError(
      `there are more than ${MAX_LOOK_UPS} agents and files that they refer to`,
      {
        remedy: 'Check them one at a time: name one with `agent`.',
      },
    );
  }

  async #check(agentFile: AgentFile): Promise<void> {
    const { name, file, text } = agentFile;
    if (this.checked.has(file)) return;

    const { config, errors, warnings, workflowWarnings, locate } = inspectAgent(text, {
      name,
      file,
    });
    const faults: Fault[] = [];
    const report: ReportFault = (severity, problem, path) => {
      const fault = faultOf(severity, problem, locate(path));
      // Two words of one list can have the same mistake.
      const isNew = !faults.some(
        ({ message, at }) => message === fault.message && at.line === fault.at.line,
      );
      if (isNew) faults.push(fault);
    };
    for (const error of errors) report('error', error, []);
    for (const warning of [...warnings, ...workflowWarnings])
      report(warning.code === 'agent-secret' ? 'error' : 'warning', warning, []);

    // Reported here because a run at a ref opens one file without listing the others.
    const twin = this.#listed.find(
      (agent) => agent.file !== file && agent.file.toLowerCase() === file.toLowerCase(),
    );
    if (twin !== undefined) report('error', sameNameError(name, twin.name, dirname(file)), []);

    this.checked.set(file, { name, file, config, faults });
    if (config !== undefined) await this.#checkConfig(config, agentFile, report);
  }

  async #checkConfig(
    config: AgentConfig,
    agentFile: AgentFile,
    report: ReportFault,
  ): Promise<void> {
    await this.#checkModels(config, report);
    checkTools(agentFile.name, config, report);
    for (const problem of this.#checks.flatMap(
      (check) => check({ file: agentFile.file, config }) ?? [],
    ))
      report(problem.severity, problem, problem.path);

    const { skill } = config;
    if (skill !== '') {
      this.#countLookUp();
      await attempt(report, ['skill'], () => this.#deps.agents.loadSkill(skill, agentFile));
    }
    await this.#checkFiles(config, report);
    await this.#checkReviewInstructions(config.review, report);
    await this.#checkSubAgents(config, report);
    // Anybody could have written the schema, so it is inspected but never compiled.
    await attempt(report, ['params', 'response_format', 'schema'], () =>
      checkForm(config.params, ''),
    );
  }

  async #checkModels({ model, review, params }: AgentConfig, report: ReportFault): Promise<void> {
    const models: [string, KeyPath][] = [
      [model, ['model']],
      [review.verifyModel, ['review', 'verify_model']],
    ];
    for (const [name, path] of models.filter(([modelName]) => modelName.trim() !== '')) {
      await attempt(report, path, () => {
        const ownParams = path[0] === 'model' ? params : undefined;
        const problem = this.#deps.modelProblem(parseModelRef(name), ownParams);
        if (problem !== undefined) report('error', problem, path);
      });
    }
  }

  async #checkFiles({ files, workdir }: AgentConfig, report: ReportFault): Promise<void> {
    for (const [index, pattern] of files.entries()) {
      this.#countLookUp();
      const error = await attempt(report, ['files', index], async () => {
        if ((await this.#deps.agents.countFiles(pattern, workdir)) !== 0) return;
        const message = `${JSON.stringify(pattern)} in \`files\` matches no file`;
        const remedy = 'Correct the pattern, or remove it.';
        report('warning', { message, remedy }, ['files', index]);
      });
      // Without the workdir no pattern matches.
      if (error !== undefined && !(error instanceof PatternError)) break;
    }
  }

  async #checkReviewInstructions(
    { instructions }: AgentConfig['review'],
    report: ReportFault,
  ): Promise<void> {
    if (instructions === '') return;
    this.#countLookUp();
    const path = ['review', 'instructions'];
    await attempt(report, path, async () => {
      if ((await this.#deps.agents.countFiles(instructions, '')) !== 0) return;
      const message = `the file ${JSON.stringify(instructions)} of \`instructions\` is not there`;
      const remedy = 'Correct the path, which starts at the top of the repository.';
      report('error', { message, remedy }, path);
    });
  }

  async #checkSubAgents({ subAgents, review }: AgentConfig, report: ReportFault): Promise<void> {
    const agents: [string, KeyPath][] = subAgents.map((name, index) => [
      name,
      ['sub_agents', index],
    ]);
    if (review.verifier !== '') agents.push([review.verifier, ['review', 'verifier']]);
    for (const [name, path] of agents) {
      const missing = await this.visit(name);
      if (missing === undefined) continue;
      const message = `failed to load agent ${JSON.stringify(name)}: ${missing.message}`;
      report('error', { message, remedy: missing.remedy }, path);
    }
  }
}

function checkTools(agent: string, { tools, memory }: AgentConfig, report: ReportFault): void {
  for (const tool of new Set(tools))
    if (!AGENT_TOOLS.includes(tool)) report('error', unknownTool(tool), ['tools']);
  const notesTools = namedNotesTools(tools);
  if (notesTools.length > 0 && !(memory.enabled && memory.notes))
    report('warning', notesAreOff(agent, notesTools), ['tools']);
}

/** Reports and returns an error that a person can fix in the agent's file; rethrows all others. */
async function attempt(
  report: ReportFault,
  path: KeyPath,
  work: () => unknown,
): Promise<AxeError | undefined> {
  try {
    await work();
    return undefined;
  } catch (thrown) {
    // The other subclasses are about the network or the end of the run.
    const isAboutAgent = thrown instanceof ConfigError || isPlainAxeError(thrown);
    if (!isAboutAgent) throw thrown;
    report('error', thrown, path);
    return thrown;
  }
}

function isPlainAxeError(thrown: unknown): thrown is AxeError {
  return thrown instanceof AxeError && thrown.name === 'AxeError';
}

/** Throws a ConfigError for a form of the answer that a run could not use. */
async function checkForm(
  params: Parameters<typeof responseFormatOf>[0],
  outputSchema: string,
): Promise<void> {
  const schema = responseFormatOf(params, outputSchema)?.schema;
  if (schema !== undefined) await inspectSchema(schema, schemaOrigin(outputSchema));
}

/** Problems of workflows, then those of agents. */
export function allFaults({ agents, workflows = [] }: Validation): readonly Fault[] {
  return [...workflows, ...agents.flatMap(({ faults }) => faults)];
}

/** Warnings do not make an agent invalid. */
export function isValid(validation: Validation): boolean {
  return problemsIn(validation).every(({ severity }) => severity !== 'error');
}

/** Problems of the inputs, then those of the agents. */
function problemsIn(validation: Validation): readonly SetupProblem[] {
  return [...(validation.setup ?? []), ...allFaults(validation)];
}

/** Maximum faults in the list: anybody can write the files, and an output can hold 1 MB. */
const MAX_LISTED = 200;

/** Lists valid agents and problems, each with its remedy below, and then the totals. */
export function formatValidation(validation: Validation): readonly string[] {
  const { agents, setup = [] } = validation;
  const faults = allFaults(validation);
  const notListed = faults.length - MAX_LISTED;
  return [
    ...agents
      .filter((agent) => formatVerdict(agent.faults) === VALID)
      .map(({ file }) => `${displayFile(file)}: valid`),
    ...setup.flatMap(formatFault),
    ...faults.slice(0, MAX_LISTED).flatMap(formatFault),
    ...(notListed > 0 ? [`and ${notListed} more`] : []),
    '',
    `${count(agents.length, 'agent')}: ${formatVerdict(problemsIn(validation))}`,
  ];
}

/** `axe/agents/a.toml:3:1: error: …`, the format of compilers that editors recognize. */
function formatFault({
  at,
  severity,
  message,
  remedy,
}: SetupProblem & Partial<Fault>): readonly string[] {
  const [first = '', ...others] = `${message}\n${remedy}`.trimEnd().split('\n');
  const place =
    at === undefined ? '' : `${sourcePosition({ ...at, file: displayFile(at.file) })}: `;
  return [`${place}${severity}: ${first}`, ...others.map((line) => `  ${line}`)];
}

/** One line of JSON for programs; unknown values are null. */
export function formatValidationJson(validation: Validation): string {
  const agents = validation.agents.map(({ name, file, faults }) => ({
    name,
    file,
    valid: faults.every(({ severity }) => severity !== 'error'),
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

const VALID = 'valid';

/** `2 errors, 1 warning`, or `valid`. */
export function formatVerdict(faults: readonly SetupProblem[]): string {
  const counts = (['error', 'warning'] as const).flatMap((severity) => {
    const { length } = faults.filter((fault) => fault.severity === severity);
    return length === 0 ? [] : [count(length, severity)];
  });
  return counts.join(', ') || VALID;
}

/** Maximum characters of a message, and of a remedy: they contain names that anybody can write. */
const MAX_MESSAGE = 1_000;

/** `defaultPosition` is for a problem without a position. */
export function faultOf(
  severity: Fault['severity'],
  problem: { message: string; remedy?: string; at?: SourcePosition },
  defaultPosition: SourcePosition,
): Fault {
  const { message, remedy = '', at: position = defaultPosition } = problem;
  const cut = (text: string) => cutToCharacters(text, MAX_MESSAGE);
  return { severity, message: cut(message), remedy: cut(remedy), at: position };
}
