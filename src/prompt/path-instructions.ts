import type { ContextFile } from '../agent/context-files.js';
import type { Warning } from '../lib/errors.js';
import { cleanLine } from '../lib/text/format.js';
import { expandBraces, PatternError, selectPaths } from '../lib/text/glob.js';

/** The folder of instructions for paths, as Copilot reads them too. */
export const INSTRUCTIONS_FOLDER = '.github/instructions/';

export function isPathInstructions(path: string): boolean {
  return path.startsWith(INSTRUCTIONS_FOLDER) && path.endsWith('.instructions.md');
}

/**
 * The instructions that hold for a change, with their paths at the beginning of each text. A file
 * counts if one of its patterns matches a changed path; without patterns it never does. A file
 * whose front matter cannot be read is a warning, and the others are read.
 */
export function pickPathInstructions(
  files: readonly ContextFile[],
  { changed, isReview }: { readonly changed: readonly string[]; readonly isReview: boolean },
): { readonly files: readonly ContextFile[]; readonly warnings: readonly Warning[] } {
  const warnings: Warning[] = [];
  const warn = (path: string, problem: string) => {
    const message = `\`${cleanLine(path, MAX_NAME)}\`: ${problem}`;
    warnings.push({ code: 'context-unread', message, remedy: REMEDY });
  };

  const picked = files.flatMap(({ path, content }): readonly ContextFile[] => {
    const frontMatter = readFrontMatter(content);
    if (frontMatter === undefined) return [];
    if (frontMatter === 'broken') {
      warn(path, 'its front matter has no end');
      return [];
    }
    const { applyTo = '', excludeAgent = '', body } = frontMatter;
    const isExcluded = isReview && splitPatterns(excludeAgent).includes('code-review');
    const patterns = splitPatterns(applyTo);
    const isMatching = patterns.some((pattern) => {
      try {
        return EVERYTHING.has(pattern) || selectPaths(expandBraces(pattern), changed).length > 0;
      } catch (thrown) {
        if (!(thrown instanceof PatternError)) throw thrown;
        warn(path, thrown.message);
        return false;
      }
    });
    if (isExcluded || !isMatching) return [];
    return [
      { path, content: `For ${patterns.map((each) => `\`${each}\``).join(', ')}:\n\n${body}` },
    ];
  });
  return { files: picked, warnings };
}

const MAX_NAME = 200;
const REMEDY =
  'Begin the file with `---`, `applyTo: "src/**/*.ts"` and `---`, each in a line of its own.';

const EVERYTHING: ReadonlySet<string> = new Set(['*', '**', '**/*']);

/** Patterns between commas that are not in braces. */
function splitPatterns(text: string): readonly string[] {
  return text
    .split(/,(?![^{]*\})/)
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '');
}

/**
 * The two keys that we know, with or without quotes, and the text below them; every other line is
 * ignored. Undefined for a file without front matter.
 */
function readFrontMatter(content: string) {
  const lines = content.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---') return undefined;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end < 0) return 'broken';

  const values = new Map(
    lines.slice(1, end).flatMap((line) => {
      const [, key, quoted, plain] = KEY.exec(line) ?? [];
      return key === undefined ? [] : [[key, quoted ?? plain ?? ''] as const];
    }),
  );
  const body = lines
    .slice(end + 1)
    .join('\n')
    .trim();
  return { applyTo: values.get('applyTo'), excludeAgent: values.get('excludeAgent'), body };
}

const KEY = /^(applyTo|excludeAgent):\s*(?:["'](.*)["']|([^#]*?))\s*(?:#.*)?$/;
