import { SEARCH_LIMITS } from '../../defaults.js';
import { isBinary } from '../../prompt/context-files.js';
import { ToolError } from '../../tool-error.js';
import type { Workspace } from '../ports.js';
import { showHidden } from '../visible.js';

/** Text to find in a file. */
export interface LineQuery {
  readonly text: string;
  readonly ignoreCase: boolean;
  /** Most lines wanted. */
  readonly most: number;
}

/** Lines of a file that contain a text. */
export interface FileMatches {
  /** As `path:line: content`. */
  readonly lines: readonly string[];
  /** There are more than were wanted. */
  readonly hasMore: boolean;
  /** Bytes that were looked at. */
  readonly bytes: number;
  /** Whether the file is longer than that. */
  readonly isCut: boolean;
}

/** Characters of a line shown before and behind what was found. */
const AROUND = 150;

/** The lines of one file that contain a text; undefined for a file that is binary or cannot be read. */
export async function findMatches(
  workspace: Workspace,
  path: string,
  query: LineQuery,
): Promise<FileMatches | undefined> {
  const read = await readStart(workspace, path);
  if (read === undefined || isBinary(read.bytes)) return undefined;
  const content = new TextDecoder().decode(read.bytes);
  const wanted = query.ignoreCase ? query.text.toLowerCase() : query.text;
  const lines: string[] = [];
  let number = 0;
  let hasMore = false;
  for (const line of content.split('\n')) {
    number += 1;
    const at = (query.ignoreCase ? line.toLowerCase() : line).indexOf(wanted);
    if (at < 0) continue;
    hasMore = lines.length >= query.most;
    if (hasMore) break;
    lines.push(`${showHidden(path)}:${number}: ${excerpt(line, at, wanted.length)}`);
  }
  return { lines, hasMore, bytes: read.bytes.length, isCut: read.isCut };
}

/** A file that vanished or that the guard refuses holds no match; a search goes on. */
async function readStart(
  workspace: Workspace,
  path: string,
): Promise<{ readonly bytes: Uint8Array; readonly isCut: boolean } | undefined> {
  try {
    const file = await workspace.open(path);
    try {
      const length = Math.min(file.bytes, SEARCH_LIMITS.fileBytes);
      return { bytes: await file.read(0, length), isCut: file.bytes > length };
    } finally {
      await file.close();
    }
  } catch (thrown) {
    if (thrown instanceof ToolError) return undefined;
    throw thrown;
  }
}

/** The line, or of a long one what stands around the match; no character is split. */
function excerpt(line: string, at: number, length: number): string {
  const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
  let start = Math.max(0, at - AROUND);
  let end = Math.min(whole.length, at + length + AROUND);
  if (isLowSurrogate(whole, start)) start += 1;
  if (isLowSurrogate(whole, end)) end -= 1;
  const before = start > 0 ? '[...] ' : '';
  const behind = end < whole.length ? ' [...]' : '';
  return `${before}${showHidden(whole.slice(start, end))}${behind}`;
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
