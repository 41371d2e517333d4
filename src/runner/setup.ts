import type { LoadedAgent } from '../agent/agent-source.js';
import type { AgentLoader } from '../agent/loader.js';
import { closestWord } from '../agent/suggest.js';
import type { Trigger } from '../event/trigger.js';
import type { Warning } from '../lib/errors.js';
import { resolveInside } from '../lib/user-files.js';
import type { SetupProblem } from '../run/records.js';
import { AGENT_TOOLS } from '../run/tools.js';
import { WITH_HOME, WITH_NETWORK } from '../tools/grants.js';
import type { ToolEffect } from '../tools/tool.js';
import type { InputName, Inputs } from './inputs.js';

/** The facts that decide which inputs have an effect. */
interface SetupFacts {
  readonly inputs: Inputs;
  readonly agent: Pick<LoadedAgent, 'name' | 'config'>;
  /** The kinds of events that start the run; undefined if they are not known. */
  readonly kinds: readonly Trigger['kind'][] | undefined;
  /** The folder `agents-dir` is not there, or holds no agents. */
  readonly isFolderEmpty: boolean;
}

interface UnusedInput {
  readonly input: InputName;
  /** The reason why the input has no effect, as a whole sentence; undefined if it has one. */
  readonly reason: (facts: SetupFacts) => string | undefined;
  readonly remedy: string;
}

/** Inputs without effect: the run goes on, but people should know. */
const UNUSED_INPUTS: readonly UnusedInput[] = [
  {
    input: 'tools-allowed',
    reason: ({ inputs: { toolsAllowed }, agent }) => {
      const unknown = toolsAllowed.flatMap((word) => describeUnknown(word, agent));
      return unknown.length === 0 ? undefined : `There is no ${unknown.join(' and no ')}.`;
    },
    remedy: 'Correct the names, or remove them.',
  },
  {
    input: 'labels-allowed',
    reason: ({ inputs: { rules }, agent }) =>
      rules.labels.length === 0 || hasTool(agent, 'set_labels', 'create_issue')
        ? undefined
        : `The agent "${agent.name}" lists neither \`set_labels\` nor \`create_issue\`.`,
    remedy: 'Add the tool to `tools` of the agent, or remove the input.',
  },
  {
    input: 'block-on',
    reason: ({ inputs: { rules }, agent, kinds }) => {
      if (rules.blockOn === undefined) return undefined;
      if (!hasTool(agent, 'add_review_comment', 'submit_review'))
        return `The agent "${agent.name}" posts no reviews.`;
      return isWithoutPull(kinds) ? 'The event has no pull request.' : undefined;
    },
    remedy: 'Remove it, or use it with a reviewer on pull requests.',
  },
  {
    input: 'check-run',
    reason: ({ inputs: { checkRun }, kinds }) =>
      checkRun && kinds?.includes('push') !== true && isWithoutPull(kinds)
        ? 'The event has no commit to check.'
        : undefined,
    remedy: 'Remove it, or use it on pull requests and pushes.',
  },
  {
    input: 'changes-allowed',
    reason: ({ inputs: { changesAllowed }, agent }) =>
      changesAllowed.length === 0 ||
      hasTool(agent, ...CHANGING_TOOLS) ||
      agent.config.subAgents.length > 0
        ? undefined
        : `The agent "${agent.name}" changes no files, and posts no findings that \`/axe fix\` could fix.`,
    remedy: 'Add `edit_file` to `tools` of the agent, or remove the input.',
  },
  {
    input: 'report-to',
    reason: ({ inputs: { reportTo }, kinds }) =>
      reportTo !== '' && kinds?.every((kind) => ABOUT_SUBJECT.has(kind)) === true
        ? 'The event has a pull request or issue of its own, where the answer is posted.'
        : undefined,
    remedy: 'Remove it, or use it on schedules, manual starts and pushes.',
  },
  {
    input: 'agents-dir',
    reason: ({ inputs: { agentsDir }, isFolderEmpty }) =>
      agentsDir !== '' && isFolderEmpty
        ? `The folder ${JSON.stringify(agentsDir)} is not there, or holds no agents.`
        : undefined,
    remedy: 'Correct the path, which starts at the top of the repository, or remove it.',
  },
];

/** The rows of the table that apply. */
export function findUnusedInputs(
  facts: SetupFacts,
): readonly (SetupProblem & { readonly input: InputName })[] {
  return UNUSED_INPUTS.flatMap(({ input, reason, remedy }) => {
    const explanation = reason(facts);
    if (explanation === undefined) return [];
    const message = `the input \`${input}\` has no effect, or only in part. ${explanation}`;
    return [{ input, severity: 'warning', message, remedy }];
  });
}

/** Throws an AxeError for a folder outside of the workspace. */
export async function checkAgentsDir(agentsDir: string, workspace: string): Promise<void> {
  if (agentsDir !== '')
    await resolveInside(workspace, { path: agentsDir, what: 'the input `agents-dir`' });
}

/** The folder `agents-dir`, which is searched first, is not there, or holds no agents. */
export async function isAgentsDirEmpty(
  agents: Pick<AgentLoader, 'folders' | 'listFiles'>,
  agentsDir: string,
): Promise<boolean> {
  if (agentsDir === '') return false;
  const [folder = ''] = agents.folders;
  return !(await agents.listFiles()).some(({ file }) => file.startsWith(`${folder}/`));
}

export function unusedInputWarnings(facts: SetupFacts): readonly Warning[] {
  return findUnusedInputs(facts).map(({ message, remedy }) => ({
    code: 'input-unused',
    message,
    remedy,
  }));
}

function hasTool({ config }: SetupFacts['agent'], ...names: readonly string[]): boolean {
  return names.some((name) => config.tools.includes(name));
}

/**
 * Events that are never about a pull request. Comments are not among them, since one workflow often
 * answers them on issues and on pull requests.
 */
function isWithoutPull(kinds: SetupFacts['kinds']): boolean {
  return kinds?.every((kind) => WITHOUT_PULL.has(kind)) === true;
}

/** Tools that change files, and those of reviews, whose findings `/axe fix` fixes. */
const CHANGING_TOOLS = [
  'write_file',
  'edit_file',
  'delete_file',
  'run_command',
  'open_pull_request',
  'push_to_pull_request',
  'add_review_comment',
  'submit_review',
];

/** Events about a pull request or an issue. */
const ABOUT_SUBJECT: ReadonlySet<Trigger['kind']> = new Set(['pull_request', 'issue', 'comment']);

const WITHOUT_PULL: ReadonlySet<Trigger['kind']> = new Set([
  'issue',
  'push',
  'release',
  'schedule',
  'dispatch',
]);

/** Empty for a known word. Sub-agents can have servers of any name, so only a likely typo counts. */
function describeUnknown(
  word: string,
  { config: { mcpServers, subAgents } }: SetupFacts['agent'],
): readonly string[] {
  const known = [
    ...AGENT_TOOLS,
    WITH_HOME,
    WITH_NETWORK,
    ...EFFECTS,
    ...mcpServers.map(({ name }) => name),
  ];
  if (known.includes(word)) return [];
  const nearest = closestWord(word, known);
  if (nearest === undefined && subAgents.length > 0) return [];
  const guess = nearest === undefined ? '' : ` (did you mean \`${nearest}\`?)`;
  return [`tool or effect ${JSON.stringify(word)}${guess}`];
}

const EFFECTS: readonly ToolEffect[] = ['read', 'memory', 'write', 'execute', 'network', 'publish'];
