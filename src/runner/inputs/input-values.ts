import { ConfigError } from '../../lib/errors.js';

/** One of some words. Throws a ConfigError that lists them. */
export function oneOf<T extends string>(values: readonly T[], value: string, name: string): T {
  const found = values.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new ConfigError(`the input \`${name}\` cannot be ${JSON.stringify(value)}`, {
    remedy: `Give one of ${values.map((candidate) => `\`${candidate}\``).join(', ')}.`,
  });
}

/** YAML 1.2's spellings of true and false, as the toolkit takes them. Throws a ConfigError. */
export function flag(value: string, name: string): boolean {
  if (['true', 'True', 'TRUE'].includes(value)) return true;
  if (['false', 'False', 'FALSE'].includes(value)) return false;
  throw new ConfigError(`the input \`${name}\` must be true or false, not ${JSON.stringify(value)}`, {
    remedy: `Write \`${name}: true\` or leave it out.`,
  });
}

/** A number and what it falls back to, in words (`15 minutes`); undefined where there is no such thing. */
export interface NumberInput {
  readonly name: string;
  readonly fallback: string | undefined;
}

/** Throws a ConfigError for anything but a number above 0. */
export function above0(value: string, input: NumberInput): number {
  const parsed = Number(value);
  if (Number.isFinite(parsed) && parsed > 0) return parsed;
  throw notANumber(value, input, 'above 0');
}

/** Throws a ConfigError for anything but a number from 0. */
export function atLeast0(value: string, input: NumberInput): number {
  const parsed = Number(value);
  if (Number.isFinite(parsed) && parsed >= 0) return parsed;
  throw notANumber(value, input, 'from 0, which means no limit');
}

/** Throws a ConfigError for anything but a whole number from 0. */
export function wholeFrom0(value: string, name: string): number {
  if (/^\d{1,6}$/.test(value)) return Number(value);
  throw notANumber(value, { name, fallback: undefined }, 'from 0, without a fraction');
}

function notANumber(value: string, { name, fallback }: NumberInput, range: string): ConfigError {
  const what = `the input \`${name}\` must be a number ${range}, not ${JSON.stringify(value)}`;
  return new ConfigError(what, {
    remedy: `Write digits alone, with a point for a fraction, or leave it out${fallback === undefined ? '' : ` for ${fallback}`}.`,
  });
}

/** Words between commas and line breaks (D28). */
export function list(value: string): readonly string[] {
  return value.split(/[,\n]/).flatMap((word) => (word.trim() === '' ? [] : [word.trim()]));
}

/** Patterns of paths; `!` before one excludes. Throws a ConfigError for one that people mean and that would match nothing. */
export function pathPatterns(value: string, name: string): readonly string[] {
  const patterns = list(value);
  for (const pattern of patterns) {
    const remedy = patternRemedy(pattern);
    if (remedy === undefined) continue;
    throw new ConfigError(
      `the input \`${name}\` has a pattern that matches no file: ${JSON.stringify(pattern)}`,
      { remedy },
    );
  }
  return patterns;
}

function patternRemedy(pattern: string): string | undefined {
  if (pattern.endsWith('/')) return `Write \`${pattern}**\` for all that is in the folder.`;
  const [, sign = '', rest] = /^(!?)\.?\/+(.*\*\*.*)$/.exec(pattern) ?? [];
  return rest === undefined ? undefined : `Write \`${sign}${rest}\`.`;
}

/** Names in which `*` stands for anything. Throws a ConfigError for `**`, which is a pattern of paths. */
export function namePatterns(value: string, name: string): readonly string[] {
  const patterns = list(value);
  const paths = patterns.find((pattern) => pattern.includes('**'));
  if (paths === undefined) return patterns;
  throw new ConfigError(`the input \`${name}\` cannot have ${JSON.stringify(paths)}: that is not a path`, {
    remedy: `Write \`${paths.replace(/\*{2,}/g, '*')}\`; one \`*\` matches anything, slashes too.`,
  });
}
