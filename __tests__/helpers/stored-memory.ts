import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from './cache-archive.js';
import type { CacheServer } from './cache-server.js';
import type { GitHubServer } from './github-server.js';
import type { StoredRepo } from './github-state.js';

/** The texts of all memory files, by place and path; the branches hold nothing else. */
export function storedMemory(places: {
  readonly github: GitHubServer;
  readonly cache: CacheServer;
  readonly repo: StoredRepo;
  readonly workspace: string;
  readonly branches: readonly string[];
}): ReadonlyMap<string, string> {
  const { github, cache, repo, workspace } = places;
  const name = `${repo.owner}/${repo.name}`;
  const branches = places.branches
    .filter((branch) => repo.branches.has(branch))
    .flatMap((branch) =>
      Object.entries(github.files(name, branch)).map(
        ([path, text]) => [`${branch}:${path}`, text] as const,
      ),
    );
  const cached = cache
    .entries()
    .flatMap(({ finalized, archive, key }) =>
      finalized && archive !== undefined
        ? Object.entries(filesIn(archive)).map(([path, text]) => [`${key}:${path}`, text] as const)
        : [],
    );
  const written = ['.axe', 'packages'].flatMap((folder) =>
    filesBelow(join(workspace, folder)).map((path) => {
      const text = readFileSync(join(workspace, folder, path), 'utf8');
      return [`checkout:${folder}/${path}`, text] as const;
    }),
  );
  return new Map([...branches, ...cached, ...written]);
}

/** The regular files below a folder, by their paths in it; none where there is no such folder. */
export function filesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  } catch {
    return [];
  }
}
