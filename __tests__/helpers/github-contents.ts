import { githubError, type RestAnswer, type RestCall } from './github-answers.js';
import { emptyRepository } from './github-git-data.js';
import { type GitObject, listTree } from './github-git-trees.js';
import { resolveCommit } from './github-history.js';
import { contentEntryJson, repoJson, wrapped } from './github-objects.js';

/** Files above this size come without their content in the JSON form. */
const MAX_JSON_CONTENT_BYTES = 1024 * 1024;
const MAX_LISTING = 1000;

/** `GET /repos/{owner}/{repo}`. */
export function repository({ repo }: RestCall): RestAnswer {
  return { status: 200, body: repoJson(repo) };
}

/** `GET …/contents/{path}` as an object: a file, or a folder with its entries. */
export function contents({ repo, params, request }: RestCall): RestAnswer {
  if (repo.git.commits.size === 0) return githubError(404, 'This repository is empty.');
  const ref = request.query.get('ref') ?? repo.defaultBranch;
  const found = resolveCommit(repo, ref);
  if (found === undefined) return githubError(404, `No commit found for the ref ${ref}`);
  const objects = listTree(repo.git, found.tree);
  const object = followLink(objects, pathOf(params));
  if (object === undefined) return githubError(404, 'Not Found');
  if (object.kind === 'tree') {
    const entries = childrenOf(objects, object).map((child) => contentEntryJson(repo, child, ref));
    const listing = entries.slice(0, MAX_LISTING);
    // Validated as the listing: the description knows the object only under its own media type.
    const body = { ...contentEntryJson(repo, object, ref), entries: listing };
    return { status: 200, body, describedAs: listing };
  }
  const entry = contentEntryJson(repo, object, ref);
  if (object.kind === 'commit') {
    return { status: 200, body: { ...entry, type: 'submodule', submodule_git_url: entry['html_url'] } };
  }
  if (object.mode === '120000') return { status: 200, body: { ...entry, target: object.bytes.toString() } };
  const isLarge = object.bytes.length > MAX_JSON_CONTENT_BYTES;
  return {
    status: 200,
    body: {
      ...entry,
      encoding: isLarge ? 'none' : 'base64',
      content: isLarge ? '' : wrapped(object.bytes.toString('base64')),
    },
  };
}

/** `GET …/commits/{ref}`: only the sha, in its own media type. */
export function commit({ repo, params, media }: RestCall): RestAnswer {
  if (repo.git.commits.size === 0) return emptyRepository();
  const found = resolveCommit(repo, params['ref'] ?? '');
  if (found === undefined) return githubError(422, `No commit found for SHA: ${params['ref']}`);
  if (media !== 'sha') return githubError(415, 'the fake answers this route with the sha media type only');
  return { status: 200, body: found.sha, mediaType: 'sha' };
}

function pathOf(params: RestCall['params']): string {
  return (params['path'] ?? '').replace(/^\/|\/$/g, '');
}

/** Links to a regular file of the repository are followed, others are shown as links. */
function followLink(objects: readonly GitObject[], path: string): GitObject | undefined {
  const object = objects.find((candidate) => candidate.path === path);
  if (object?.mode !== '120000') return object;
  const folder = path.split('/').slice(0, -1).join('/');
  const target = new URL(object.bytes.toString(), `https://example.com/${folder === '' ? '' : `${folder}/`}`);
  const resolved = objects.find(
    (candidate) =>
      candidate.path === decodeURIComponent(target.pathname.slice(1)) && candidate.mode === '100644',
  );
  return object.bytes.toString().startsWith('/') ? object : (resolved ?? object);
}

function childrenOf(objects: readonly GitObject[], folder: GitObject): readonly GitObject[] {
  const prefix = folder.path === '' ? '' : `${folder.path}/`;
  return objects.filter(
    ({ path }) => path !== '' && path.startsWith(prefix) && !path.slice(prefix.length).includes('/'),
  );
}
