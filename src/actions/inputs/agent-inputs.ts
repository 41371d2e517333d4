import { ConfigError } from '../../core/errors.js';

/** Another repository whose agents and skills are used, at a branch, tag or commit. */
export interface AgentsRepo {
  readonly owner: string;
  readonly name: string;
  readonly ref: string;
}

/** Name and default of every input about other repositories, as `action.yml` has them. */
export const REPOSITORY_INPUT_DEFAULTS = { 'agents-repo': '', 'repositories-token': '' } as const;

/**
 * The repository whose agents are used; undefined for the workflow's own. The ref must be said: a repository whose default
 * branch is renamed would otherwise change what runs. Throws a ConfigError.
 */
export function readAgentsRepo(value: string): AgentsRepo | undefined {
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
