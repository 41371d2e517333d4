import type { Rights } from '../event/trust.js';
import { reachesNetwork, type Tool, type ToolEffect } from './tool.js';

/** The facts of a tool that decide about it; an MCP server is treated like one tool. */
export type RequestedTool = Pick<Tool, 'name' | 'effect'>;

/** The tool that runs commands. */
export const RUN_COMMAND = 'run_command';

/** An entry of `tools-allowed` that lets commands also write to the home folder. */
export const WITH_HOME = 'run_command(home)';

/** An entry of `tools-allowed` that lets commands also reach the network. */
export const WITH_NETWORK = 'run_command(network)';

/** The facts that decide about tools, in addition to the tools themselves. @internal */
export interface GrantRules {
  /** `workflow` also on the command line with `--event`. */
  readonly where: 'terminal' | 'workflow';
  readonly tools: Rights['tools'];
  /**
   * The `tools-allowed` input: names of tools, effects (`write`, `execute`, `network`), or
   * {@link WITH_HOME} and {@link WITH_NETWORK}.
   */
  readonly toolsAllowed: readonly string[];
  /** The workflow and the run's trust let the file tools change the files of `changes-allowed`. */
  readonly mayChange?: boolean;
  /** The run knows private memory, which must not leave it. */
  readonly knowsPrivateMemory?: boolean;
  /** Effects of the agent that calls this one; undefined for the agent of the run itself. */
  readonly parentEffects?: ReadonlySet<ToolEffect>;
}

/**
 * Decides which tools an agent gets, in the order it lists them, with a sentence for people on each
 * of the others. In a terminal an agent gets all of them. In a workflow a run that is not `own` gets
 * tools that only read, and those whose texts the action checks and publishes. An `own` run also gets
 * its memory, and those tools of `tools-allowed` that write, execute or reach the network.
 * `changes-allowed` grants the file tools. A sub-agent never gets more than its caller.
 */
export function grantTools<T extends RequestedTool>(requested: readonly T[], rules: GrantRules) {
  const granted: T[] = [];
  const withheld: string[] = [];
  // People copy one line of YAML, so it must name all the tools that they have to allow.
  const unallowed = requested.flatMap((tool) =>
    isAllowed(tool, rules) || whyNever(tool, rules) !== undefined ? [] : tool.name,
  );

  for (const tool of requested) {
    const reason = reasonAgainst(tool, rules, unallowed);
    if (reason === undefined) granted.push(tool);
    else withheld.push(`The tool \`${tool.name}\` (${tool.effect}) was withheld: ${reason}`);
  }
  return { granted, withheld };
}

/** Effects that an agent can pass on to a sub-agent: its own, and those that every agent has. */
export function effectsOf(tools: readonly RequestedTool[]): ReadonlySet<ToolEffect> {
  return new Set<ToolEffect>(['read', 'publish', 'memory', ...tools.map(({ effect }) => effect)]);
}

function reasonAgainst(
  tool: RequestedTool,
  rules: GrantRules,
  unallowed: readonly string[],
): string | undefined {
  const { tools, toolsAllowed } = rules;
  const never = whyNever(tool, rules);
  if (never !== undefined || isAlwaysGranted(tool, rules)) return never;

  if (tools !== 'all') {
    return 'people without write access have a part in this run, and such runs only read and answer. Remove it from `tools` of an agent for them.';
  }
  if (isAllowed(tool, rules)) return undefined;
  const yaml = `\`tools-allowed: ${[...toolsAllowed, ...unallowed].join(', ')}\``;
  return `in a workflow it has to be allowed. Add ${yaml} to the step's \`with:\`.`;
}

/** The reason if `tools-allowed` cannot grant a tool, whatever it names. */
function whyNever(
  tool: RequestedTool,
  { toolsAllowed, parentEffects, knowsPrivateMemory }: GrantRules,
): string | undefined {
  if (parentEffects !== undefined && !parentEffects.has(tool.effect))
    return 'the agent that called this one is not allowed to do that itself. Give that agent the tool too, or remove it here.';
  return knowsPrivateMemory === true && isForNetwork(tool, toolsAllowed) ? PRIVATE : undefined;
}

const PRIVATE =
  'this run knows private memory (`memory-repo`), and reaches no network. Remove it from `tools`, or set `enabled = false` in `[memory]` of the agent.';

/** The workflow says if commands reach the network. Every MCP server does, also a local program. */
function isForNetwork({ name, effect }: RequestedTool, toolsAllowed: readonly string[]): boolean {
  if (name === RUN_COMMAND) return toolsAllowed.includes(WITH_NETWORK);
  return reachesNetwork({ effect });
}

function isAlwaysGranted(
  { name, effect }: RequestedTool,
  { where, mayChange }: GrantRules,
): boolean {
  if (mayChange === true && FILE_TOOLS.has(name)) return true;
  return where === 'terminal' || effect === 'read' || effect === 'publish';
}

function isAllowed(tool: RequestedTool, rules: GrantRules): boolean {
  const { name, effect } = tool;
  if (isAlwaysGranted(tool, rules) || effect === 'memory') return true;

  if (name === RUN_COMMAND) return allowsCommands(rules.toolsAllowed);
  return [name, effect].some((word) => rules.toolsAllowed.includes(word));
}

/** `tools-allowed` lets an agent run commands. */
export function allowsCommands(toolsAllowed: readonly string[]): boolean {
  const words = [RUN_COMMAND, WITH_HOME, WITH_NETWORK, 'execute' satisfies ToolEffect];
  return words.some((word) => toolsAllowed.includes(word));
}

/** A tool that can change files, and so a program that is started later. */
export function changesFiles({ name, effect }: RequestedTool): boolean {
  return effect === 'write' || name === RUN_COMMAND;
}

/** The tools that `changes-allowed` grants. */
const FILE_TOOLS: ReadonlySet<string> = new Set(['write_file', 'edit_file', 'delete_file']);
