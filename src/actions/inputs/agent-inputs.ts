import { ConfigError } from '../../core/errors.js';
import { oneOf } from './input-values.js';

/** Another repository whose agents and skills are used, at a branch, tag or commit. */
interface AgentsRepo {
  readonly owner: string;
  readonly name: string;
  readonly ref: string;
}

/** What the inputs say of where agents come from. */
export interface AgentInputs {
  readonly repository: AgentsRepo | undefined;
  /** Empty for the `github-token`. */
  readonly token: string;
  /** Which side of a pull request the agent is taken from (D21). */
  readonly ref: (typeof REFS)[number];
}

const REFS = ['base', 'head'] as const;

/** Name and default of every input about where agents come from, as `action.yml` has them. */
export const AGENT_INPUT_DEFAULTS = {
  'agents-repo': '',
  'agents-token': '',
  'agent-ref': 'base',
} as const;

/** The inputs about where agents come from, checked. Throws a ConfigError that names the input. */
export function readAgentInputs(read: (name: keyof typeof AGENT_INPUT_DEFAULTS) => string): AgentInputs {
  const inputs: AgentInputs = {
    repository: agentsRepo(read('agents-repo')),
    token: read('agents-token'),
    ref: oneOf(REFS, read('agent-ref'), 'agent-ref'),
  };
  if (inputs.token !== '' && inputs.repository === undefined) {
    throw new ConfigError('the input `agents-token` is for `agents-repo` only', {
      remedy: 'Write `agents-repo: owner/name@ref` as well.',
    });
  }
  return inputs;
}

/** The ref must be said: a repository whose default branch is renamed would otherwise change what runs. */
function agentsRepo(value: string): AgentsRepo | undefined {
  if (value === '') return undefined;
  const [, owner, name, ref] =
    /^([A-Za-z0-9][A-Za-z0-9_-]*)\/([A-Za-z0-9._-]+)@(.{1,200})$/.exec(value) ?? [];
  if (owner !== undefined && name !== undefined && ref !== undefined) {
    if (!/^\.\.?$/.test(name) && !NO_REF.test(ref)) return { owner, name, ref };
  }
  throw new ConfigError(
    `the input \`agents-repo\` must be \`owner/name@ref\`, not ${JSON.stringify(value)}`,
    {
      remedy: 'Write a tag, a branch or a commit behind the name, for example `octocat/agents@v1`.',
    },
  );
}

/** What no name of a branch, tag or commit holds (git-check-ref-format), nor what cannot be seen. */
const NO_REF = /[\p{C}\p{Z}~^:?*[\\]|\.\.|@\{|^-|^@$|\.$|\.lock(?:\/|$)|(?:^|\/)(?:\.|\/|$)/u;
