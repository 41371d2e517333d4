import { ConfigError } from '../../lib/errors.js';
import { flag, oneOf } from './input-values.js';

/** What the inputs say of memory. */
export interface MemoryInputs {
  readonly store: (typeof STORES)[number];
  readonly branch: string;
  /** Folder in the store, empty for the top; undefined for the store's own default. */
  readonly path: string | undefined;
  /** Another repository than the run's. */
  readonly repository: { readonly owner: string; readonly name: string } | undefined;
  /** That is where what memory says has to stay (D14). */
  readonly isElsewhere: boolean;
  /** Entries are loaded, and none is added. */
  readonly isReadOnly: boolean;
}

const STORES = ['branch', 'cache', 'file', 'none'] as const;

/** Name and default of every input about memory, as `action.yml` has them. */
export const MEMORY_INPUT_DEFAULTS = {
  'memory-store': 'branch',
  'memory-branch': 'axe-memory',
  'memory-path': '',
  'memory-repo': '',
  'memory-readonly': 'false',
} as const;

/** The inputs about memory, checked; `here` is the run's own repository. Throws a ConfigError that names the input. */
export function readMemoryInputs(
  read: (name: keyof typeof MEMORY_INPUT_DEFAULTS) => string,
  here: string,
): MemoryInputs {
  const repository = repositoryName(read('memory-repo'));
  const inputs: MemoryInputs = {
    store: oneOf(STORES, read('memory-store'), 'memory-store'),
    branch: branchName(read('memory-branch')),
    path: folder(read('memory-path')),
    repository,
    isElsewhere:
      repository !== undefined &&
      `${repository.owner}/${repository.name}`.toLowerCase() !== here.toLowerCase(),
    isReadOnly: flag(read('memory-readonly'), 'memory-readonly'),
  };
  if (repository !== undefined && inputs.store !== 'branch') {
    throw new ConfigError(`\`memory-repo\` cannot be used with \`memory-store: ${inputs.store}\``, {
      remedy: 'Leave `memory-store` out, or write `memory-store: branch`.',
    });
  }
  return inputs;
}

/** As git allows names of branches, but for names that are read as something else. */
function branchName(value: string): string {
  if (value.length <= MAX_BRANCH_CHARACTERS && !NO_BRANCH.test(value) && !OTHER_NAME.test(value))
    return value;
  throw new ConfigError(`the input \`memory-branch\` is not a branch name: ${JSON.stringify(value)}`, {
    remedy: 'Write the short name, for example `axe-memory`.',
  });
}

const MAX_BRANCH_CHARACTERS = 200;
/** What no name of a branch holds (git-check-ref-format, rules 1 to 10), nor what cannot be seen. */
const NO_BRANCH = /[\p{C}\p{Z}~^:?*[\\]|\.\.|@\{|^-|^@$|\.$|\.lock(?:\/|$)|(?:^|\/)(?:\.|\/|$)/u;
/** A whole ref, and what git and GitHub take for a commit. */
const OTHER_NAME = /^(?:refs\/.*|HEAD|[0-9a-f]{40})$/i;

function repositoryName(value: string): MemoryInputs['repository'] {
  if (value === '') return undefined;
  const [, owner, name] = /^([A-Za-z0-9][A-Za-z0-9_-]*)\/([A-Za-z0-9._-]+)$/.exec(value) ?? [];
  if (owner !== undefined && name !== undefined && !/^\.\.?$/.test(name)) return { owner, name };
  throw new ConfigError(`the input \`memory-repo\` must be \`owner/name\`, not ${JSON.stringify(value)}`, {
    remedy: 'Write, for example, `octocat/memory`.',
  });
}

/** Stays inside the workspace or the branch: memory is written there. */
function folder(value: string): string | undefined {
  if (value === '') return undefined;
  const parts = value.split(/[\\/]/);
  const isInside = !/^(?:[\\/]|[A-Za-z]:)|\p{Cc}/u.test(value);
  if (isInside && !parts.some((part) => part === '..' || part.toLowerCase() === '.git')) {
    return parts.filter((part) => part !== '' && part !== '.').join('/');
  }
  throw new ConfigError(
    `the input \`memory-path\` must be a folder inside the repository, not ${JSON.stringify(value)}`,
    { remedy: 'Write it relative to the repository, for example `.axe/memory`.' },
  );
}
