import { dirname } from 'node:path';
import { type ModelRef, parseModelRef } from '../agent/config.js';
import { inFileOrder, inspectAgent } from '../agent/inspect.js';
import type { KeyPath } from '../agent/keys.js';
import { type AgentFile, type AgentLoader, sameNameError } from '../agent/loader.js';
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
import { namedNotesTools, notesAreOff } from './notes.js';
import type { CheckedAgent, Fault, Validation } from './records.js';
import { AGENT_TOOLS, unknownTool } from './tools.js';

/**
 * Most files and patterns that are looked for: anybody may have written what agents name, and each
 * one costs a request or a walk.
 */
const MAX_LOOK_UPS = 300;

/** What agents are held against. Nothing of it asks a model, needs a key or touches memory. */
export interface ValidationDependencies {
  readonly agents: AgentLoader;
  /** Half a sentence for people: whose files these are. */
  readonly where: string;
  /** Why a run with this environment could not open a model, if so; a key is not asked for. */
  modelProblem(ref: ModelRef): AxeError | undefined;
  /** When it is aborted, nothing more is looked for. */
  readonly signal?: AbortSignal;
}

/**
 * Looks at agents, and at the sub-agents they name, without running any of them. Throws a
 * ConfigError where there is nothing to look at, for a name that was asked for and is none, and for
 * an `output-schema` that is none.
 */
export async function validateAgents(
  request: {
    /** Empty for all there are. Their sub-agents are looked at too. */
    readonly names: readonly string[];
    /** The input `output-schema`; empty for none. */
    readonly outputSchema: string;
    /** Whether a folder of agents was named, which is the first that is searched then. */
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
    const named = folders.map((folder) => `\`${folder}\``).join(', ');
    throw new ConfigError(`there are no agents in ${named} of ${where}`, {
      remedy:
        'Name another folder with `agents-dir` (`--agents-dir`), or an agent by the path of its file. `axe-action init` writes an agent.',
    });
  }
  const checked = new Map<string, CheckedAgent>();
  /** By name, why an agent could not be opened. */
  const opened = new Map<string, ConfigError | undefined>();
  let lookUps = 0;

  /**
   * Counts one more file that has to be looked for. Throws a ConfigError when they become too many.
   */
  function lookUp(): void {
    deps.signal?.throwIfAborted();
    lookUps += 1;
    if (lookUps <= MAX_LOOK_UPS) return;
    throw new ConfigError(
      `there are more than ${MAX_LOOK_UPS} agents and files that they refer to`,
      {
        remedy: 'Check them one at a time: name one with `agent`.',
      },
    );
  }

  /**
   * Looks at an agent and at those it names; an error is one that has no file of its own to be told
   * at.
   */
  async function visit(name: string): Promise<ConfigError | undefined> {
    if (opened.has(name)) return opened.get(name);
    // Before it is looked at, since agents may name each other.
    opened.set(name, undefined);
    lookUp();
    const place = listed.find((one) => one.name === name);
    const found = await loader.openAgent(name).catch((thrown: unknown) => {
      if (thrown instanceof ConfigError) return thrown;
      throw thrown;
    });
    if (!(found instanceof ConfigError)) await check(found);
    else if (place === undefined) opened.set(name, found);
    else {
      const faults = [faultOf('error', found, { file: place.file })];
      checked.set(place.file, { ...place, config: undefined, faults });
    }
    return opened.get(name);
  }

  async function check(found: AgentFile): Promise<void> {
    const { name, file, text } = found;
    if (checked.has(file)) return;
    const { config, errors, warnings, workflowWarnings, locate } = inspectAgent(text, {
      name,
      file,
    });
    const faults: Fault[] = [];
    const tell = (
      severity: Fault['severity'],
      problem: Parameters<typeof faultOf>[1],
      path: KeyPath,
    ) => faults.push(faultOf(severity, problem, locate(path)));
    for (const error of errors) tell('error', error, []);
    for (const warning of [...warnings, ...workflowWarnings]) tell('warning', warning, []);
    const twin = listed.find(
      (one) => one.file !== file && one.file.toLowerCase() === file.toLowerCase(),
    );
    // A run at a ref asks for the one file, and lists nothing.
    if (twin !== undefined) tell('error', sameNameError(name, twin.name, dirname(file)), []);
    checked.set(file, { name, file, config, faults });
    if (config === undefined) return;

    /** Tells what is thrown that a person can fix in the agent. */
    const attempt = async (path: KeyPath, work: () => unknown): Promise<AxeError | undefined> => {
      try {
        await work();
        return undefined;
      } catch (thrown) {
        // Others are about a network or the end of the run, and not about the agent.
        if (
          !(
            thrown instanceof AxeError &&
            (thrown instanceof ConfigError || thrown.name === 'AxeError')
          )
        )
          throw thrown;
        tell('error', thrown, path);
        return thrown;
      }
    };
    const { memory, review, skill, subAgents, tools, workdir } = config;
    const models: [string, KeyPath][] = [
      [config.model, ['model']],
      [review.verifyModel, ['review', 'verify_model']],
    ];
    for (const [model, path] of models.filter(([named]) => named.trim() !== '')) {
      await attempt(path, () => {
        const problem = deps.modelProblem(parseModelRef(model));
        if (problem !== undefined) tell('error', problem, path);
      });
    }
    for (const tool of new Set(tools))
      if (!AGENT_TOOLS.includes(tool)) tell('error', unknownTool(tool), ['tools']);
    const notesTools = namedNotesTools(tools);
    if (notesTools.length > 0 && !(memory.enabled && memory.notes))
      tell('warning', notesAreOff(name, notesTools), ['tools']);
    if (skill !== '') {
      lookUp();
      await attempt(['skill'], () => loader.loadSkill(skill, found));
    }
    for (const [index, pattern] of config.files.entries()) {
      lookUp();
      const error = await attempt(['files', index], async () => {
        if ((await loader.countFiles(pattern, workdir)) !== 0) return;
        const message = `${JSON.stringify(pattern)} in \`files\` matches no file`;
        tell('warning', { message, remedy: 'Correct the pattern, or remove it.' }, [
          'files',
          index,
        ]);
      });
      // Without the workdir no pattern matches.
      if (error !== undefined && !(error instanceof PatternError)) break;
    }
    const agents: [string, KeyPath][] = subAgents.map((one, index) => [one, ['sub_agents', index]]);
    if (review.verifier !== '') agents.push([review.verifier, ['review', 'verifier']]);
    for (const [named, path] of agents) {
      const missing = await visit(named);
      if (missing === undefined) continue;
      const message = `failed to load agent ${JSON.stringify(named)}: ${missing.message}`;
      tell('error', { message, remedy: missing.remedy }, path);
    }
    // A stranger's schema is held against the rules of schemas, and never made a program of.
    await attempt(['params', 'response_format', 'schema'], () => checkForm(config.params, ''));
  }

  for (const name of names) {
    const missing = await visit(name);
    if (missing !== undefined) throw missing;
  }
  const agents = [...checked.values()].toSorted((a, b) => compareBytes(a.file, b.file));
  return {
    where,
    agents: agents.map((agent) => ({ ...agent, faults: inFileOrder(agent.faults) })),
  };
}

/** Refuses a form of the answer that a run could not use. Throws a ConfigError. */
async function checkForm(
  params: Parameters<typeof responseFormatOf>[0],
  outputSchema: string,
): Promise<void> {
  const schema = responseFormatOf(params, outputSchema)?.schema;
  if (schema !== undefined) await inspectSchema(schema, schemaOrigin(outputSchema));
}

export function allFaults({ agents }: Validation): readonly Fault[] {
  return agents.flatMap(({ faults }) => faults);
}

/** Whether no agent has an error; warnings are none. */
export function isValid(validation: Validation): boolean {
  return allFaults(validation).every(({ severity }) => severity !== 'error');
}

/**
 * Faults that are listed; the rest is counted. Files are anybody's, and an output holds a megabyte.
 */
const MAX_LISTED = 200;

/** All that was found, a line each with its remedy below, and how many agents that were. */
export function formatValidation(validation: Validation): readonly string[] {
  const { agents } = validation;
  const faults = allFaults(validation);
  const left = faults.length - MAX_LISTED;
  return [
    ...agents
      .filter(({ faults: own }) => own.length === 0)
      .map(({ file }) => `${displayFile(file)}: valid`),
    ...faults.slice(0, MAX_LISTED).flatMap(formatFault),
    ...(left > 0 ? [`and ${left} more`] : []),
    '',
    `${count(agents.length, 'agent')}: ${formatVerdict(faults)}`,
  ];
}

/** `axe/agents/a.toml:3:1: error: …`, as editors and compilers write it. */
function formatFault({ at, severity, message, remedy }: Fault): readonly string[] {
  const [first = '', ...others] = `${message}\n${remedy}`.trimEnd().split('\n');
  const place = sourcePosition({ ...at, file: displayFile(at.file) });
  return [`${place}: ${severity}: ${first}`, ...others.map((line) => `  ${line}`)];
}

/** The same for programs: one line of JSON; what is not known is null. */
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

/** `2 errors, 1 warning`, or `valid`. */
export function formatVerdict(faults: readonly Fault[]): string {
  const counts = (['error', 'warning'] as const).flatMap((severity) => {
    const { length } = faults.filter((fault) => fault.severity === severity);
    return length === 0 ? [] : [count(length, severity)];
  });
  return counts.join(', ') || 'valid';
}

/** Most characters of a message, and of a remedy: names in them are anybody's. */
const MAX_MESSAGE = 1_000;

/** What a run would end with, or warn of; `at` is for what does not say where. */
function faultOf(
  severity: Fault['severity'],
  { message, remedy = '', at: own }: { message: string; remedy?: string; at?: SourcePosition },
  at: SourcePosition,
): Fault {
  const cut = (text: string) => cutToCharacters(text, MAX_MESSAGE);
  return { severity, message: cut(message), remedy: cut(remedy), at: own ?? at };
}
