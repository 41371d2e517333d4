import { DEFAULT_ADMISSION_POLICY } from '../../event/permission.js';
import {
  ACTION_MAX_TOKENS,
  ACTION_TIMEOUT_MINUTES,
  DEFAULT_FAIL_ON,
  MAX_DIFF_TOKENS,
  MAX_TURNS,
} from '../../lib/defaults.js';
import { ConfigError } from '../../lib/errors.js';
import { DEFAULT_PUBLISH_RULES } from '../../review/publish-rules.js';

/** Name and default of every input, as `action.yml` has them; a test holds the two equal (D28). */
export const INPUT_DEFAULTS = {
  agent: '',
  mode: 'run',
  prompt: '',
  model: '',
  effort: '',
  'api-key': '',
  'agents-dir': '',
  'agents-repo': '',
  'repositories-token': '',
  'github-token': '${{ github.token }}',
  'min-permission': DEFAULT_ADMISSION_POLICY.minPermission,
  'allow-users': '',
  'allow-bots': '',
  'trigger-phrase': DEFAULT_ADMISSION_POLICY.triggerPhrase,
  'max-diff-tokens': String(MAX_DIFF_TOKENS),
  paths: '',
  'memory-store': 'branch',
  'memory-branch': 'axe-memory',
  'memory-path': '',
  'memory-repo': '',
  'memory-readonly': 'false',
  comment: 'auto',
  'min-severity': '',
  'block-on': '',
  'max-comments': String(DEFAULT_PUBLISH_RULES.maxComments),
  'labels-allowed': '',
  'report-to': '',
  'check-run': 'false',
  language: '',
  'timeout-minutes': String(ACTION_TIMEOUT_MINUTES),
  'max-turns': String(MAX_TURNS),
  'max-tokens': String(ACTION_MAX_TOKENS),
  'max-cost-usd': '0',
  'max-cost-usd-per-pr': '0',
  'max-cost-usd-per-day': '0',
  'tools-allowed': '',
  'changes-allowed': '',
  redact: '',
  'output-schema': '',
  'dry-run': 'false',
  'fail-on': DEFAULT_FAIL_ON.join(', '),
} as const;

export type InputName = keyof typeof INPUT_DEFAULTS;

/** Gives the text of an input. */
export type ReadInput = (name: InputName) => string;

/** One of some words. Throws a ConfigError that lists them. */
export function oneOf<T extends string>(values: readonly T[], value: string, name: InputName): T {
  const found = values.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new ConfigError(`the input \`${name}\` cannot be ${JSON.stringify(value)}`, {
    remedy: `Give one of ${values.map((candidate) => `\`${candidate}\``).join(', ')}.`,
  });
}

/** YAML 1.2's spellings of true and false, as the toolkit takes them. Throws a ConfigError. */
export function flag(read: ReadInput, name: InputName): boolean {
  const value = read(name);
  if (['true', 'True', 'TRUE'].includes(value)) return true;
  if (['false', 'False', 'FALSE'].includes(value)) return false;
  throw new ConfigError(`the input \`${name}\` must be true or false, not ${JSON.stringify(value)}`, {
    remedy: `Write \`${name}: true\` or leave it out.`,
  });
}

/** Throws a ConfigError for anything but a number above 0. */
export function above0(read: ReadInput, name: InputName): number {
  const parsed = Number(read(name));
  if (Number.isFinite(parsed) && parsed > 0) return parsed;
  throw notANumber(read, name, 'above 0');
}

/** Throws a ConfigError for anything but a number from 0. */
export function atLeast0(read: ReadInput, name: InputName): number {
  const parsed = Number(read(name));
  if (Number.isFinite(parsed) && parsed >= 0) return parsed;
  throw notANumber(read, name, 'from 0, which means no limit');
}

/** Throws a ConfigError for anything but a whole number from 0. */
export function wholeFrom0(read: ReadInput, name: InputName): number {
  const value = read(name);
  if (/^\d{1,6}$/.test(value)) return Number(value);
  throw notANumber(read, name, 'from 0, without a fraction');
}

const UNITS: Partial<Record<InputName, string>> = {
  'timeout-minutes': 'minutes',
  'max-turns': 'turns',
  'max-tokens': 'tokens',
  'max-diff-tokens': 'tokens',
};

function notANumber(read: ReadInput, name: InputName, range: string): ConfigError {
  const what = `the input \`${name}\` must be a number ${range}, not ${JSON.stringify(read(name))}`;
  const unit = UNITS[name];
  const instead = unit === undefined ? '' : ` for ${INPUT_DEFAULTS[name]} ${unit}`;
  return new ConfigError(what, {
    remedy: `Write digits alone, with a point for a fraction, or leave it out${instead}.`,
  });
}

/** Words between commas and line breaks (D28). */
export function list(value: string): readonly string[] {
  return value.split(/[,\n]/).flatMap((word) => (word.trim() === '' ? [] : [word.trim()]));
}

/** What no name of a branch, tag or commit holds (git-check-ref-format, rules 1 to 10), nor what cannot be seen. */
export const NO_REF = /[\p{C}\p{Z}~^:?*[\\]|\.\.|@\{|^-|^@$|\.$|\.lock(?:\/|$)|(?:^|\/)(?:\.|\/|$)/u;
