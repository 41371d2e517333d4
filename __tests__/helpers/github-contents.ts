import { githubError, type RestAnswer, type RestCall } from './github-answers.js';
import { api, contentEntryJson, repoJson } from './github-objects.js';
import { type GitObject, gitObjects, resolveCommit, type StoredRepo } from './github-state.js';

/** Files above this size come without their content in the JSON form. */
const MAX_JSON_CONTENT_BYTES = 1024 * 1024;
const MAX_LISTING = 1000;

/** `GET /repos/{owner}/{repo}`. */
export function repository({ repo }: RestCall): RestAnswer {
  return { status: 200, body: repoJson(repo) };
}

/** `GET …/contents/{path}`: a file, its raw text, or the listing of a folder. */
export function contents({ repo, params, request, media }: RestCall): RestAnswer {
  const ref = request.query.get('ref') ?? repo.defaultBranch;
  const found = resolveCommit(repo, ref);
  if (found === undefined) return githubError(404, `No commit found for the ref ${ref}`);
  const objects = gitObjects(found.files);
  const path = (params['path'] ?? '').replace(/^\/|\/$/g, '');
  const object = followLink(objects, path);
  if (object === undefined) return githubError(404, 'Not Found');
  if (object.kind === 'tree') {
    const entries = childrenOf(objects, object).map((child) => contentEntryJson(repo, child, ref));
    const listing = entries.slice(0, MAX_LISTING);
    if (media !== 'object') return { status: 200, body: listing };
    return { status: 200, body: { ...contentEntryJson(repo, object, ref), entries: listing } };
  }
  if (media === 'raw') return { status: 200, body: object.bytes, mediaType: 'raw' };
  const entry = contentEntryJson(repo, object, ref);
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

/** `GET …/git/trees/{tree_sha}`, which also takes a commit or a branch; `recursive` lists everything. */
export function tree({ repo, params, request }: RestCall): RestAnswer {
  const name = params['tree_sha'] ?? '';
  const found = findTree(repo, name);
  if (found === undefined) return githubError(404, 'Not Found');
  const { root, all } = found;
  const prefix = root.path === '' ? '' : `${root.path}/`;
  const inside = all.filter((object) => object.path !== root.path && object.path.startsWith(prefix));
  const wanted = request.query.has('recursive')
    ? inside
    : inside.filter((object) => !object.path.slice(prefix.length).includes('/'));
  return {
    status: 200,
    body: {
      sha: root.sha,
      url: `${api(repo)}/git/trees/${root.sha}`,
      tree: wanted.slice(0, repo.maxTreeEntries).map((object) => ({
        path: object.path.slice(prefix.length),
        mode: object.mode,
        type: object.kind,
        sha: object.sha,
        ...(object.kind === 'blob' ? { size: object.bytes.length } : {}),
        url: `${api(repo)}/git/${object.kind}s/${object.sha}`,
      })),
      truncated: wanted.length > repo.maxTreeEntries,
    },
  };
}

/** `GET …/git/blobs/{file_sha}`. */
export function gitBlob({ repo, params, media }: RestCall): RestAnswer {
  const object = allObjects(repo).find(({ kind, sha }) => kind === 'blob' && sha === params['file_sha']);
  if (object === undefined) return githubError(404, 'Not Found');
  if (media === 'raw') return { status: 200, body: object.bytes, mediaType: 'raw' };
  return {
    status: 200,
    body: {
      sha: object.sha,
      node_id: object.sha,
      size: object.bytes.length,
      url: `${api(repo)}/git/blobs/${object.sha}`,
      content: wrapped(object.bytes.toString('base64')),
      encoding: 'base64',
    },
  };
}

/** `GET …/git/ref/{ref}`, for branches. */
export function gitRef({ repo, params }: RestCall): RestAnswer {
  const ref = params['ref'] ?? '';
  const sha = ref.startsWith('heads/') ? repo.branches.get(ref.slice('heads/'.length)) : undefined;
  if (sha === undefined) return githubError(404, 'Not Found');
  return {
    status: 200,
    body: {
      ref: `refs/${ref}`,
      node_id: sha,
      url: `${api(repo)}/git/refs/${ref}`,
      object: { type: 'commit', sha, url: `${api(repo)}/git/commits/${sha}` },
    },
  };
}

/** `GET …/commits/{ref}`: only the sha, in its own media type. */
export function commit({ repo, params, media }: RestCall): RestAnswer {
  const found = resolveCommit(repo, params['ref'] ?? '');
  if (found === undefined) return githubError(422, `No commit found for SHA: ${params['ref']}`);
  if (media !== 'sha') return githubError(415, 'the fake answers this route with the sha media type only');
  return { status: 200, body: found.sha, mediaType: 'sha' };
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

function allObjects(repo: StoredRepo): readonly GitObject[] {
  return [...repo.commits.values()].flatMap((files) => gitObjects(files));
}

/** The root tree of a commit or branch, or the tree with this sha, with everything in its commit. */
function findTree(
  repo: StoredRepo,
  name: string,
): { root: GitObject; all: readonly GitObject[] } | undefined {
  const commits = resolveCommit(repo, name)?.files;
  for (const files of commits === undefined ? repo.commits.values() : [commits]) {
    const all = gitObjects(files);
    const root =
      commits === undefined ? all.find(({ kind, sha }) => kind === 'tree' && sha === name) : all[0];
    if (root !== undefined) return { root, all };
  }
  return undefined;
}

/** GitHub breaks base64 after 60 characters. */
function wrapped(base64: string): string {
  return base64.replaceAll(/.{1,60}/g, (line) => `${line}\n`);
}
