import type { Trust } from '../event/trust.js';
import { holdsSecret, redact } from '../safety/redact.js';
import type { Effect, Tool } from './tool.js';

/** What the decision depends on besides the tools (D22). */
export interface GrantRules {
  /** `workflow` also on the command line with `--event` (D18). */
  readonly where: 'terminal' | 'workflow';
  readonly trust: Trust['level'];
  /** The `tools-allowed` input: names of tools, or effects (`write`, `execute`, `network`). */
  readonly toolsAllowed: readonly string[];
  /** The workflow and the trust of the run let the file tools change what `changes-allowed` names. */
  readonly mayChange?: boolean;
  /** Effects of the agent that calls this one; undefined for the agent of the run itself. */
  readonly parentEffects?: ReadonlySet<Effect>;
}

/**
 * Decides which tools an agent gets (D22), in the order they were asked for, with a sentence for people on each of the
 * others. In a terminal: those it lists. In a workflow: an untrusted run gets what only reads and what the action publishes
 * after checking; a trusted one also its memory, and what `tools-allowed` lists of the tools that write, execute or reach
 * the network. `changes-allowed` grants the file tools. Never more than the agent that called it.
 */
export function grantTools<T extends RequestedTool>(requested: readonly T[], rules: GrantRules) {
  const granted: T[] = [];
  const withheld: string[] = [];
  for (const tool of requested) {
    const reason = reasonAgainst(tool, rules);
    if (reason === undefined) granted.push(tool);
    else withheld.push(`The tool \`${tool.name}\` (${tool.effect}) was withheld: ${reason}`);
  }
  return { granted, withheld };
}

/** What the decision needs to know of a tool; a server of the MCP is asked about like one. */
export interface RequestedTool {
  readonly name: string;
  readonly effect: Effect;
}

/** What an agent may pass on: reading and answering are everybody's; the rest is what it was given itself. */
export function effectsOf(tools: readonly RequestedTool[]): ReadonlySet<Effect> {
  return new Set<Effect>(['read', 'publish', 'memory', ...tools.map(({ effect }) => effect)]);
}

function reasonAgainst({ name, effect }: RequestedTool, rules: GrantRules): string | undefined {
  const { where, trust, toolsAllowed, parentEffects } = rules;
  if (parentEffects !== undefined && !parentEffects.has(effect)) {
    return 'the agent that called this one is not allowed to do that itself. Give that agent the tool too, or remove it here.';
  }
  if (rules.mayChange === true && FILE_TOOLS.has(name)) return undefined;
  if (where === 'terminal' || effect === 'read' || effect === 'publish') return undefined;
  if (trust !== 'trusted') {
    return 'the run is untrusted, and untrusted runs only read and answer. Remove it from `tools` of an agent for such runs.';
  }
  const isAllowed = effect === 'memory' || toolsAllowed.includes(name) || toolsAllowed.includes(effect);
  if (isAllowed) return undefined;
  const yaml = `\`tools-allowed: ${[...toolsAllowed, name].join(', ')}\``;
  return `in a workflow it has to be allowed. Add ${yaml} to the step's \`with:\`.`;
}

/** The tools that `changes-allowed` grants. */
const FILE_TOOLS: ReadonlySet<string> = new Set(['write_file', 'edit_file', 'delete_file']);

/** Effects of tools whose arguments leave: what was started can reach a network too. */
const LEAVING: ReadonlySet<Effect> = new Set(['network', 'execute']);

/**
 * The tools, with which no secret leaves: a call that holds a known one is refused where its arguments go out, and results
 * are without any. `secrets` is read at each call, since a run may learn more of them.
 */
export function keepSecrets(tools: readonly Tool[], secrets: readonly string[]): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    async execute(input, signal) {
      if (LEAVING.has(tool.effect) && holdsSecret(textsOf(input).join('\n'), secrets)) {
        const text = `${tool.name} was not run: its arguments hold a secret of this job, which must not leave. Call it without.`;
        return { text, isError: true };
      }
      const result = await tool.execute(input, signal);
      return { ...result, text: redact(result.text, secrets) };
    },
  }));
}

/** All texts of a value of JSON; names come last, since a secret may be split over several arguments. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...Object.values(value).flatMap(textsOf), ...names];
}
