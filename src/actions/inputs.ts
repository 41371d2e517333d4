import { ACTION_TIMEOUT_MINUTES, DEFAULT_FAIL_ON } from '../axe/defaults.js';
import { ConfigError } from '../axe/errors.js';
import { CONCLUSIONS, type Conclusion } from '../axe/loop/outcome.js';

/** The action's inputs, complete and checked. Empty strings mean not given. */
export interface Inputs {
  readonly agent: string;
  readonly prompt: string;
  readonly promptFile: string;
  readonly model: string;
  readonly apiKey: string;
  readonly agentsDir: string;
  readonly githubToken: string;
  readonly memoryStore: (typeof MEMORY_STORES)[number];
  readonly memoryPath: string;
  readonly memoryCacheName: string;
  readonly memoryRequired: boolean;
  readonly comment: (typeof COMMENTS)[number];
  readonly timeoutMinutes: number;
  readonly dryRun: boolean;
  readonly failOn: readonly Conclusion[];
}

const MEMORY_STORES = ['auto', 'cache', 'file', 'none'] as const;
const COMMENTS = ['auto', 'always', 'never'] as const;

/** Name and default of every input, as `action.yml` has them; a test holds the two equal (D28). */
export const INPUT_DEFAULTS = {
  agent: '',
  prompt: '',
  'prompt-file': '',
  model: '',
  'api-key': '',
  'agents-dir': '',
  'github-token': '${{ github.token }}',
  'memory-store': 'auto',
  'memory-path': '.axe/memory',
  'memory-cache-name': 'default',
  'memory-required': 'false',
  comment: 'auto',
  'timeout-minutes': String(ACTION_TIMEOUT_MINUTES),
  'dry-run': 'false',
  'fail-on': DEFAULT_FAIL_ON.join(', '),
} as const;

type InputName = keyof typeof INPUT_DEFAULTS;

/**
 * Reads all inputs at once. The runner gives them as `INPUT_<NAME>` (metadata syntax reference); they are read here
 * without the toolkit, which would cost more time to load than everything else before the first request.
 * Throws a ConfigError that names the input.
 */
export function readInputs(env: Readonly<Record<string, string | undefined>>): Inputs {
  const read = (name: InputName) => readInput(env, name);
  const inputs: Inputs = {
    agent: read('agent'),
    prompt: read('prompt'),
    promptFile: read('prompt-file'),
    model: read('model'),
    apiKey: read('api-key'),
    agentsDir: read('agents-dir'),
    githubToken: read('github-token'),
    memoryStore: oneOf(MEMORY_STORES, read('memory-store'), 'memory-store'),
    memoryPath: memoryPath(read('memory-path')),
    memoryCacheName: read('memory-cache-name'),
    memoryRequired: flag(read('memory-required'), 'memory-required'),
    comment: oneOf(COMMENTS, read('comment'), 'comment'),
    timeoutMinutes: minutes(read('timeout-minutes')),
    dryRun: flag(read('dry-run'), 'dry-run'),
    failOn: list(read('fail-on')).map((word) => oneOf(CONCLUSIONS, word, 'fail-on')),
  };
  checkTogether(inputs);
  return inputs;
}

/** An input that is empty falls back to its default, so that `${{ vars.X }}` may be unset. */
function readInput(env: Readonly<Record<string, string | undefined>>, name: InputName): string {
  const value = env[`INPUT_${name.toUpperCase()}`]?.trim() ?? '';
  if (value !== '' || name === 'github-token' || name === 'fail-on') return value;
  return INPUT_DEFAULTS[name];
}

function checkTogether({ agent, prompt, promptFile, model }: Inputs): void {
  if (prompt !== '' && promptFile !== '') {
    throw new ConfigError('the inputs `prompt` and `prompt-file` are both given', {
      remedy: 'Give one of them.',
    });
  }
  if (agent === '' && (model === '' || (prompt === '' && promptFile === ''))) {
    throw new ConfigError('the input `agent` is missing', {
      remedy:
        'Give `agent: builtin/pr-reviewer` or the name of an agent of yours, or both `prompt` and `model` to ask without one.',
    });
  }
}

function oneOf<T extends string>(values: readonly T[], value: string, name: InputName): T {
  const found = values.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new ConfigError(`the input \`${name}\` cannot be ${JSON.stringify(value)}`, {
    remedy: `Give one of ${values.map((candidate) => `\`${candidate}\``).join(', ')}.`,
  });
}

/** YAML 1.2's spellings, as the toolkit takes them. */
function flag(value: string, name: InputName): boolean {
  if (['true', 'True', 'TRUE'].includes(value)) return true;
  if (['false', 'False', 'FALSE'].includes(value)) return false;
  throw new ConfigError(`the input \`${name}\` must be true or false, not ${JSON.stringify(value)}`, {
    remedy: `Write \`${name}: true\` or leave it out.`,
  });
}

function minutes(value: string): number {
  const parsed = Number(value);
  if (Number.isFinite(parsed) && parsed > 0) return parsed;
  throw new ConfigError(
    `the input \`timeout-minutes\` must be a number above 0, not ${JSON.stringify(value)}`,
    {
      remedy: `Leave it out for ${ACTION_TIMEOUT_MINUTES} minutes.`,
    },
  );
}

/** Stays inside the workspace: memory is written there. */
function memoryPath(value: string): string {
  const parts = value.split(/[\\/]/);
  if (!/^(?:[\\/]|[A-Za-z]:)/.test(value) && !parts.includes('..') && !parts.includes('.git')) {
    return parts.filter((part) => part !== '' && part !== '.').join('/');
  }
  throw new ConfigError(
    `the input \`memory-path\` must be a folder inside the workspace, not ${JSON.stringify(value)}`,
    {
      remedy: 'Write it relative to the repository, for example `.axe/memory`.',
    },
  );
}

function list(value: string): readonly string[] {
  return value.split(/[,\n]/).flatMap((word) => (word.trim() === '' ? [] : [word.trim()]));
}
