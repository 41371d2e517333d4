import { nearest } from '../agent/suggest.js';
import type { Trust } from '../event/trust.js';
import type { Effect } from './tool.js';

/** What the decision depends on besides the tools (D22). */
export interface GrantRules {
  /** `workflow` also on the command line with `--event` (D18). */
  readonly where: 'terminal' | 'workflow';
  readonly trust: Trust['level'];
  /** The `tools-allowed` input: names of tools, or effects (`write`, `execute`, `network`). */
  readonly toolsAllowed: readonly string[];
  /** Names of tools and servers that exist, for words of `tools-allowed` that are mistyped; left out: not looked at. */
  readonly knownNames?: readonly string[];
  /** Effects of the agent that calls this one; undefined for the agent of the run itself. */
  readonly parentEffects?: ReadonlySet<Effect>;
}

/**
 * Decides which tools an agent gets (D22), in the order they were asked for, with a sentence for people on each of the
 * others. In a terminal: those it lists. In a workflow: an untrusted run gets what only reads and what the action publishes
 * after checking; a trusted one also its memory, and what `tools-allowed` lists of the tools that write, execute or reach
 * the network. Never more than the agent that called it.
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

function reasonAgainst(tool: RequestedTool, rules: GrantRules): string | undefined {
  const { name, effect } = tool;
  const { where, trust, toolsAllowed, parentEffects } = rules;
  if (parentEffects !== undefined && !parentEffects.has(effect)) {
    return 'the agent that called this one may not do that itself. Give that agent the tool too, or remove it here.';
  }
  if (where === 'terminal' || effect === 'read' || effect === 'publish') return undefined;
  if (trust !== 'trusted') {
    return 'the run is untrusted, and such a run only reads and answers. Remove it from `tools` of an agent for such runs.';
  }
  const isAllowed = effect === 'memory' || toolsAllowed.includes(name) || toolsAllowed.includes(effect);
  return isAllowed ? undefined : howToAllow(tool, rules);
}

/** The line that allows a tool, without the words of `tools-allowed` that name nothing and look like it or its effect. */
function howToAllow({ name, effect }: RequestedTool, { toolsAllowed, knownNames }: GrantRules): string {
  const known = new Set<string>([...(knownNames ?? toolsAllowed), 'write', 'execute', 'network']);
  const typos = toolsAllowed.filter(
    (word) => !known.has(word) && nearest(word, [name, effect]) !== undefined,
  );
  const words = [...toolsAllowed.filter((word) => !typos.includes(word)), name];
  const yaml = `\`tools-allowed: ${words.join(', ')}\``;
  if (typos.length === 0) {
    return `in a workflow it has to be allowed. Add ${yaml} to the step's \`with:\`.`;
  }
  const named = typos.map((word) => `\`${word}\``).join(' and ');
  return `\`tools-allowed\` names ${named}, which does not exist. Write ${yaml} in the step's \`with:\`.`;
}
