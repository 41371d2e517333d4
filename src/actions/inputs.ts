import { ACTION_MAX_TOKENS, ACTION_TIMEOUT_MINUTES, DEFAULT_FAIL_ON, MAX_TURNS } from '../axe/defaults.js';
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
  readonly fallbackModels: readonly string[];
  readonly maxTurns: number;
  /** 0 for the agent's own `[budget]`. */
  readonly maxTokens: number;
  /** 0 for no limit. */
  readonly maxCostUsd: number;
  readonly toolsAllowed: readonly string[];
  /** JSON text. */
  readonly outputSchema: string;
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
  'fallback-models': '',
  'max-turns': String(MAX_TURNS),
  'max-tokens': String(ACTION_MAX_TOKENS),
  'max-cost-usd': '0',
  'tools-allowed': '',
  'output-schema': '',
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
    timeoutMinutes: above0(read('timeout-minutes'), 'timeout-minutes'),
    fallbackModels: list(read('fallback-models')),
    maxTurns: Math.ceil(above0(read('max-turns'), 'max-turns')),
    maxTokens: atLeast0(read('max-tokens'), 'max-tokens'),
    maxCostUsd: atLeast0(read('max-cost-usd'), 'max-cost-usd'),
    toolsAllowed: list(read('tools-allowed')),
    outputSchema: read('output-schema'),
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

function above0(value: string, name: InputName): number {
  const parsed = Number(value);
  if (Number.isFinite(parsed) && parsed > 0) return parsed;
  throw notANumber(value, name, 'above 0');
}

function atLeast0(value: string, name: InputName): number {
  const parsed = Number(value);
  if (Number.isFinite(parsed) && parsed >= 0) return parsed;
  throw notANumber(value, name, 'from 0, which means no limit');
}

function notANumber(value: string, name: InputName, range: string): ConfigError {
  const what = `the input \`${name}\` must be a number ${range}, not ${JSON.stringify(value)}`;
  const unit = UNITS[name];
  const remedy = unit === undefined ? 'Leave it out.' : `Leave it out for ${INPUT_DEFAULTS[name]} ${unit}.`;
  return new ConfigError(what, { remedy });
}

const UNITS: Partial<Record<InputName, string>> = {
  'timeout-minutes': 'minutes',
  'max-turns': 'turns',
  'max-tokens': 'tokens',
};

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
