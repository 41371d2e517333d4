import { nearest } from '../agent/suggest.js';
import type { Trust } from '../event/trust.js';
import type { Effect, Tool } from './tool.js';

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

/** A tool the agent asks for and does not get. */
export interface WithheldTool {
  readonly tool: string;
  readonly effect: Effect;
  readonly reason: 'untrusted' | 'not-allowed' | 'parent';
  /** One sentence for people. */
  readonly message: string;
  /** The line of YAML that would allow it; undefined where none does. */
  readonly yaml: string | undefined;
}

/** The tools an agent gets, in the order they were asked for, and those it does not. */
interface Grant<T> {
  readonly granted: readonly T[];
  readonly withheld: readonly WithheldTool[];
}

/** What the decision needs to know of a tool; those of MCP servers are asked about like any other. */
type RequestedTool = Pick<Tool, 'name' | 'effect'>;

/**
 * Decides which tools an agent gets (D22). In a terminal: those it lists. In a workflow: an untrusted run gets what only
 * reads and what the action publishes after checking; a trusted one also its memory, and what `tools-allowed` lists of
 * the tools that write, execute or reach the network. Never more than the agent that called it.
 */
export function grantTools<T extends RequestedTool>(requested: readonly T[], rules: GrantRules): Grant<T> {
  const granted: T[] = [];
  const withheld: WithheldTool[] = [];
  for (const tool of requested) {
    const reason = reasonAgainst(tool, rules);
    if (reason === undefined) granted.push(tool);
    else withheld.push(describe(tool, reason, rules));
  }
  return { granted, withheld };
}

function reasonAgainst(
  { name, effect }: RequestedTool,
  { where, trust, toolsAllowed, parentEffects }: GrantRules,
): WithheldTool['reason'] | undefined {
  if (parentEffects !== undefined && !parentEffects.has(effect)) return 'parent';
  if (where === 'terminal') return undefined;
  switch (effect) {
    case 'read':
    case 'publish':
      return undefined;
    case 'memory':
      return trust === 'trusted' ? undefined : 'untrusted';
    case 'write':
    case 'execute':
    case 'network':
      if (trust !== 'trusted') return 'untrusted';
      if (toolsAllowed.includes(name)) return undefined;
      return toolsAllowed.includes(effect) ? undefined : 'not-allowed';
  }
}

function describe(
  { name, effect }: RequestedTool,
  reason: WithheldTool['reason'],
  rules: GrantRules,
): WithheldTool {
  const typos = mistyped({ name, effect }, rules);
  const words = [...rules.toolsAllowed.filter((word) => !typos.includes(word)), name];
  const yaml = reason === 'not-allowed' ? `tools-allowed: ${words.join(', ')}` : undefined;
  return { tool: name, effect, reason, message: messageOf(name, { effect, reason, yaml, typos }), yaml };
}

/** Words of `tools-allowed` that name nothing and look like this tool or its effect. */
function mistyped(
  { name, effect }: RequestedTool,
  { toolsAllowed, knownNames }: GrantRules,
): readonly string[] {
  if (knownNames === undefined) return [];
  const known = new Set<string>([...knownNames, ...GATED_EFFECTS]);
  return toolsAllowed.filter((word) => !known.has(word) && nearest(word, [name, effect]) !== undefined);
}

/** Effects that a workflow has to allow. */
const GATED_EFFECTS: readonly Effect[] = ['write', 'execute', 'network'];

function messageOf(
  name: string,
  {
    effect,
    reason,
    yaml,
    typos,
  }: Pick<WithheldTool, 'effect' | 'reason' | 'yaml'> & { readonly typos: readonly string[] },
): string {
  switch (reason) {
    case 'untrusted':
      return `The tool \`${name}\` (${effect}) was withheld: the run is untrusted, and such a run only reads and answers. Remove it from \`tools\` of an agent for such runs.`;
    case 'parent':
      return `The tool \`${name}\` (${effect}) was withheld: the agent that called this one may not do that itself. Give that agent the tool too, or remove it here.`;
    case 'not-allowed':
      if (typos.length > 0) {
        const words = typos.map((word) => `\`${word}\``).join(' and ');
        return `The tool \`${name}\` (${effect}) was withheld: \`tools-allowed\` names ${words}, which does not exist. Write \`${yaml ?? ''}\` in the step's \`with:\`.`;
      }
      return `The tool \`${name}\` (${effect}) was withheld: in a workflow it has to be allowed. Add \`${yaml ?? ''}\` to the step's \`with:\`.`;
  }
}
