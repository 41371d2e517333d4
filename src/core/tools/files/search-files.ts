import { SEARCH_LIMITS } from '../../defaults.js';
import { ConfigError } from '../../errors.js';
import { type CompiledPattern, compileGlob } from '../../text/glob.js';
import { shown } from '../../text/shown.js';
import { truncate } from '../../text/truncate.js';
import { ToolError } from '../../tool-error.js';
import { defineTool } from '../define.js';
import type { ToolPorts, Workspace } from '../ports.js';
import type { Tool } from '../tool.js';
import { showHidden } from '../visible.js';
import { findMatches } from './find-matches.js';

const MAX_GLOB = 500;

/** `search_files`: files by name, lines by text, or both. The text is literal: no expression can take for ever. */
export function createSearchFiles({ workspace, clock }: Pick<ToolPorts, 'workspace' | 'clock'>): Tool {
  return defineTool({
    name: 'search_files',
    effect: 'read',
    description:
      'Searches the working directory. With `text` it gives every line that contains it, as `path:line: content`; with `glob` alone, the paths of the files that match. The text is searched for as it stands; it is not a regular expression. `.git` and `node_modules` are left out unless the glob names them.',
    shape: {
      text: { type: 'string', description: 'Text to look for, part of one line.' },
      glob: {
        type: 'string',
        description:
          'Pattern for paths relative to `path`: `*`, `?`, `[a-z]`, and `**` for any directories. Without a `/` it is a pattern for names at any depth. Default: all files.',
      },
      path: { type: 'string', description: 'Directory to search. Default: `.`, the working directory.' },
      ignore_case: { type: 'boolean', description: 'Whether case counts for nothing. Default: false.' },
    },
    async run({ text, glob, path = '.', ignore_case = false }, signal) {
      if (text === undefined && glob === undefined) throw new ToolError('give `text`, `glob`, or both');
      if (text !== undefined) checkText(text);
      const timeIsUp = timer(clock);
      const files = matchingFiles(workspace, { path, pattern: compile(glob ?? '**'), timeIsUp, signal });
      const found =
        text === undefined
          ? await collectPaths(files)
          : await collectLines(workspace, files, { text, ignoreCase: ignore_case });
      return format(found);
    },
  });
}

function checkText(text: string): void {
  if (text === '') throw new ToolError('`text` is empty; leave it out to search by `glob` alone');
  if (/[\r\n]/.test(text))
    throw new ToolError('`text` is searched for line by line; it has no line break in it');
}

/** A pattern without a slash is meant for names, wherever they are. */
function compile(glob: string): CompiledPattern {
  const clean = glob.trim().replace(/^(?:\.\/)+/, '');
  if (clean === '') throw new ToolError('`glob` is empty; leave it out to search all files');
  if (clean.length > MAX_GLOB) throw new ToolError(`\`glob\` has more than ${MAX_GLOB} characters`);
  try {
    return compileGlob(clean.includes('/') || clean === '**' ? clean : `**/${clean}`);
  } catch (thrown) {
    if (thrown instanceof ConfigError) throw new ToolError(thrown.message);
    throw thrown;
  }
}

function timer(clock: ToolPorts['clock']): () => boolean {
  const end = clock.now().getTime() + SEARCH_LIMITS.timeMs;
  return () => clock.now().getTime() >= end;
}

/** A file, or the reason why none follows. */
type Step =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'cut'; readonly reason: string };

interface Wanted {
  readonly path: string;
  readonly pattern: CompiledPattern;
  readonly timeIsUp: () => boolean;
  readonly signal: AbortSignal;
}

async function* matchingFiles(
  workspace: Workspace,
  { path, pattern, timeIsUp, signal }: Wanted,
): AsyncGenerator<Step> {
  const prefix = await folderPrefix(workspace, path);
  let seen = 0;
  for await (const entry of workspace.walk(path, (folder) =>
    pattern.mayContain(folder.slice(prefix.length)),
  )) {
    signal.throwIfAborted();
    seen += 1;
    if (seen > SEARCH_LIMITS.entries) {
      return yield { kind: 'cut', reason: `more than ${SEARCH_LIMITS.entries} files and directories` };
    }
    if (timeIsUp()) return yield { kind: 'cut', reason: 'it took too long' };
    if (entry.kind === 'file' && pattern.matches(entry.path.slice(prefix.length))) {
      yield { kind: 'file', path: entry.path };
    }
  }
}

/** What the paths of a walk begin with; patterns are relative to the folder that is searched. */
async function folderPrefix(workspace: Workspace, path: string): Promise<string> {
  const stat = await workspace.stat(path);
  if (stat === undefined) throw new ToolError(`${shown(path)}: no such directory`);
  if (stat.kind !== 'directory') throw new ToolError(`${shown(path)} is not a directory; \`path\` names one`);
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  return segments.length === 0 ? '' : `${segments.join('/')}/`;
}

interface Found {
  readonly lines: readonly string[];
  /** What the search did not cover, as clauses. */
  readonly notes: readonly string[];
}

async function collectPaths(files: AsyncIterable<Step>): Promise<Found> {
  const lines: string[] = [];
  for await (const step of files) {
    if (step.kind === 'cut') return { lines, notes: [`the search ended early: ${step.reason}`] };
    if (lines.length >= SEARCH_LIMITS.matches) return { lines, notes: [TOO_MANY] };
    lines.push(showHidden(step.path));
  }
  return { lines, notes: [] };
}

interface Needle {
  readonly text: string;
  readonly ignoreCase: boolean;
}

async function collectLines(
  workspace: Workspace,
  files: AsyncIterable<Step>,
  needle: Needle,
): Promise<Found> {
  const lines: string[] = [];
  const cutFiles: string[] = [];
  let bytes = 0;
  const notes = (early?: string): readonly string[] => [
    ...(early === undefined ? [] : [early]),
    ...(cutFiles.length === 0
      ? []
      : [`only the first ${SEARCH_LIMITS.fileBytes} bytes were searched of ${listed(cutFiles)}`]),
  ];
  for await (const step of files) {
    if (step.kind === 'cut') return { lines, notes: notes(`the search ended early: ${step.reason}`) };
    if (bytes >= SEARCH_LIMITS.totalBytes) {
      return { lines, notes: notes('the search ended early: too many bytes; narrow `glob` or `path`') };
    }
    const file = await findMatches(workspace, step.path, {
      ...needle,
      most: SEARCH_LIMITS.matches - lines.length,
    });
    if (file === undefined) continue;
    bytes += file.bytes;
    if (file.isCut) cutFiles.push(step.path);
    lines.push(...file.lines);
    if (file.hasMore) return { lines, notes: notes(TOO_MANY) };
  }
  return { lines, notes: notes() };
}

const TOO_MANY = `there are more than these ${SEARCH_LIMITS.matches}; narrow the search`;
const MAX_NAMED = 5;

function listed(paths: readonly string[]): string {
  const left = paths.length - MAX_NAMED;
  const named = paths.slice(0, MAX_NAMED).map(showHidden).join(', ');
  return left > 0 ? `${named} and ${left} more` : named;
}

function format({ lines, notes }: Found): string {
  const body = lines.length === 0 ? ['(nothing found)'] : lines;
  return truncate([...body, ...notes.map((note) => `[${note}]`)].join('\n'));
}
