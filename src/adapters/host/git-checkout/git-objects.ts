import { decodeBytes } from '../../../core/text/bytes.js';
import type { GitEnd } from './run-git.js';

/** Runs git in one checkout. */
export type Git = (
  args: readonly string[],
  options?: { readonly input?: Uint8Array; readonly indexFile?: string; readonly isOnline?: boolean },
) => Promise<GitEnd>;

/** A file as a commit has it. */
export interface TreeFile {
  /** From the top of the repository. */
  readonly path: string;
  /** `100644` for a plain file, `120000` for a symbolic link, `160000` for a submodule. */
  readonly mode: string;
  readonly id: string;
}

/** What a git command printed, without the line break at its end. Throws an Error with git's message if it failed. */
export async function printed(end: Promise<GitEnd>): Promise<string> {
  const result = await end;
  if (result.kind === 'failed') throw new Error(firstLine(result.message));
  return result.stdout.toString('utf8').replace(/\n$/, '');
}

/** The sentence of git's output that says what went wrong. */
export function firstLine(message: string): string {
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((one) => /^(?:fatal|error): /.test(one)) ?? lines[0] ?? '';
  return line.replace(/^(?:fatal|error): /, '');
}

/** The files at some places of a tree, folders with all that is below them. Throws an Error with git's message. */
export async function listFiles(
  git: Git,
  tree: string,
  places: readonly string[],
): Promise<readonly TreeFile[]> {
  if (places.length === 0) return [];
  const requested = places.filter((place) => place !== '');
  const listed = await printed(git(['ls-tree', '-r', '-z', '--full-tree', tree, '--', ...requested]));
  return listed.split('\0').flatMap((line) => {
    const [, mode = '', id = '', path = ''] = /^(\d+) \S+ (\S+)\t([\s\S]+)$/.exec(line) ?? [];
    return path === '' ? [] : [{ path, mode, id }];
  });
}

/** The texts of some objects by their ids, as `decodeBytes` gives them. Throws an Error with git's message. */
export async function readTexts(git: Git, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  if (ids.length === 0) return texts;
  const requested = [...new Set(ids)];
  const end = await git(['cat-file', '--batch'], { input: Buffer.from(`${requested.join('\n')}\n`) });
  if (end.kind === 'failed') throw new Error(firstLine(end.message));
  let at = 0;
  for (const id of requested) {
    const headEnd = end.stdout.indexOf('\n', at);
    const [, size] = /^\S+ blob (\d+)$/.exec(end.stdout.toString('utf8', at, headEnd)) ?? [];
    if (size === undefined) throw new Error(`git has no object ${id}`);
    const start = headEnd + 1;
    texts.set(id, decodeBytes(end.stdout.subarray(start, start + Number(size))));
    at = start + Number(size) + 1;
  }
  return texts;
}

/** Whether it is a plain file: no link, and nothing that belongs to another repository. */
export function isPlain({ mode }: TreeFile): boolean {
  return mode.startsWith('100');
}
