import * as v from 'valibot';
import type { CountedFile } from '../../event/fetched-change.js';
import { fetchPages, inRepo, type SubjectPlace } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';

/** A changed file with the part of the diff GitHub sends for it. */
export interface PatchedFile extends CountedFile {
  /** Hunks without the file's header; undefined for binary, very large and unchanged files. */
  readonly patch?: string;
}

/** A file as the REST API lists it, here and in comparisons. */
export const patchedFileSchema = v.pipe(
  v.object({
    filename: v.string(),
    status: v.fallback(v.string(), 'changed'),
    additions: v.fallback(v.number(), 0),
    deletions: v.fallback(v.number(), 0),
    previous_filename: v.optional(v.string()),
    patch: v.optional(v.string()),
  }),
  v.transform(
    ({ filename, status, additions, deletions, previous_filename, patch }): PatchedFile => ({
      path: filename,
      status,
      additions,
      deletions,
      previousPath: previous_filename,
      patch,
    }),
  ),
);

/** GitHub lists no more files of a pull request (REST API, "List pull requests files"). */
const MAX_PAGES = 30;

/** The files of a pull request as it is now. Throws a GitHubError. */
export async function fetchChangedFiles(
  client: GitHubClient,
  { repository, number }: SubjectPlace,
  signal: AbortSignal,
): Promise<readonly PatchedFile[]> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
  const params = { ...inRepo(repository), pull_number: number };
  return (await fetchPages(client, route, params, v.array(patchedFileSchema), MAX_PAGES, signal)).items;
}

/** A unified diff of the files' hunks, with the headers git would write; files without hunks keep their header. */
export function assembleDiff(files: readonly PatchedFile[]): string {
  return files.map(formatFileDiff).join('');
}

function formatFileDiff(file: PatchedFile): string {
  const { path, status, patch } = file;
  const from = file.previousPath ?? path;
  const lines = [`diff --git ${quote(`a/${from}`)} ${quote(`b/${path}`)}`];
  if (status === 'added') lines.push('new file mode 100644');
  if (status === 'removed') lines.push('deleted file mode 100644');
  if (status === 'renamed') lines.push(`rename from ${quote(from)}`, `rename to ${quote(path)}`);
  if (status === 'copied') lines.push(`copy from ${quote(from)}`, `copy to ${quote(path)}`);
  if (patch !== undefined && patch !== '') {
    lines.push(`--- ${status === 'added' ? '/dev/null' : quote(`a/${from}`)}`);
    lines.push(`+++ ${status === 'removed' ? '/dev/null' : quote(`b/${path}`)}`, patch);
  }
  return `${lines.join('\n')}\n`;
}

/** A path as git quotes it, where it would break out of its line. */
function quote(path: string): string {
  return /[\p{Cc}"\\]/u.test(path) ? JSON.stringify(path) : path;
}
